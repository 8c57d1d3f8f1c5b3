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
import { ownWords, plainWords, speaks, type TopicMatch } from '../../mail/reply/words.ts'
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
  const matches = speaks(own)
  switch (stage) {
    case 'auth':
      // RFC 4954 4: 454 is the server's fault; every permanent code is about the credentials.
      return code >= 500 ? 'credentials' : matches(BUSY) ? 'busy' : 'server'
    case 'connect':
    case 'greeting':
    case 'ehlo':
    case 'starttls':
    case 'idle':
      return beforeMail(code, answer.enhancedCode, matches)
    default:
      return ofTransaction(answer, code, { own: matches, all: speaks(words) }, route)
  }
}

/**
 * `own`: without the words that the server quotes from another one. Quoted words may be about the recipient, never
 * about us.
 */
interface ReplyWords {
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
function beforeMail(code: number, enhancedCode: string | undefined, matches: TopicMatch): Finding {
  if (matches(BUSY)) return 'busy'
  if (code >= 500) return wantsCredentials(code, enhancedCode) ? 'credentials' : 'path'
  return matches(BLOCKED) || matches(HOST) ? 'path' : 'server'
}

function ofTransaction(answer: NegativeAnswer, code: number, said: ReplyWords, route: RouteKind): Finding {
  if (code < 500 && said.all(GREYLISTING)) return 'patience'
  const ours = ofUs(answer, code, said.own, route)
  if (ours !== null) return ours
  if (said.all(MAILBOX)) return code < 500 ? 'mailbox' : answer.stage === 'rcpt' ? 'recipient' : 'message'
  const { stage, enhancedCode } = answer
  if (said.own(BUSY) && !isAboutMail(answer, code, said.own)) return 'busy'
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

/** Exchange Online's codes for banned addresses, and for the limits of one address. */
const BANNED = /^7\.(?:6[0-4]\d|511|708)$/
const LIMITED = /^7\.(?:500|65\d)$/
/** Exchange's codes for who may write to a recipient (a group that takes no mail from outside). */
const RESTRICTION = /^7\.1[23]\d$/
/** RFC 7372 3, and Gmail's codes that continue it: SPF, DKIM, DMARC of the sending domain. */
const AUTHENTICATION = /^7\.(?:2\d|3[0-2])$/

/** Null when the reply is not about us. */
function ofUs(
  { stage, enhancedCode }: NegativeAnswer,
  code: number,
  matches: TopicMatch,
  route: RouteKind,
): Finding | null {
  const detail = enhancedCode?.slice(2) ?? ''
  if (RESTRICTION.test(detail) || matches(RESTRICTED)) return null
  // After MAIL the recipient's server may be speaking through a relay: then it closes only the sender's path.
  if (wantsCredentials(code, enhancedCode)) return stage === 'mail' ? 'credentials' : 'path'
  // RFC 7372 3.3: the host name of our address.
  if (detail === '7.25' || BANNED.test(detail)) return 'path'
  if (code < 500 && LIMITED.test(detail)) return 'busy'
  if (AUTHENTICATION.test(detail)) return ofAuthentication(code, detail, matches)
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
  const isDead = stage === 'rcpt' && DEAD_CODES.has(enhancedCode ?? '') && matches(DEAD)
  return matches(BLOCKED) && !isDead ? 'path' : null
}

/**
 * A permanent code speaks against this message; a temporary one is a limit of the sending domain, which has nothing to
 * do with what others send. 4.7.28 is Gmail's code for too much of anything, 4.7.29 for TLS.
 */
function ofAuthentication(code: number, detail: string, matches: TopicMatch): Finding | null {
  if (code >= 500) return null
  if (matches(SENDER)) return 'sender'
  if (detail === '7.28') return null
  return detail === '7.29' || matches(HOST) ? 'path' : 'sender'
}

/**
 * RFC 4954 6: 530 authentication required (RFC 3207 4: or STARTTLS), 534 mechanism too weak, 535 invalid, 538
 * encryption required; 5.7.8 and 5.7.11 are their enhanced codes. 5.7.9 is left out: Yahoo uses it for its policies.
 */
function wantsCredentials(code: number, enhancedCode: string | undefined): boolean {
  if (code === 530 || code === 534 || code === 535 || code === 538) return true
  return enhancedCode === '5.7.8' || enhancedCode === '5.7.11' || enhancedCode === '5.7.57'
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
  if (stage !== 'rcpt') return 'message'
  return isDead(code, enhancedCode, matches, route) ? 'dead-address' : 'recipient'
}

/** RFC 3463 3.2, RFC 7505 5: bad mailbox, bad system, bad syntax, a domain that takes no mail. */
const DEAD_CODES = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.10'])

/** RFC 5321 4.2.3; chkuser (qmail) uses 511 for it, Yahoo 554. */
const DEAD_REPLIES = new Set([511, 550, 551, 553, 554])

const NOT_DEAD = [CONTENT, RELAYING, BLOCKED, CREDENTIALS, SENDER, BUSY]

/** Classes of RFC 3463 that are about something else, whatever the words: the system (3), content (6), policy (7). */
const OTHER_CLASS = /^5\.[367]\./

/**
 * For a relay only the code counts. It rarely knows a recipient, and where it does (its own domain, or it has asked
 * the recipient's server) its software gives the code; the words alone are as often about the relay itself.
 */
function isDead(
  code: number,
  enhancedCode: string | undefined,
  matches: TopicMatch,
  route: RouteKind,
): boolean {
  // Quoted words count here too: Postfix gives its 5.1.1 to whatever the recipient's server said.
  if (NOT_DEAD.some(matches)) return false
  if (enhancedCode !== undefined && DEAD_CODES.has(enhancedCode)) return true
  if (route === 'relay' || (enhancedCode !== undefined && OTHER_CLASS.test(enhancedCode))) return false
  return DEAD_REPLIES.has(code) && matches(DEAD)
}
