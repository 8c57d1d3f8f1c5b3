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

/** A new UUIDv7 (RFC 9562 5.7) of a time in Unix ms, in a statement. */
export function uuidAt(time: string): string {
  const random = `overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(${time}) FROM 3) FROM 1 FOR 6)`
  return `encode(set_bit(set_bit(${random}, 52, 1), 53, 1), 'hex')::uuid`
}

/**
 * What stops mail to an address (as it is compared), if anything does: the first in the order of types. `tags`: gives
 * the text of the email's tags, and is asked only for what depends on them.
 */
export function stopOf(company: string, address: string, tags: string): string {
  return `SELECT s.type, s.reason FROM suppressions s
    WHERE s.company = ${company} AND s.folded = ${address} AND (s.marks IS NULL OR EXISTS (
      SELECT 1 FROM json_array_elements_text(s.marks::json) AS m (mark) WHERE strpos(lower(${tags} COLLATE "C"), m.mark) > 0
    ))
    ORDER BY s.type LIMIT 1`
}

/**
 * Whether bounces of a recipient do not put it on the list. `row`: has its `company`, its address as it is compared
 * (`folded`), and its `domain`.
 */
export function allowedIn(row: string): string {
  return `EXISTS (SELECT 1 FROM allowed l WHERE l.company = ${row}.company AND l.folded IN (${row}.folded, ${row}.domain))`
}
