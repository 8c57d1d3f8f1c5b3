import { clip, Fault } from '../fault.ts'

type ByAddress = Record<string, Record<string, string>>

/**
 * `recipient-variables`: a JSON object of objects, keyed by plain address. Values are made strings. An empty array counts as the
 * empty object that PHP writes that way. Throws a Fault for anything else; `name` is what the client called the field.
 */
export function readRecipientVariables(text: string, name = 'recipient-variables'): ByAddress {
  return naming(name, () =>
    // fromEntries defines own properties, so that `__proto__` is a name like any other.
    Object.fromEntries(
      entriesOf(JSON.parse(text)).map(([address, values]) => [address, Object.fromEntries(strings(values))]),
    ),
  )
}

/** A JSON object of values for the whole email, read by the same rules. */
export function readVariables(text: string, name: string): [name: string, value: string][] {
  return naming(name, () => strings(JSON.parse(text)))
}

/** Both together; of one address the later values. */
export function mergedByAddress(earlier: ByAddress | undefined, later: ByAddress): ByAddress {
  return Object.fromEntries([...Object.entries(earlier ?? {}), ...Object.entries(later)])
}

function naming<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    // No JSON, not of that shape, or nested too deep to be written again.
    if (!(cause instanceof SyntaxError || cause instanceof TypeError || cause instanceof RangeError))
      throw cause
    throw new Fault(
      { code: 'request_invalid', detail: `'${clip(name)}' parameter is not a valid JSON` },
      { cause },
    )
  }
}

function strings(values: unknown): [name: string, value: string][] {
  return entriesOf(values).map(([name, value]) => [name, asText(value)])
}

function entriesOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value) && value.length === 0) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('not an object')
  return Object.entries(value)
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
