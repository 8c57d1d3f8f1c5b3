/** JSON texts (RFC 8259) of request bodies, with a description of the first syntax error. */
import { isUtf8 } from 'node:buffer'
import { Fault } from '../fault.ts'
import { JsonFault, JsonLimit, JsonScanner } from './scanner.ts'

/** Parses a small body. Throws a Fault when it is not JSON. */
export function parseJson(octets: Buffer): unknown {
  const start = textStart(readable(octets))
  try {
    return JSON.parse(octets.toString('utf8', start))
  } catch (error) {
    const fault = jsonFault(octets) ?? 'it cannot be parsed'
    throw malformed(`The request body is not valid JSON: ${fault}.`, error)
  }
}

/** Describes the first syntax error or exceeded limit, as the end of a sentence. Null when nothing is wrong. */
export function jsonFault(octets: Buffer): string | null {
  const scanner = new JsonScanner(octets, textStart(octets))
  try {
    scanner.skip()
    scanner.expectEnd()
    return null
  } catch (error) {
    if (error instanceof JsonFault) return error.message
    throw error
  }
}

/**
 * Returns the result of `read` for a body, all of which must be JSON. Throws a Fault for a syntax error or an exceeded
 * limit.
 */
export function scanJson<T>(octets: Buffer, read: (scanner: JsonScanner) => T): T {
  const scanner = new JsonScanner(octets, textStart(readable(octets)))
  try {
    const found = read(scanner)
    scanner.expectEnd()
    return found
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const what = error instanceof JsonLimit ? error.message : `is not valid JSON: ${error.message}`
    throw malformed(`The request body ${what}.`, error)
  }
}

function readable(octets: Buffer): Buffer {
  if (octets.length === 0) throw malformed('The request body is empty; a JSON object is needed.')
  if (!isUtf8(octets)) throw malformed('The request body is not UTF-8, which JSON has to be (RFC 8259 8.1).')
  return octets
}

/** RFC 8259 8.1: a parser may ignore a byte order mark. */
const textStart = (octets: Buffer) => (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf ? 3 : 0)

export function malformed(detail: string, cause?: unknown): Fault {
  return new Fault({ code: 'body_malformed', detail }, cause === undefined ? undefined : { cause })
}
