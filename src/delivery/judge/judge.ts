import { classifyReply } from '../../mail/reply/classify.ts'
import { categoryOfStatus, isDeadAddress, LOGIN_DETAILS } from '../../mail/reply/enhanced-codes.ts'
import {
  ACCOUNT,
  BLOCKED,
  BUSY,
  CONTENT,
  CREDENTIALS,
  CROWDED,
  DEAD,
  ENCRYPTION,
  GREYLISTING,
  HOST,
  MAILBOX,
  RELAYING,
  REPUTATION,
  RESTRICTED,
  SENDER,
  SENDER_AT_RELAY,
  SIZE,
} from '../../mail/reply/phrases.ts'
import { DOMAIN_REPUTATION } from '../../mail/reply/reason-phrases.ts'
import { matcherOf, namesIpAddress, ownWords, plainWords, type TopicMatch } from '../../mail/reply/words.ts'
import type { ReplyRule } from '../sites/site-block.ts'
import type { SmtpErrorKind, Stage } from '../smtp/error.ts'
import type { Finding } from './finding.ts'
import { meaningAtSite } from './site-replies.ts'

/** A reply that refuses, or no reply at all. Never a success. */
export interface NegativeAnswer {
  stage: Stage
  /** The reason why the session ended, when that was more than a reply. */
  kind?: SmtpErrorKind | undefined
  /** 4yz or 5yz; absent when there was no reply. */
  code?: number | undefined
  /** RFC 3463. */
  enhancedCode?: string | undefined
  /** The server's own words. */
  words: string
}

/** The kind of route the answer came by. A relay knows most recipients only from other servers' replies. */
export type RouteKind = 'direct' | 'relay'

/**
 * Finds the party at fault: by the site's own words (`rules`), then by stage, code, enhanced code and words, in this
 * order of trust where they contradict each other. Pure.
 */
export function judge(answer: NegativeAnswer, route: RouteKind, rules: readonly ReplyRule[] = []): Finding {
  const words = plainWords(answer.words)
  const { stage, code } = answer
  if (code === undefined) return withoutReply(answer, route)
  const own = ownWords(words)
  const known = rules.length === 0 ? null : meaningAtSite(rules, code, own)
  if (known !== null) return known
  const replyWords = { text: own, quotes: own !== words, own: matcherOf(own), all: matcherOf(words) }
  switch (stage) {
    case 'auth':
      // RFC 4954 4: 454 is the server's fault; every permanent code is about the credentials.
      return code >= 500 ? 'credentials' : asksForLess(answer, code, replyWords) ? 'busy' : 'server'
    case 'connect':
    case 'greeting':
    case 'ehlo':
    case 'starttls':
    case 'idle':
      return beforeMail(answer, code, replyWords)
    default:
      return ofTransaction(answer, code, replyWords, route)
  }
}

/**
 * `quotes`: the server quotes another one. `text`, `own`: without the words that the server quotes from another one.
 * Quoted words may be about the recipient, never about us.
 */
interface ReplyWords {
  text: string
  quotes: boolean
  own: TopicMatch
  all: TopicMatch
}

function withoutReply({ stage, kind }: NegativeAnswer, route: RouteKind): Finding {
  // The connection was closed before a greeting: tcpserver, inetd and firewalls refuse too many connections this way.
  if (stage === 'greeting' && kind === 'closed') return 'busy'
  if (kind === 'auth') return 'credentials'
  if (kind === 'proxy') return 'source'
  // The operator has said what TLS a relay must offer; a domain has said what its own servers must offer.
  if (kind === 'tls') return route === 'relay' ? 'path' : 'server'
  return 'server'
}

/** RFC 5321 3.1, 4.2.2: before MAIL a reply is about the server or about us, never about the mail. */
function beforeMail(answer: NegativeAnswer, code: number, said: ReplyWords): Finding {
  if (asksForLess(answer, code, said)) return 'busy'
  if (code >= 500) return wantsCredentials(code, answer.enhancedCode) ? 'credentials' : 'path'
  return said.own(BLOCKED) || said.own(HOST) ? 'path' : 'server'
}

/**
 * Whether we send more than the server wants. Words that prove too little to refuse mail for good suffice beside a
 * temporary code: fewer sessions, and a retry that uses up no attempt, cost nothing if the server means something else.
 * Only words count: servers use the codes of congestion (RFC 3463 3.5, 4.4.5) for a full disk as well.
 */
function asksForLess({ stage }: NegativeAnswer, code: number, { text, own }: ReplyWords): boolean {
  if (own(BUSY)) return true
  if (code >= 500 || own(CROWDED)) return false
  return classifyReply({ code, words: text, stage }).category === 'rate_limited'
}

function ofTransaction(answer: NegativeAnswer, code: number, said: ReplyWords, route: RouteKind): Finding {
  if (code < 500 && said.all(GREYLISTING)) return 'patience'
  if (isDead(answer, code, said.all, route)) return 'dead-address'
  const ours = ofUs(answer, code, said, route)
  if (ours !== null) return ours
  if (said.all(MAILBOX)) return code < 500 ? 'mailbox' : answer.stage === 'rcpt' ? 'recipient' : 'message'
  const { stage, enhancedCode } = answer
  if (!isAboutMail(answer, code, said.own) && asksForLess(answer, code, said)) return 'busy'
  return code < 500 ? forNow(stage, code, enhancedCode, said.all) : forGood(answer, code, said.all, route)
}

/**
 * RFC 3463 3.3, 3.4, 3.5.3, 3.5.6, 3.7: the mailbox, the size, a loop, the recipients of a transaction, the format. A
 * limit of these is "exceeded" as well, and fewer sessions would change nothing.
 */
const OF_MAIL = /^(?:3\.4|4\.6|5\.3|6\.\d+)$/

function isAboutMail({ stage, enhancedCode }: NegativeAnswer, code: number, matches: TopicMatch): boolean {
  const detail = enhancedCode?.slice(2) ?? ''
  // Behind the dot 5.2.2 is also Exchange Online's code for the quota of the sender.
  if (OF_MAIL.test(detail) || (stage === 'rcpt' && detail.startsWith('2.'))) return true
  return code >= 500 && matches(SIZE)
}

/** Exchange's codes for who may write to a recipient (a group that takes no mail from outside). */
const RESTRICTION = /^7\.1[23]\d$/
/** Gmail's codes for a session without TLS, and for too much of anything. */
const NO_TLS = '7.29'
const TOO_MUCH = '7.28'

/** Null when the reply is not about us. */
function ofUs(answer: NegativeAnswer, code: number, said: ReplyWords, route: RouteKind): Finding | null {
  const { stage, enhancedCode } = answer
  const { own: matches } = said
  const detail = enhancedCode?.slice(2) ?? ''
  if (RESTRICTION.test(detail) || matches(RESTRICTED)) return null
  // After MAIL the recipient's server may be speaking through a relay: then it closes only the sender's path.
  if (wantsCredentials(code, enhancedCode)) return stage === 'mail' ? 'credentials' : 'path'
  const reason = enhancedCode === undefined ? null : categoryOfStatus(enhancedCode)
  if (reason === 'reputation') return 'path'
  const ofDomain = reason === 'authentication' && !LOGIN_DETAILS.has(detail)
  if (ofDomain || detail === NO_TLS || detail === TOO_MUCH) return ofAuthentication(code, detail, matches)
  // RFC 3463 3.8: by policy, such as Exchange Online's limits of one address.
  if (code < 500 && reason === 'rate_limited' && detail.startsWith('7.')) return 'busy'
  // RFC 3463 3.2: the sender's domain.
  if (detail === '1.8') return 'sender'
  if (matches(REPUTATION)) return 'path'
  if (matches(CONTENT)) return null
  if (matches(SENDER) || (route === 'relay' && matches(SENDER_AT_RELAY))) return 'sender'
  // At RCPT these words are about the recipient's account.
  if (stage !== 'rcpt' && matches(ACCOUNT)) return 'sender'
  if (matches(CREDENTIALS)) return stage === 'mail' ? 'credentials' : 'path'
  if (matches(RELAYING) || matches(HOST) || matches(ENCRYPTION)) return 'path'
  // "Mailbox does not exist, listed in our spamtrap list".
  const namesNobody = stage === 'rcpt' && isDeadAddress(enhancedCode ?? '') && matches(DEAD)
  if (matches(BLOCKED) && !namesNobody) return 'path'
  return refusesAddress(answer, code, said) ? 'path' : null
}

/**
 * Whether a refusal for good is one of our address, in words that alone prove too little: to MAIL, which names no
 * recipient, or with an address in it. Not at the dot: there the server may repeat the message, which its sender chose.
 */
function refusesAddress(
  { stage, enhancedCode }: NegativeAnswer,
  code: number,
  { text, quotes, own }: ReplyWords,
): boolean {
  if (code < 500 || stage === 'dot' || quotes || own(DOMAIN_REPUTATION)) return false
  if (stage !== 'mail' && !namesIpAddress(text)) return false
  return classifyReply({ code, status: enhancedCode, words: text, stage }).category === 'reputation'
}

/**
 * RFC 7372 3: SPF, DKIM, DMARC of the sending domain. A permanent code speaks against this message; a temporary one is
 * a limit of the domain, which has nothing to do with what others send.
 */
function ofAuthentication(code: number, detail: string, matches: TopicMatch): Finding | null {
  if (code >= 500) return null
  if (matches(SENDER)) return 'sender'
  if (detail === TOO_MUCH) return null
  return detail === NO_TLS || matches(HOST) ? 'path' : 'sender'
}

/**
 * RFC 4954 6: 530 authentication required (RFC 3207 4: or STARTTLS), 534 mechanism too weak, 535 invalid, 538
 * encryption required; 5.7.8 and 5.7.11 are their enhanced codes. 5.7.9 does not count: Yahoo uses it for its policies.
 */
function wantsCredentials(code: number, enhancedCode: string | undefined): boolean {
  if (code === 530 || code === 534 || code === 535 || code === 538) return true
  return enhancedCode?.startsWith('5') === true && LOGIN_DETAILS.has(enhancedCode.slice(2))
}

function forNow(stage: Stage, code: number, enhancedCode: string | undefined, matches: TopicMatch): Finding {
  const detail = enhancedCode?.slice(2)
  // RFC 5321 4.5.3.1.10; 452 alone also stands for a full disk.
  if (stage === 'rcpt' && (detail === '5.3' || matches(CROWDED))) return 'crowded'
  // RFC 3463 3.3: the mailbox itself, whichever server is asked.
  if (detail === '2.1' || detail === '2.2') return 'mailbox'
  return code === 421 || stage === 'mail' ? 'server' : 'patience'
}

function forGood(
  { stage, enhancedCode }: NegativeAnswer,
  code: number,
  matches: TopicMatch,
  route: RouteKind,
): Finding {
  const detail = enhancedCode?.slice(2)
  // RFC 3463 3.4: the system takes no mail now, or is set up wrongly (postscreen, overloaded: "550 5.3.2 Service
  // currently unavailable"). 503: the server lost track of the session; another server need not.
  if (detail === '3.2' || detail === '3.5' || code === 503) return 'server'
  // RFC 1870 6.1, RFC 3463 3.4; 555: a parameter that the server had offered (RFC 5321 4.1.1.11).
  if (detail === '3.4' || detail === '6.7' || code === 555 || (code === 552 && matches(SIZE)))
    return 'unsuited'
  // At MAIL a relay can refuse only the sender. 501 (its syntax) and 552 (the size; RFC 5321 4.2.3) are about the
  // message.
  if (stage === 'mail' && route === 'relay' && code !== 501 && code !== 552 && !matches(CONTENT))
    return 'sender'
  return stage === 'rcpt' ? 'recipient' : 'message'
}

/** Words that may be about us when a relay says them, even beside the code of an address that does not exist. */
const DOUBTFUL_AT_RELAY = [
  REPUTATION,
  CONTENT,
  SENDER,
  SENDER_AT_RELAY,
  CREDENTIALS,
  RELAYING,
  HOST,
  ENCRYPTION,
  BLOCKED,
  BUSY,
]

/**
 * Whether the answer proves that the address is dead: for the recipient's own server, whenever a report with the same
 * words would prove it. After RCPT the answer is about all recipients of the transaction, and proves nothing.
 *
 * For a relay only the code counts. It rarely knows a recipient, and where it does (its own domain, or it has asked the
 * recipient's server) its software gives the code; the words alone are as often about the relay itself. Quoted words
 * count here too: Postfix gives its 5.1.1 to whatever the recipient's server said.
 */
function isDead(
  { stage, enhancedCode, words }: NegativeAnswer,
  code: number,
  matches: TopicMatch,
  route: RouteKind,
): boolean {
  if (stage !== 'rcpt' || code < 500) return false
  if (route === 'relay' && (!isDeadAddress(enhancedCode ?? '') || DOUBTFUL_AT_RELAY.some(matches)))
    return false
  return classifyReply({ code, status: enhancedCode, words, stage }).permanent
}
