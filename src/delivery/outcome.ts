/** From what a server said, or why none was reached, to what is recorded for a recipient. */
import type { RecipientOutcome } from './delivery.ts'
import type { SmtpError, SmtpErrorKind } from './smtp/error.ts'
import { clip } from './smtp/reply.ts'
import type { RecipientReply } from './smtp/transaction.ts'

/** Why a server, or a whole route, took nothing: before any recipient was spoken of. */
export interface RouteFailure {
  /** Trying again is useless: the recipients bounce. */
  permanent: boolean
  code?: number
  /** RFC 3463. */
  enhancedCode: string
  message: string
  /** The domain itself can never receive mail. */
  suppress?: boolean
  /** The server's address is one we do not connect to; the operator may know better. */
  refusedAddress?: boolean
}

/**
 * RFC 3463 3.2 and 3.3, RFC 7505 5: the permanent codes that speak of the recipient's address and of nothing else. Left out on
 * purpose: 5.1.5 (says the address is good), 5.1.7 and 5.1.8 (the sender's address), 5.1.9 (a non-compliant relay, RFC 3886),
 * 5.2.2 (mailbox full), 5.2.3 (message too long), 5.2.4 (mailing list), all of 5.3 to 5.7 (system, network, protocol,
 * content, policy).
 */
const ADDRESS_IS_BAD = new Set(['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10', '5.2.1'])

/**
 * RFC 5321 4.2.3, for servers without enhanced codes: mailbox unavailable, user not local, mailbox name not allowed. Not 552
 * (storage) and not 554 (mostly policy).
 */
const ADDRESS_IS_BAD_BARE = new Set([550, 551, 553])

/** Whether a permanent answer condemns the address itself, so that mail to it should not be tried again (suppression list). */
export function condemnsAddress(reply: RecipientReply): boolean {
  // Anything said at another stage is about the session, the sender or the content.
  if (reply.verdict !== 'bounced' || reply.stage !== 'rcpt') return false
  if (reply.enhancedCode !== undefined) return ADDRESS_IS_BAD.has(reply.enhancedCode)
  return reply.code !== undefined && ADDRESS_IS_BAD_BARE.has(reply.code)
}

export function outcomeOfReply(position: number, reply: RecipientReply): RecipientOutcome {
  return {
    position,
    verdict: reply.verdict,
    ...(reply.code !== undefined && { code: reply.code }),
    ...(reply.enhancedCode !== undefined && { enhancedCode: reply.enhancedCode }),
    message: clip(reply.message),
    ...(condemnsAddress(reply) && { suppress: true }),
  }
}

export function outcomeOfFailure(position: number, failure: RouteFailure): RecipientOutcome {
  return {
    position,
    verdict: failure.permanent ? 'bounced' : 'deferred',
    ...(failure.code !== undefined && { code: failure.code }),
    enhancedCode: failure.enhancedCode,
    message: clip(failure.message),
    ...(failure.suppress && { suppress: true }),
  }
}

/** RFC 3463 3.5 and 3.8, where the server gave no code of its own. */
const DETAIL_OF_KIND: Record<SmtpErrorKind, string> = {
  connect: '4.1',
  timeout: '4.2',
  closed: '4.2',
  protocol: '5.0',
  tls: '7.5',
  auth: '7.0',
  reply: '3.0',
}

/** A session that could not be opened. `server` is named in the sentence. */
export function failureOfError(error: SmtpError, server: string): RouteFailure {
  const { permanent, code, kind } = error
  const enhancedCode = error.enhancedCode ?? `${permanent ? 5 : 4}.${DETAIL_OF_KIND[kind]}`
  const message = error.message.includes(server) ? error.message : `${server}: ${error.message}`
  return { permanent, ...(code !== undefined && { code }), enhancedCode, message }
}

/** The same failure where the recipient, or another server, may have better luck later. */
export function asTemporary(failure: RouteFailure): RouteFailure {
  return { ...failure, permanent: false, enhancedCode: failure.enhancedCode.replace(/^5/, '4') }
}

/** A failure of our own: never the recipient's fault, so it waits. */
export function failureOfException(error: unknown): RouteFailure {
  const sentence = error instanceof Error ? error.message : String(error)
  return {
    permanent: false,
    enhancedCode: '4.3.0',
    message: `Internal error, will be tried again: ${sentence}`,
  }
}

/** Shutting down, or the lease is over. */
export function released(position: number, message: string): RecipientOutcome {
  return { position, verdict: 'released', message }
}
