/**
 * Validators and serializers of declared routes. They are compiled from their schemas at first use, because compiling
 * all of the hundreds takes a third of a start.
 */
import AjvCompiler from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { lowerToMaximum, pageLimits } from './page-limit.ts'

const checks = AjvCompiler()
const writers = SerializerSelector()({}, {}) as FastifySerializerCompiler<TSchema>

function checksWith(options: {
  coerceTypes: 'array' | false
  removeAdditional: 'all' | false
}): FastifySchemaCompiler<TSchema> {
  const compile = checks({}, { customOptions: options })
  return compile as FastifySchemaCompiler<TSchema>
}

/**
 * The checks of JSON leave values unchanged; the checks of text convert numbers where the schema requires one. An
 * undeclared field is refused if the schema says so, because a misspelt field would have no effect. In a client's query
 * it is dropped, as the originals do, because some clients add fields of their own.
 */
const STRICT = once(() => checksWith({ coerceTypes: false, removeAdditional: false }))
const OF_TEXT = once(() => checksWith({ coerceTypes: 'array', removeAdditional: false }))
const OF_QUERY = once(() => checksWith({ coerceTypes: 'array', removeAdditional: 'all' }))

interface ValidationOptions {
  /** Values arrive as text. */
  isText: boolean
  /** Undeclared fields are dropped. Implies `isText`. */
  passesOver: boolean
  /** A `limit` above its maximum is lowered to it. */
  cutsLimit: boolean
}

export function checkOf({
  isText,
  passesOver,
  cutsLimit,
}: ValidationOptions): FastifySchemaCompiler<TSchema> {
  const compile = passesOver ? OF_QUERY : isText ? OF_TEXT : STRICT
  return (route) => {
    const compiled = once(() => compile()(route))
    const limits = cutsLimit ? pageLimits(route.schema) : []
    // The framework reads the errors from this property of the function.
    const check: ReturnType<FastifySchemaCompiler<TSchema>> = (value: unknown) => {
      lowerToMaximum(value, limits)
      const result = compiled()(value)
      check.errors = compiled().errors ?? null
      return result
    }
    return check
  }
}

export const writerOf: FastifySerializerCompiler<TSchema> = (route) => {
  const compiled = once(() => writers(route))
  return (value) => compiled()(value)
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
