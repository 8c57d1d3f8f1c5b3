/** The one classification of refusals: of live answers of servers, and of those that reports repeat. */
import type { BounceCategory } from './category.ts'
import { DEAD, GREYLISTING, MAILBOX } from './phrases.ts'
import { plainWords, speaks } from './words.ts'

export interface Refusal {
  /** The code of the SMTP reply; null or absent: none is known. */
  code?: number | null | undefined
  /** The enhanced code, RFC 3463. */
  status?: string | null | undefined
  /** All that the server said, or that the report says about this recipient. May begin with the codes. */
  words: string
  /** The mail is still being tried: whatever was said, the address is not yet dead. */
  delayed?: boolean | undefined
}

export interface Classification {
  category: BounceCategory
  /** The address, or its domain, is dead: no mail will ever arrive there. */
  permanent: boolean
}

/** Pure and linear: reads the first 1,000 characters of the words. */
export function classifyReply({ code, status, words, delayed }: Refusal): Classification {
  const category = categoryOf(code ?? null, status ?? null, words)
  return { category, permanent: !delayed && DEAD_CATEGORIES.has(category) }
}

const DEAD_CATEGORIES: ReadonlySet<BounceCategory> = new Set([
  'address_unknown',
  'domain_unknown',
  'no_mail_accepted',
])

function categoryOf(_code: number | null, status: string | null, words: string): BounceCategory {
  const matches = speaks(plainWords(words))
  if (matches(GREYLISTING)) return 'greylisted'
  if (matches(MAILBOX)) return 'mailbox_full'
  if (matches(DEAD) || status?.slice(2) === '1.1') return 'address_unknown'
  return 'other'
}
