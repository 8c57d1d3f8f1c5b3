/** Finds the parts of a JSON Schema without an upper bound. */

export interface Unbounded {
  /** Where in the value, such as `.filter.AND[]`. */
  at: string
  what: string
}

interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  uniqueItems?: boolean
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  propertyNames?: Schema
  patternProperties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

export function unboundedIn(given: object, at = ''): Unbounded[] {
  const schema = given as Schema
  if (schema.enum !== undefined || 'const' in schema) return []
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((each) => each ?? [])
  const within = choices.flatMap((choice) => unboundedIn(choice, at))
  if (schema.type === undefined) {
    return choices.length > 0 ? within : [{ at, what: 'any value' }]
  }
  const types = [schema.type].flat()
  return [
    ...within,
    ...(types.includes('string') ? ofText(schema, at) : []),
    ...(types.includes('array') ? ofArray(schema, at) : []),
    ...(types.includes('object') ? ofObject(schema, at) : []),
  ]
}

function ofText({ maxLength }: Schema, at: string): Unbounded[] {
  return maxLength === undefined ? [{ at, what: 'text without maxLength' }] : []
}

function ofArray({ maxItems, items = {}, uniqueItems }: Schema, at: string): Unbounded[] {
  if (maxItems === undefined) return [{ at, what: 'array without maxItems' }]
  // Each item with each other: objects are compared in depth, numbers and texts are not.
  const compared = uniqueItems === true && items.type === 'object'
  return [
    ...(compared ? [{ at, what: 'objects compared with each other' }] : []),
    ...unboundedIn(items, `${at}[]`),
  ]
}

function ofObject(schema: Schema, at: string): Unbounded[] {
  const { properties, patternProperties, additionalProperties, maxProperties, propertyNames } = schema
  const named = Object.entries(properties ?? {}).flatMap(([name, each]) => unboundedIn(each, `${at}.${name}`))
  const others = [
    ...Object.values(patternProperties ?? {}),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(additionalProperties === true ? [{}] : []),
  ]
  if (properties !== undefined && others.length === 0) return named
  if (maxProperties === undefined) return [...named, { at, what: 'map without maxProperties' }]
  if (propertyNames?.maxLength === undefined) return [...named, { at, what: 'names without maxLength' }]
  return [...named, ...others.flatMap((each) => unboundedIn(each, `${at}.*`))]
}
