/** How many entries a page may have. A client that asks for more than the most gets the most, as from the originals. */
import type { TSchema } from 'typebox'

/** A field `limit` of a schema. */
export interface PageLimit {
  /** Of the object that has it. */
  within: readonly string[]
  most: number
}

interface Part {
  properties?: Readonly<Record<string, Part>>
  anyOf?: readonly Part[]
  maximum?: number
}

/** Those of a schema, and of the objects in it. */
export function pageLimits(schema: TSchema, within: readonly string[] = []): PageLimit[] {
  return Object.entries((schema as Part).properties ?? {}).flatMap(([name, part]) => {
    if (name !== 'limit') return pageLimits(part as TSchema, [...within, name])
    const most = mostOf(part)
    return most === undefined ? [] : [{ within, most }]
  })
}

/** Where it may be repeated it is one of several schemas. */
function mostOf({ maximum, anyOf = [] }: Part): number | undefined {
  return maximum ?? anyOf.find((each) => each.maximum !== undefined)?.maximum
}

/** Lowers what is above the most, in place. What is no number stays for the schema to refuse. */
export function cutToMost(value: unknown, limits: readonly PageLimit[]): void {
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

/** In a query a number is text. */
function isAbove(limit: unknown, most: number): boolean {
  if (typeof limit === 'number') return limit > most
  return typeof limit === 'string' && /^\d+$/.test(limit) && Number(limit) > most
}
