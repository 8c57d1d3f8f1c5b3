/** Turns a server's reply, or the reason why none was reached, into the outcome that is recorded for a recipient. */
import type { Classification } from '../mail/reply/classify.ts'
import { classify } from './classification.ts'
import type { Delivery, DeliveryResult, RecipientOutcome } from './delivery.ts'
import { CONSEQUENCES, FINDING_PRECEDENCE, type Finding } from './judge/finding.ts'
import { judge, type RouteKind } from './judge/judge.ts'
import { adviceIn, type ReplyAdvice } from './judge/reply-advice.ts'
import { backOffAtSite } from './judge/site-replies.ts'
import type { ReplyRule } from './sites/site-block.ts'
import { isUnreachable, type SmtpError, type SmtpErrorKind } from './smtp/error.ts'
import { clipMessage } from './smtp/reply.ts'
import type { RecipientReply } from './smtp/transaction.ts'

/** The reason why a server, or a whole route, took nothing for a recipient. */
export interface RouteFailure extends ReplyAdvice {
  finding: Finding
  code?: number | undefined
  /** RFC 3463. */
  enhancedCode: string
  message: string
  /** The rest of the sentence, for operators alone: it may name addresses of their own network. */
  detail?: string
  /** Absent: it follows from the message. */
  classification?: Classification
  /** The server that gave the reply; absent when no transaction took place. */
  server?: string
  /** The server that was tried, whatever the result. */
  asked?: string
  /** The reply is to MAIL: no recipient was named before. */
  toMail?: boolean
  /** The recipient ends not because the server refuses but because we cannot send this message to it. */
  cannotSend?: boolean
  /** No server answered, or none was asked because none had answered a moment ago. */
  unreachable?: boolean
  /** This machine has no way out to the server, so none was asked. */
  noWayOut?: true
  /** We do not connect to the server's address; the operator may know better. */
  refusedAddress?: boolean
}

/**
 * Judges the reply of a transaction. Null for a reply that needs no judgement: the message was taken, may have been
 * taken, or was not offered.
 */
export function failureOfReply(
  reply: RecipientReply,
  server: string,
  route: RouteKind,
  rules: readonly ReplyRule[] = [],
): RouteFailure | null {
  const { verdict, stage, kind, code, enhancedCode, message, said = message, unsuited } = reply
  if (unsuited) {
    const failure = { finding: 'unsuited', enhancedCode: enhancedCode!, message, server } as const
    return verdict === 'failed' ? { ...failure, cannotSend: true } : failure
  }
  if (verdict !== 'bounced' && verdict !== 'deferred') return null
  const answer = { stage, kind, code, enhancedCode, words: said }
  const found = judge(answer, route, rules)
  // A 5yz for too many recipients (see transact.ts).
  const finding = verdict === 'deferred' && CONSEQUENCES[found].ends ? 'crowded' : found
  const classification = classify(answer, finding)
  const advice = adviceIn(said, finding, stage, backOffAtSite(rules, code, said))
  const failure: RouteFailure = {
    finding,
    code,
    enhancedCode: enhancedCode ?? '',
    message,
    classification,
    server,
    ...advice,
  }
  if (stage === 'mail') failure.toMail = true
  return failure
}

/** The detail of RFC 3463 3.5 and 3.8 when the server gave no enhanced code. */
const DETAIL_OF_KIND: Record<SmtpErrorKind, string> = {
  connect: '4.1',
  proxy: '4.1',
  timeout: '4.2',
  closed: '4.2',
  stopped: '4.2',
  protocol: '5.0',
  tls: '7.5',
  auth: '7.0',
  reply: '3.0',
}

/** A session that could not be opened. The sentence names `server`. */
export function failureOfError(
  error: SmtpError,
  server: string,
  route: RouteKind,
  rules: readonly ReplyRule[] = [],
): RouteFailure {
  const { code, kind, stage, said: words } = error
  const answer = { stage, kind, code, enhancedCode: error.enhancedCode, words }
  const finding = judge(answer, route, rules)
  const enhancedCode = error.enhancedCode ?? `4.${DETAIL_OF_KIND[kind]}`
  const isNamed = kind === 'proxy' || error.message.includes(server)
  const message = isNamed ? error.message : `${server}: ${error.message}`
  return {
    finding,
    code,
    enhancedCode,
    message,
    classification: classify(answer, finding),
    unreachable: isUnreachable(error),
    asked: server,
    ...adviceIn(words, finding, stage, backOffAtSite(rules, code, words)),
  }
}

/** A failure of our own: never the recipient's fault, so the recipient waits. */
export function failureOfException(error: unknown): RouteFailure {
  const sentence = error instanceof Error ? error.message : String(error)
  return {
    finding: 'server',
    enhancedCode: '4.3.0',
    message: `Internal error, the delivery will be attempted again: ${sentence}`,
  }
}

/** The same failure as a temporary one: the recipient, or another server, may have better luck later. */
export function asTemporary(failure: RouteFailure): RouteFailure {
  return CONSEQUENCES[failure.finding].ends ? { ...failure, finding: 'server' } : failure
}

/**
 * The failure that counts when several servers answered in turn. A server that may take the mail later outweighs those
 * that will not; among equals the first one's word counts, because RFC 5321 5.1 asks the best server first.
 */
export function decisiveFailure(failures: readonly RouteFailure[]): RouteFailure {
  let best = failures[0] ?? NO_SERVER_TRIED
  for (const failure of failures) {
    if (FINDING_PRECEDENCE.indexOf(failure.finding) < FINDING_PRECEDENCE.indexOf(best.finding)) best = failure
  }
  return best
}

const NO_SERVER_TRIED: RouteFailure = {
  finding: 'server',
  enhancedCode: '4.4.1',
  message: 'No server was contacted',
}

export function outcomeOfFailure(position: number, failure: RouteFailure): RecipientOutcome {
  const { finding, code, enhancedCode, message, server, cannotSend, waitMs } = failure
  const { ends, suppresses, spends } = CONSEQUENCES[finding]
  const { category, permanent } =
    failure.classification ?? classify({ code, enhancedCode, words: message }, finding)
  const outcome: RecipientOutcome = {
    position,
    verdict: ends ? (cannotSend ? 'failed' : 'bounced') : spends ? 'deferred' : 'postponed',
    message: clipMessage(message),
    category,
  }
  if (permanent && ends) outcome.permanent = true
  if (code !== undefined) outcome.code = code
  if (enhancedCode !== '') outcome.enhancedCode = enhancedCode
  if (suppresses) outcome.suppress = true
  if (server !== undefined) outcome.server = server
  if (waitMs !== undefined && !ends) outcome.waitMs = waitMs
  return outcome
}

/** The outcome of a reply that needs no judgement. */
export function outcomeOfReply(position: number, reply: RecipientReply): RecipientOutcome {
  const outcome: RecipientOutcome = { position, verdict: reply.verdict, message: clipMessage(reply.message) }
  if (reply.code !== undefined) outcome.code = reply.code
  if (reply.enhancedCode !== undefined) outcome.enhancedCode = reply.enhancedCode
  // The server is not at fault.
  if (reply.kind === 'stopped') outcome.category = 'other'
  return outcome
}

/** A server has the message, or may have it. */
export function mayHaveArrived({ verdict }: RecipientOutcome): boolean {
  return verdict === 'delivered' || verdict === 'uncertain'
}

/** The outcome of a recipient that was not tried: the node is shutting down, or the lease is over. */
export function releasedOutcome(position: number, message: string): RecipientOutcome {
  return { position, verdict: 'released', message }
}

/** The result of a delivery that came back without any server's reply: its courier is gone, or never began it. */
export function unansweredOutcome(
  { recipients, preferredServer }: Pick<Delivery, 'recipients' | 'preferredServer'>,
  startedAt: number,
  outcomeOf: (position: number) => RecipientOutcome,
): DeliveryResult {
  return {
    outcomes: recipients.map(({ position }) => outcomeOf(position)),
    // The preferred server stays the same.
    server: preferredServer,
    dialogue: '',
    startedAt,
    duration: Date.now() - startedAt,
    tls: null,
  }
}
