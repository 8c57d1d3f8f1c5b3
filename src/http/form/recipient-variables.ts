import { Fault } from '../fault.ts'

/**
 * `recipient-variables`: a JSON object of objects, keyed by plain address. Values are made strings. An empty array counts as the
 * empty object that PHP writes that way. Throws a Fault for anything else.
 */
export function readRecipientVariables(text: string): Record<string, Record<string, string>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(error)
  }
  const byAddress: [string, Record<string, string>][] = []
  for (const [address, values] of entriesOf(value)) {
    byAddress.push([
      address,
      Object.fromEntries(entriesOf(values).map(([name, content]) => [name, asText(content)])),
    ])
  }
  // fromEntries defines own properties, so that `__proto__` is a name like any other.
  return Object.fromEntries(byAddress)
}

function entriesOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value) && value.length === 0) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid()
  return Object.entries(value)
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Nested too deep to be written again.
    throw invalid(error)
  }
}

function invalid(cause?: unknown): Fault {
  return new Fault(
    { code: 'request_invalid', detail: "'recipient-variables' parameter is not a valid JSON" },
    { cause },
  )
}
