/** Turns an error of the schema validator into a Refusal. */
import type { FastifySchemaValidationError } from 'fastify/types/schema.d.ts'
import { invalidField, Refusal } from '../intake/refusal.ts'

/** Reports the first error. `part`: the part of the request, e.g. `querystring`. */
export function refusedBySchema([first]: FastifySchemaValidationError[], part: string): Refusal {
  const { keyword, instancePath, params, message = 'is not valid' } = first!
  const path = instancePath.split('/').slice(1)
  const within = (name: unknown) => [...path, name].join('.')
  if (keyword === 'required') {
    return new Refusal({ code: 'field_missing', field: within(params.missingProperty) })
  }
  if (keyword === 'additionalProperties') {
    return invalidField(within(params.additionalProperty), 'there is no such field')
  }
  const detail = DETAILS[keyword]?.(params) ?? `it ${message}`
  return invalidField(path.length === 0 ? part : path.join('.'), detail)
}

type Params = FastifySchemaValidationError['params']

/** The detail by keyword of JSON Schema. For other keywords it consists of the validator's own words. */
const DETAILS: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `it must be ${String(type).split(',').map(typeNamed).join(' or ')}`,
  enum: ({ allowedValues }) => `it must be one of: ${(allowedValues as unknown[]).join(', ')}`,
  const: ({ allowedValue }) => `it must be ${JSON.stringify(allowedValue)}`,
  pattern: () => 'its format is wrong',
  format: ({ format }) => `it must be of the form \`${format}\``,
  minimum: ({ limit }) => `it must be ${limit} or more`,
  maximum: ({ limit }) => `it must be ${limit} or less`,
  minLength: ({ limit }) => `it must have ${limit} characters or more`,
  maxLength: ({ limit }) => `it must have ${limit} characters or less`,
  minItems: ({ limit }) => `it must have ${limit} entries or more`,
  maxItems: ({ limit }) => `it must have ${limit} entries or less`,
  maxProperties: ({ limit }) => `it must have ${limit} fields or less`,
}

const TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

function typeNamed(type: string): string {
  return TYPES[type] ?? type
}
