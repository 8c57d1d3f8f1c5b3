/** Values as they come from PostgreSQL, and as they are sent there, apart from the arrays of `arrays.ts`. */
import { concerns } from '../suppression-rows.ts'

/** OIDs of the built-in types whose values we read. */
const BOOL = 16
const BYTEA = 17
const INT8 = 20
const INT2 = 21
const INT4 = 23
const FLOAT8 = 701

type Parse = (value: string) => unknown

/**
 * How `pg` parses columns (it reads them as text). Numbers of these types become numbers (no whole one exceeds 2^53),
 * octets become a Uint8Array of their own, any other type stays text.
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
  [FLOAT8]: Number,
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

/** Text that PostgreSQL accepts: it cannot store NUL, which a server's reply may contain. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

/** A new UUIDv7 (RFC 9562 5.7) for a time in Unix ms, as an expression. */
export function uuidAt(time: string): string {
  const random = `overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(${time}) FROM 3) FROM 1 FOR 6)`
  return `encode(set_bit(set_bit(${random}, 52, 1), 53, 1), 'hex')::uuid`
}

/**
 * The suppression that stops mail to an address (folded), if any: the first in the order of types. `domainId` and
 * `tags`: expressions for the sending domain and the text of the tags of the email, each evaluated only for
 * suppressions that depend on it.
 */
export function stopOf(company: string, address: string, domainId: string, tags: string): string {
  return `SELECT s.type, s.reason FROM suppressions s
    WHERE s.company = ${company} AND s.folded = ${address} AND ${concerns(domainId)} AND (s.marks IS NULL OR EXISTS (
      SELECT 1 FROM json_array_elements_text(s.marks::json) AS m (mark) WHERE strpos(lower(${tags} COLLATE "C"), m.mark) > 0
    ))
    ORDER BY s.type LIMIT 1`
}

/**
 * Whether the recipient is on the allow list, so that its bounces do not suppress it. `row` has `company`, the folded
 * address (`folded`), and `domain`.
 */
export function allowedIn(row: string): string {
  return `EXISTS (SELECT 1 FROM allowed l WHERE l.company = ${row}.company AND l.folded IN (${row}.folded, ${row}.domain))`
}
