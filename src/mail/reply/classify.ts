/** The one classification of refusals: of live answers of servers, and of those that reports repeat. */
import type { BounceCategory } from './category.ts'
import {
  categoryOfStatus,
  DEAD_CATEGORIES,
  GONE_DETAILS,
  SENDER_DETAILS,
  UNKNOWN_DETAILS,
} from './enhanced-codes.ts'
import {
  BLOCKED,
  BUSY,
  CONTENT,
  CREDENTIALS,
  CROWDED,
  DEAD,
  ENCRYPTION,
  FLOODED,
  GREYLISTING,
  HOST,
  LISTED,
  MAILBOX,
  RECIPIENT_LIST,
  RELAYING,
  REPUTATION,
  RESTRICTED,
  SENDER,
  SIZE,
  UNPROVEN,
} from './phrases.ts'
import {
  ACCESS_TO_ADDRESS,
  AFTER_MAIL,
  BAD_NAME,
  BROKEN,
  COME_BACK,
  DISABLED,
  DOMAIN_REPUTATION,
  FULL,
  LOOKUP_UNFINISHED,
  MOVED,
  NO_ADDRESS,
  NO_CONNECTION,
  NO_DOMAIN,
  NO_MAIL,
  NO_MAIL_NOW,
  NO_RELAY,
  NO_TLS,
  OUR_ADDRESS,
  OUR_SIDE,
  OWNER,
  POLICY_STATED,
  PROBING,
  RULE,
  SENDER_REFUSED,
  TOO_LONG,
  TOO_MUCH,
  TRIED_TOO_LONG,
  UNAUTHENTICATED,
  UNAVAILABLE,
  UNVERIFIED,
  UNWANTED,
} from './reason-phrases.ts'
import { requestedWait } from './requested-wait.ts'
import { matcherOf, plainWords, type TopicMatch } from './words.ts'

interface NegativeReply {
  /** The code of the SMTP reply; null or absent: none is known. */
  code?: number | null | undefined
  /** The enhanced code, RFC 3463: that of the reply, or the report's. */
  status?: string | null | undefined
  /** The reply of the server, or the sentence of the report about this recipient. May begin with the codes. */
  words: string
  /** The command that the reply answers, if known: after MAIL, words about an address mean the sender's. */
  stage?: string | null | undefined
  /** True: the mail is still being tried, so the address does not count as dead, whatever the words. */
  delayed?: boolean | undefined
}

export interface Classification {
  category: BounceCategory
  /** The address, or its domain, is dead: no mail will ever arrive there. */
  permanent: boolean
}

type Topic = readonly [category: BounceCategory, ...topics: (readonly RegExp[])[]]

/** Words that take precedence over all codes, because they state the reason plainly. The first match counts. */
const PLAIN: readonly Topic[] = [
  ['greylisted', GREYLISTING],
  ['reputation', OUR_ADDRESS],
  ['policy', RECIPIENT_LIST],
  ['rate_limited', FLOODED],
  ['mailbox_full', MAILBOX, FULL],
  ['tls', ENCRYPTION],
  ['authentication', UNPROVEN],
  ['reputation', REPUTATION, DOMAIN_REPUTATION],
  ['content_spam', CONTENT],
  ['content_too_big', SIZE],
  ['policy', RESTRICTED],
  ['relay_denied', RELAYING, NO_RELAY],
  ['rate_limited', BUSY, CROWDED],
  ['reputation', HOST, BLOCKED],
  ['authentication', CREDENTIALS, UNAUTHENTICATED],
  ['policy', SENDER],
  ['content_too_big', TOO_LONG],
  ['tls', NO_TLS],
  ['rate_limited', TOO_MUCH],
  ['policy', POLICY_STATED],
]

/**
 * Words that take precedence over a code and words that call the address unknown. Other words of PLAIN may stand in a
 * sentence that follows, such as a link to the statistics of a block list.
 */
const BEFORE_UNKNOWN: readonly (readonly RegExp[])[] = [
  GREYLISTING,
  OUR_ADDRESS,
  RECIPIENT_LIST,
  MAILBOX,
  FULL,
  RELAYING,
  LISTED,
  REPUTATION,
  PROBING,
  SENDER,
  AFTER_MAIL,
]

/** Words about the recipient. In a reply to MAIL they would be about the sender, and do not count. */
const ADDRESS: readonly Topic[] = [
  ['no_mail_accepted', NO_MAIL],
  ['domain_unknown', NO_DOMAIN],
  ['address_unknown', DEAD],
  ['mailbox_disabled', DISABLED],
  ['address_unknown', NO_ADDRESS],
]

/** Words about us. They count unless words of DEAD say that the address does not exist. */
const ABOUT_US: readonly (readonly RegExp[])[] = [OUR_SIDE, BAD_NAME]

/** Words that count only if no code is more specific. */
const VAGUE: readonly Topic[] = [
  ['reputation', BAD_NAME],
  ['content_spam', UNWANTED],
  ['network', NO_CONNECTION],
  ['expired', TRIED_TOO_LONG],
  ['other', BROKEN],
  ['policy', RULE],
]

/** Why a server has not found out yet whether an address exists. */
const UNFINISHED: readonly Topic[] = VAGUE.filter(([category]) =>
  ['network', 'expired', 'other'].includes(category),
)

/** The category of a code when neither the words nor an enhanced code give one (RFC 5321 4.2.3, RFC 7504). */
const CODES: Readonly<Record<number, BounceCategory>> = {
  421: 'network',
  521: 'no_mail_accepted',
  530: 'authentication',
  535: 'authentication',
  550: 'address_unknown',
  551: 'address_unknown',
  552: 'mailbox_full',
  553: 'address_unknown',
  554: 'policy',
  556: 'no_mail_accepted',
}

/** The category, and whether the words or codes prove that the address or its domain is dead. */
type Cause = readonly [category: BounceCategory, dead: boolean]

/** Pure and linear: reads the first 1,000 characters of the words. */
export function classifyReply(reply: NegativeReply): Classification {
  const [category, dead] = explain(reply)
  return { category, permanent: dead && !reply.delayed }
}

/**
 * Recent causes, by codes and plain words. A server gives the same few reasons to everybody, and searching one for all
 * phrases takes as long as reading the rest of a report.
 */
const CAUSES = new Map<string, Cause>()
/** Replies have 1,000 characters at most, so these take less than a megabyte. */
const MAX_CAUSES = 250

function explain(reply: NegativeReply): Cause {
  const { code = null, status = null, stage = null } = reply
  const words = plainWords(reply.words)
  const key = `${code} ${status} ${stage} ${words}`
  let cause = CAUSES.get(key)
  if (cause === undefined) {
    cause = causeOf(reply, words)
    if (CAUSES.size >= MAX_CAUSES) CAUSES.clear()
    CAUSES.set(key, cause)
  }
  return cause
}

function causeOf({ code, status, stage }: NegativeReply, words: string): Cause {
  const matches = matcherOf(words)
  const detail = status?.slice(2) ?? ''
  if (UNKNOWN_DETAILS.has(detail) && stage !== 'mail' && callsUnknown(words, matches))
    return ['address_unknown', true]
  const plain = firstOf(PLAIN, matches)
  if (plain !== null) return [plain, false]
  if (code && code < 500 && requestedWait(words) !== null && !givesReason(matches))
    return ['rate_limited', false]
  const sender = SENDER_DETAILS.has(detail) || stage === 'mail' || matches(AFTER_MAIL)
  if (sender || matches(SENDER_REFUSED))
    return [firstOf(VAGUE, matches) ?? (code === 421 ? 'network' : 'policy'), false]
  if (matches(LOOKUP_UNFINISHED)) return ['network', false]
  const final = isFinal(code, status)
  const address = firstOf(ADDRESS, matches)
  const facts = { code, detail, stage, final }
  const isMoved = address === null && matches(MOVED)
  if (address !== null || isMoved) {
    // "No DNS entries for the host" are words about the recipient's domain.
    if (address !== 'domain_unknown' && !matches(DEAD) && ABOUT_US.some(matches)) return ['reputation', false]
    const category = address ?? 'address_unknown'
    // "Service no longer available", "our servers have moved".
    const isOther = isMoved && !GONE_DETAILS.has(detail) && !matches(OWNER)
    return [category, !isOther && provesDead(category, facts)]
  }
  if (matches(NO_MAIL_NOW)) return ['no_mail_accepted', false]
  if (matches(UNVERIFIED)) return ['network', false]
  if (matches(UNAVAILABLE)) {
    const isDoubtful = detail.startsWith('7.') || matches(OUR_SIDE) || firstOf(VAGUE, matches) !== null
    return ['address_unknown', final && !isDoubtful]
  }
  if (matches(ACCESS_TO_ADDRESS)) return ['address_unknown', false]
  if (status?.startsWith('4.7.') && code !== 421 && matches(COME_BACK)) return ['greylisted', false]
  const coded = status ? categoryOfStatus(status) : null
  // Servers use the codes of these two categories for anything, so vague words take precedence.
  const dead = coded !== null && DEAD_CATEGORIES.has(coded)
  if (coded !== null && coded !== 'policy' && coded !== 'network' && (!dead || final))
    return [coded, dead && status!.startsWith('5') && provesDead(coded, facts)]
  // A temporary code of an address speaks of a lookup that has not ended, and its words say why.
  const vague = firstOf(dead ? UNFINISHED : VAGUE, matches) ?? coded
  if (vague !== null) return [vague, false]
  const bare = CODES[code ?? 0] ?? 'other'
  // After RCPT the same codes are about the message.
  if (bare === 'address_unknown' && (stage === 'data' || stage === 'dot')) return ['policy', false]
  // Before MAIL they are about us.
  if (bare === 'address_unknown' && stage === 'greeting') return ['reputation', false]
  // RFC 7504: 556 is about the domain; servers use 521 to hang up on a client as well.
  return [bare, code === 556]
}

/**
 * Whether the words give a reason for the requested wait: a fault of the address or of the server. Without a reason the
 * server asks for less mail: one that greylists mostly says so, and less mail does not harm it.
 */
function givesReason(matches: TopicMatch): boolean {
  return (
    [LOOKUP_UNFINISHED, UNVERIFIED].some(matches) || firstOf([...ADDRESS, ...UNFINISHED], matches) !== null
  )
}

interface ReplyFacts extends Pick<NegativeReply, 'code' | 'stage'> {
  /** The enhanced code without its class. */
  detail: string
  final: boolean
}

/** Whether words or a code of this category prove that the address is dead. */
function provesDead(category: BounceCategory, { code, stage, detail, final }: ReplyFacts): boolean {
  // RFC 5321 4.2.3: 500 to 504 are about the command, unless a code says otherwise.
  if (code && code >= 500 && code <= 504 && !detail.startsWith('1.')) return false
  // RFC 3463 3.4: the server takes no mail for now, which its operator can change.
  if (detail === '3.2') return false
  if (category === 'mailbox_disabled') return final && GONE_DETAILS.has(detail)
  // The server was found, so words about an unknown host or domain may mean those of the client or of the sender.
  if (category === 'domain_unknown' && stage === 'rcpt') return detail === '1.2'
  return true
}

function firstOf(topics: readonly Topic[], matches: TopicMatch): BounceCategory | null {
  return topics.find(([, ...lists]) => lists.some(matches))?.[0] ?? null
}

/** Whether the words are about a recipient that does not exist, and about nothing that counts more. */
function callsUnknown(words: string, matches: TopicMatch): boolean {
  if (!matches(DEAD) || BEFORE_UNKNOWN.some(matches)) return false
  // "Sender verification: no such user" is about the sender, "No such user; sender not in contacts" is not.
  return !matcherOf(words.slice(0, firstPlace(DEAD, words)))(NAMES_SENDER)
}

function firstPlace(topic: readonly RegExp[], words: string): number {
  return Math.min(...topic.map((pattern) => words.search(pattern)).filter((place) => place !== -1))
}

/** Whether the server has refused for good: by the code of its reply, or by the enhanced code where there is none. */
function isFinal(code: number | null | undefined, status: string | null | undefined): boolean {
  return code ? code >= 500 : !status?.startsWith('4')
}

const NAMES_SENDER: readonly RegExp[] = [
  /\b(?:sender|originat(?:or|ing)|return[- ](?:path|address)|mail from)\b/,
]
