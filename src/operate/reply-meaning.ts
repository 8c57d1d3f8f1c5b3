/**
 * The meaning of a server's reply in a plain sentence: that of its category, or a finer one where the codes agree with
 * the category. Pure: the page of the console uses it, too.
 */
import { CATEGORY_WORDS } from '../email/category-word.ts'
import { troubleIn } from '../email/not-attempted.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import { replyText } from './reply-text.ts'

/** A sentence, and the category for which it is true: servers use the same codes for different reasons. */
type CodeMeaning = readonly [category: BounceCategory, meaning: string]

/** Yahoo's own code. */
const COMPLAINTS = /\[TSS\d+\]/
const COMPLAINED: CodeMeaning = [
  'rate_limited',
  'The server gets more mail from this address than it expects, or its users complain about it. It accepts mail again after a pause.',
]

/** Postroad's own words for a look-up that failed. */
const LOOK_UP_FAILED = /^DNS: the (\w+) lookup of /
const UNANSWERED = 'did not answer, or answered with an error.'
const MX_UNKNOWN: CodeMeaning = ['network', `The name servers of the recipient domain ${UNANSWERED}`]
const HOST_UNKNOWN: CodeMeaning = ['network', `The name servers of the domain's mail server ${UNANSWERED}`]

/** RFC 3463, RFC 7372 and RFC 7505: the subject and detail of an enhanced code, whatever its class. */
const DETAILS: Readonly<Record<string, CodeMeaning>> = {
  '1.3': ['address_unknown', 'The server does not accept the syntax of the address.'],
  '1.6': ['address_unknown', 'The recipient has moved, and left no new address.'],
  '1.8': ['policy', 'The server cannot find the domain of the sender in DNS.'],
  '2.3': ['content_too_big', 'The message is larger than the mailbox accepts.'],
  '3.1': ['other', 'The server has no room for more mail.'],
  '3.2': ['other', 'The server takes no mail at the moment.'],
  '4.1': ['network', 'The server did not answer.'],
  '4.2': ['network', 'The connection was lost.'],
  '5.3': ['rate_limited', 'The message has more recipients than the server takes at once.'],
  '7.20': ['authentication', 'The message has no valid DKIM signature.'],
  '7.23': ['authentication', 'The SPF record of the sending domain does not name this server.'],
  '7.25': ['reputation', 'The address of this server has no matching host name in DNS (reverse DNS).'],
  '7.26': ['authentication', 'The message passed neither SPF nor DKIM as the server requires.'],
  '7.27': ['policy', 'The domain of the sender takes no mail, so the server takes none from it.'],
}

const ENHANCED = /\b[45]\.(\d{1,3}\.\d{1,3})\b/

export interface RefusalFacts {
  /** Null: no server has refused the mail. */
  category: BounceCategory | null
  code: number | null
  enhancedCode?: string | null
  message: string | null
}

/** Null: nothing is known of the reason. */
export function replyMeaning({ category, ...reply }: RefusalFacts): string | null {
  if (category === null) return null
  const text = troubleIn(replyText(reply))
  const finer = finerMeaning(text)
  if (finer?.[0] === category) return finer[1]
  return category === 'other' ? null : CATEGORY_WORDS[category].about
}

function finerMeaning(text: string): CodeMeaning | undefined {
  const [, looked] = LOOK_UP_FAILED.exec(text) ?? []
  if (looked !== undefined) return looked === 'MX' ? MX_UNKNOWN : HOST_UNKNOWN
  return COMPLAINTS.test(text) ? COMPLAINED : DETAILS[ENHANCED.exec(text)?.[1] ?? '']
}
