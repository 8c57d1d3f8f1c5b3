/** Makes the largest value that a schema allows: the longest texts, the fullest arrays, the largest numbers, and all optional properties. */

/** As far as is looked at here. */
export interface Shape {
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  oneOf?: readonly Shape[]
  allOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  additionalProperties?: boolean | Shape
  patternProperties?: Readonly<Record<string, Shape>>
  maxProperties?: number
  items?: Shape
  maxItems?: number
  maxLength?: number
  maximum?: number
}

interface Most {
  /** Where a schema says nothing: members of an array or map, and characters of a text. */
  members: number
  characters: number
}

const size = (value: unknown) => JSON.stringify(value)?.length ?? 0
const largest = (values: readonly unknown[]) =>
  values.reduce((most, one) => (size(one) > size(most) ? one : most))

export function fullest(schema: Shape, most: Most): unknown {
  if ('const' in schema) return schema.const
  if (schema.enum) return largest(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return largest(choices.map((each) => fullest(each, most)))
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => fullest(each, most)))
  const types = [schema.type].flat()
  if (schema.properties || types.includes('object')) return fullObject(schema, most)
  if (types.includes('array')) {
    const length = Math.min(schema.maxItems ?? most.members, most.members)
    return Array.from({ length }, () => fullest(schema.items ?? {}, most))
  }
  if (types.includes('integer') || types.includes('number')) return schema.maximum ?? 2 ** 31 - 1
  if (types.includes('boolean')) return true
  return 'x'.repeat(Math.min(schema.maxLength ?? most.characters, most.characters))
}

function fullObject(schema: Shape, most: Most): object {
  const named = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fullest(each, most)])
  const other = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})].find(
    (each) => typeof each === 'object',
  )
  const length = other === undefined ? 0 : Math.min(schema.maxProperties ?? most.members, most.members)
  const others = Array.from({ length }, (_, index) => [`x${index}`, fullest(other!, most)])
  return Object.fromEntries([...named, ...others])
}

/** The fullest value whose JSON has no more than so many octets: many short texts cost more than a few long ones. */
export function fullestWithin(schema: Shape, octets: number): unknown {
  let most: Most = { members: 1, characters: 4 }
  for (const [what, end] of [
    ['members', 100_000],
    ['characters', octets],
  ] as const) {
    while (most[what] < end) {
      const more = { ...most, [what]: most[what] * 2 }
      if (size(fullest(schema, more)) > octets) break
      most = more
    }
  }
  return fullest(schema, most)
}
