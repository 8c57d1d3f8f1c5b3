/**
 * The number of entries of a page. A client that requests more than the maximum gets the maximum, as in the
 * original APIs.
 */
import type { TSchema } from 'typebox'

/** A field `limit` of a schema. */
interface PageLimit {
  /** The path of the object that contains the field. */
  within: readonly string[]
  most: number
}

interface Subschema {
  properties?: Readonly<Record<string, Subschema>>
  anyOf?: readonly Subschema[]
  maximum?: number
}

/** Finds the limits of a schema and of the objects in it. */
export function pageLimits(schema: TSchema, within: readonly string[] = []): PageLimit[] {
  return Object.entries((schema as Subschema).properties ?? {}).flatMap(([name, part]) => {
    if (name !== 'limit') return pageLimits(part as TSchema, [...within, name])
    const most = mostOf(part)
    return most === undefined ? [] : [{ within, most }]
  })
}

/** The maximum of a field. A field that may be repeated has several schemas. */
function mostOf({ maximum, anyOf = [] }: Subschema): number | undefined {
  return maximum ?? anyOf.find((each) => each.maximum !== undefined)?.maximum
}

/** Lowers limits above the maximum, in place. The schema refuses values that are not numbers. */
export function lowerToMaximum(value: unknown, limits: readonly PageLimit[]): void {
  for (const { within, most } of limits) {
    const object = within.reduce(fieldOf, value)
    const limit = fieldOf(object, 'limit')
    if (limit === undefined) continue
    const cut = (each: unknown) => (isAbove(each, most) ? most : each)
    ;(object as Record<string, unknown>).limit = Array.isArray(limit) ? limit.map(cut) : cut(limit)
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

/** A number in a query arrives as text. */
function isAbove(limit: unknown, most: number): boolean {
  if (typeof limit === 'number') return limit > most
  return typeof limit === 'string' && /^\d+$/.test(limit) && Number(limit) > most
}
