/** The category of a failure of which only its words are kept, such as the last reply to waiting mail. */
import { isLeftAlone, troubleIn } from '../email/not-attempted.ts'
import type { BounceCategory } from '../mail/reply/category.ts'
import { classifyReply } from '../mail/reply/classify.ts'
import { replyIn } from './reply-text.ts'

/** RFC 5321 4.2 and RFC 2034 4. */
const CODES = /^(\d{3})[ -](?:([45]\.\d{1,3}\.\d{1,3}) )?/

/**
 * Postroad's own words for mail to which no server has replied: of the SMTP client, of look-ups, and of closed paths to
 * companies whose mail has not met the trouble.
 */
const OWN_WORDS: readonly (readonly [BounceCategory, RegExp])[] = [
  ['tls', / failed the TLS handshake: | offers no STARTTLS, but TLS is required/],
  [
    'authentication',
    / offers no TLS, so it is not given the credentials| does not offer the authentication we need: | refuses the credentials of this service/,
  ],
  [
    'network',
    /^(?!The proxy ).* (?:refused the connection|accepted no connection in time|cannot be reached|could not be reached a moment ago)/,
  ],
  [
    'network',
    /^(?!The proxy ).* (?:took too long over|(?:closed|broke) the connection|gave no answer within|does not answer)/,
  ],
  ['network', / is out of reach of the source address/],
  ['network', /^DNS: the \w+ lookup of /],
  ['rate_limited', / takes no more mail for now/],
  ['reputation', / refuses mail from this service/],
  ['policy', / refuses the sender/],
]

/** Null: the words give no reason. */
export function categoryOf(lastMessage: string | null): BounceCategory | null {
  if (lastMessage === null || isLeftAlone(lastMessage)) return null
  const trouble = troubleIn(lastMessage)
  const words = replyIn(trouble)
  if (words === null) return OWN_WORDS.find(([, own]) => own.test(trouble))?.[0] ?? null
  const [, code, status] = CODES.exec(words) ?? []
  return classifyReply({ code: Number(code), status, words }).category
}
