/** Values as they come from PostgreSQL, and as they go there beside the arrays of `arrays.ts`. */

/** OIDs of the built-in types whose values we read. */
const BOOL = 16
const BYTEA = 17
const INT8 = 20
const INT2 = 21
const INT4 = 23

type Parse = (value: string) => unknown

/**
 * How `pg` reads columns (it reads them as text). Whole numbers come as numbers (none here exceeds 2^53), octets as a
 * Uint8Array of their own, all else as text.
 */
export const types = {
  getTypeParser(oid: number): Parse {
    return PARSERS[oid] ?? asIs
  },
}

const PARSERS: Record<number, Parse> = {
  [BOOL]: (value) => value === 't',
  [BYTEA]: octetsOf,
  [INT8]: Number,
  [INT4]: Number,
  [INT2]: Number,
}

/** `\\x` and hexadecimal digits. */
function octetsOf(value: string): Uint8Array {
  const octets = new Uint8Array((value.length - 2) / 2)
  Buffer.from(octets.buffer).write(value.slice(2), 'hex')
  return octets
}

function asIs(value: string): string {
  return value
}

/** Ids of emails are lower-case UUIDs; what is not is the id of none, and PostgreSQL would reject the question. */
export function isEmailId(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)
}

/** Text that PostgreSQL takes: it has no place for NUL, which a server's reply may contain. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

/** An address as it is compared: ASCII letters in lower case, all else as it is. */
export function folded(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The same of an expression in a statement. */
export function foldedIn(expression: string): string {
  return `translate(${expression}, '${CAPITALS}', '${CAPITALS.toLowerCase()}')`
}
