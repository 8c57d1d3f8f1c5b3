/** Addresses to which a company sends no more mail, and addresses that bounces do not suppress. */

import { randomUUIDv7 } from 'node:crypto'
import { foldedAscii } from './folded-ascii.ts'

/**
 * Why an address is on the list:
 * - `bounce`: its server said that it does not exist, or its domain takes no mail.
 * - `complaint`: its reader called mail of the company spam.
 * - `manual`: a person or a program added it.
 * - `unsubscribe`: the recipient has unsubscribed.
 *
 * An address may be on the list with several types. They stop mail to it in this order, which is alphabetical, as both
 * databases sort them.
 */
export const SUPPRESSION_TYPES = ['bounce', 'complaint', 'manual', 'unsubscribe'] as const
export type SuppressionType = (typeof SUPPRESSION_TYPES)[number]

interface SuppressionRules {
  /**
   * `company`: the type says something about the address itself, so it stops mail from every domain of the company,
   * whichever domain it came from. `list`: it stops mail from the domain on whose list it is.
   */
  scope: 'company' | 'list'
  /** No address on the allow list gets such a suppression from an answer or a report. */
  allowListApplies: boolean
  /** Such a suppression may be of mail with certain tags alone. */
  mayHaveTags: boolean
}

const RULES: Readonly<Record<SuppressionType, SuppressionRules>> = {
  bounce: { scope: 'company', allowListApplies: true, mayHaveTags: false },
  complaint: { scope: 'company', allowListApplies: false, mayHaveTags: false },
  manual: { scope: 'list', allowListApplies: false, mayHaveTags: false },
  unsubscribe: { scope: 'list', allowListApplies: false, mayHaveTags: true },
}

const typesWith = (has: (rules: SuppressionRules) => boolean) =>
  SUPPRESSION_TYPES.filter((type) => has(RULES[type]))

export const COMPANY_WIDE_TYPES = typesWith(({ scope }) => scope === 'company')
export const ALLOW_LIST_TYPES = typesWith(({ allowListApplies }) => allowListApplies)
export const TAGGED_TYPES = typesWith(({ mayHaveTags }) => mayHaveTags)

/** At most one for each company, address, type and sending domain. */
export interface Suppression {
  /** UUIDv7 of the time at which it was added. */
  id: string
  companyId: string
  /** As the caller wrote it. Addresses are compared without regard to ASCII case. */
  address: string
  type: SuppressionType
  /** For an unsubscription: only mail with one of these tags is stopped (see `marksOf`). Null: all mail. */
  tags: string[] | null
  /** A sentence, or a server's reply. */
  reason: string
  /** SMTP reply code of a bounce. */
  code: number | null
  /** The email that led to it; null: none. */
  emailId: string | null
  /**
   * The sending domain on whose list it is: the one that it came from, or whose key added it. Null: it is on the list
   * of the company.
   */
  domainId: string | null
  /** Unix ms. */
  createdAt: number
}

/** The id of the only domain whose mail the suppression stops; null: it stops mail from all domains of the company. */
export function scopeOf({ type, domainId }: Pick<Suppression, 'type' | 'domainId'>): string | null {
  return COMPANY_WIDE_TYPES.includes(type) ? null : domainId
}

/** The reason why an email is not sent to an address. */
export type Stop = Pick<Suppression, 'type' | 'reason'>

/** Keeps bounces from suppressing an address or a domain. Complaints still count. */
export interface AllowEntry {
  companyId: string
  /**
   * The sending domain on whose list it is; null: that of the company. In either case the entry holds for the whole
   * company.
   */
  domainId: string | null
  /** An address, or a domain as a lower-case A-label. */
  value: string
  kind: 'address' | 'domain'
  reason: string | null
  /** Unix ms. */
  createdAt: number
}

/**
 * The texts by which a tag, as people write it, is found in the lower-case JSON of an email's tags: `news` is the tag
 * of that name, and the tag `news` of the form dialect; `list:news` is also the tag `list` with the value `news`. JSON
 * escapes quotes within names and values, so nothing else matches.
 */
export function marksOf(tag: string): string[] {
  const pair = (name: string, value: string) => JSON.stringify({ name, value })
  const marks = [pair('tag', tag), pair(tag, '').slice(0, -2)]
  const colon = tag.indexOf(':')
  if (colon > 0) marks.push(pair(tag.slice(0, colon), tag.slice(colon + 1)))
  return marks.map(foldedAscii)
}

/** True when an email with these tags, in JSON, has one of the marks. */
export function isMarked(tags: string | null, marks: readonly string[]): boolean {
  if (tags === null) return false
  const text = foldedAscii(tags)
  return marks.some((mark) => text.includes(mark))
}

/** The tags of an existing unsubscription after a further one. Null: all mail. Undefined: unchanged. */
export function joinedTags(
  before: readonly string[] | null,
  more: readonly string[] | null,
): string[] | null | undefined {
  if (before === null) return undefined
  if (more === null) return null
  const known = new Set(before.map(foldedAscii))
  const added = more.filter((tag) => !known.has(foldedAscii(tag)))
  return added.length === 0 ? undefined : [...before, ...added]
}

/** The tags without this one. Undefined: the tag is not among them. */
export function withoutTag(tags: readonly string[], tag: string): string[] | undefined {
  const rest = tags.filter((each) => foldedAscii(each) !== foldedAscii(tag))
  return rest.length === tags.length ? undefined : rest
}

/** An id for a suppression made at this time, in Unix ms: ids sort by these times. */
export function idAt(at: number): string {
  const time = Math.round(at).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`
}
