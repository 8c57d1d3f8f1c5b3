/**
 * What checks and writes the values of declared routes, compiled from their schemas when it is first used: there are
 * hundreds, and compiling them all took a third of each start.
 */
import AjvCompiler from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import type { TSchema } from 'typebox'

const checks = AjvCompiler()
const writers = SerializerSelector()({}, {}) as FastifySerializerCompiler<TSchema>

/** What is not declared is refused, and not passed over: a slip of the pen would mean nothing. */
function checksWith(coerceTypes: 'array' | false): FastifySchemaCompiler<TSchema> {
  const compile = checks({}, { customOptions: { coerceTypes, removeAdditional: false } })
  return compile as FastifySchemaCompiler<TSchema>
}

/** Of JSON, and of text, of which numbers are made where the schema wants some. */
const STRICT = once(() => checksWith(false))
const OF_TEXT = once(() => checksWith('array'))

export function checkOf(isText: boolean): FastifySchemaCompiler<TSchema> {
  return (route) => {
    const compiled = once(() => (isText ? OF_TEXT : STRICT)()(route))
    // The framework reads what was wrong off the function.
    const check: ReturnType<FastifySchemaCompiler<TSchema>> = (value: unknown) => {
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
