/** Addresses that a company sends no more mail to, and those that it keeps sending to. */
import { randomUUIDv7 } from 'node:crypto'

/**
 * What an address is on the list for:
 * - `bounce`: its server said that it does not exist, or its domain takes no mail.
 * - `complaint`: whoever reads it called mail of the company spam.
 * - `manual`: somebody put it there.
 * - `unsubscribe`: whoever reads it wants no more of it.
 *
 * An address may be there for several. In this order they stop mail to it: that of the alphabet, as both databases
 * sort them.
 */
export const SUPPRESSION_TYPES = ['bounce', 'complaint', 'manual', 'unsubscribe'] as const
export type SuppressionType = (typeof SUPPRESSION_TYPES)[number]

/** One for each company, address and type. */
export interface Suppression {
  /** UUIDv7 of the time it was put there. */
  id: string
  companyId: string
  /** As it was given; compared without regard to the case of ASCII letters. */
  address: string
  type: SuppressionType
  /** Of an unsubscription: it stops mail with one of these tags only (`marksOf` says which). Null: all mail. */
  tags: string[] | null
  /** A sentence, or what a server said. */
  reason: string
  /** SMTP reply code of a bounce. */
  code: number | null
  /** The email it came from; null: from none. */
  emailId: string | null
  /** The sending domain it came from, or whose key put it there; null: the whole company's. */
  domainId: string | null
  /** Unix ms. */
  createdAt: number
}

/** Why an email is not sent to an address. */
export type Stop = Pick<Suppression, 'type' | 'reason'>

/** Keeps an address, or all of a domain, from being suppressed because of a bounce. Complaints still count. */
export interface AllowEntry {
  companyId: string
  /** An address, or a domain as a lower-case A-label. */
  value: string
  kind: 'address' | 'domain'
  reason: string | null
  /** Unix ms. */
  createdAt: number
}

/**
 * What a tag, as people write it, is in the JSON text of an email's tags, in lower case: `news` is the tag of that
 * name, and that of the form dialect; `list:news` the tag `list` with the value `news`, too. Quotes within names and
 * values are escaped there, so that nothing else looks like it.
 */
export function marksOf(tag: string): string[] {
  const pair = (name: string, value: string) => JSON.stringify({ name, value })
  const marks = [pair('tag', tag), pair(tag, '').slice(0, -2)]
  const colon = tag.indexOf(':')
  if (colon > 0) marks.push(pair(tag.slice(0, colon), tag.slice(colon + 1)))
  return marks.map(lowered)
}

/** Whether an email with these tags, in JSON, has one of the marks. */
export function isMarked(tags: string | null, marks: readonly string[]): boolean {
  if (tags === null) return false
  const text = lowered(tags)
  return marks.some((mark) => text.includes(mark))
}

/** Tags are compared without regard to the case of ASCII letters, as PostgreSQL's lower() does in the collation C. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * What an unsubscription is from when somebody unsubscribes who has done so before. Null: from all mail. Undefined: as
 * it was.
 */
export function joinedTags(
  before: readonly string[] | null,
  more: readonly string[] | null,
): string[] | null | undefined {
  if (before === null) return undefined
  if (more === null) return null
  const known = new Set(before.map(lowered))
  const added = more.filter((tag) => !known.has(lowered(tag)))
  return added.length === 0 ? undefined : [...before, ...added]
}

/** Undefined: the tag is not among them. */
export function withoutTag(tags: readonly string[], tag: string): string[] | undefined {
  const rest = tags.filter((each) => lowered(each) !== lowered(tag))
  return rest.length === tags.length ? undefined : rest
}

/** The id of a suppression that was made at this time, in Unix ms: ids are in the order of these times. */
export function idAt(at: number): string {
  const time = Math.round(at).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`
}
