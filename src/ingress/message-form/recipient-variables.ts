/** JSON in form fields: the values of recipients, and those of the whole email. */
import { clip } from '../../common/clip.ts'
import { Fault } from '../fault.ts'
import { JsonFault, JsonLimit, JsonScanner } from '../json-text/scanner.ts'

export type ByAddress = Record<string, Record<string, string>>

/**
 * `recipient-variables`, possibly in several fields: a JSON object of objects, keyed by plain address. Values are
 * converted to strings; for a repeated address the last values count. An empty array counts as an empty object, because
 * PHP encodes one that way. Throws a Fault for anything else.
 */
export class RecipientVariables {
  readonly #entries: [address: string, values: Record<string, string>][] = []
  #given = false

  /** `name`: the client's name of the field. */
  add(text: string, name = 'recipient-variables'): void {
    this.#given = true
    readJson(text, name, (scanner) => {
      for (const address of namesIn(scanner))
        this.#entries.push([address, Object.fromEntries(strings(scanner))])
    })
  }

  /** Undefined when nothing was added. */
  get byAddress(): ByAddress | undefined {
    // fromEntries defines own properties, so that `__proto__` is a name like any other.
    return this.#given ? Object.fromEntries(this.#entries) : undefined
  }
}

/** A JSON object of values for the whole email, read by the same rules. */
export function readVariables(text: string, name: string): [name: string, value: string][] {
  return readJson(text, name, strings)
}

function readJson<T>(text: string, name: string, read: (scanner: JsonScanner) => T): T {
  const scanner = new JsonScanner(Buffer.from(text))
  try {
    const value = read(scanner)
    scanner.expectEnd()
    return value
  } catch (cause) {
    if (!(cause instanceof JsonFault)) throw cause
    const what = cause instanceof JsonLimit ? cause.message : 'is not a valid JSON'
    const detail = `'${clip(name)}' parameter ${what}`
    throw new Fault({ code: 'request_invalid', detail }, { cause })
  }
}

function strings(scanner: JsonScanner): [name: string, value: string][] {
  const entries: [string, string][] = []
  for (const name of namesIn(scanner)) entries.push([name, asText(scanner.value())])
  return entries
}

/** Each name of the next object, with the scanner at its value. */
function* namesIn(scanner: JsonScanner): Generator<string> {
  const kind = scanner.kind()
  if (kind === 'array') {
    scanner.enter()
    if (!scanner.item()) return
  }
  if (kind !== 'object') throw new JsonFault('an object is required')
  scanner.enter()
  for (let name = scanner.name(); name !== null; name = scanner.name()) yield name
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
