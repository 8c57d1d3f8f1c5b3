/**
 * Bounces that a relay hands in: messages with a null reverse-path (RFC 5321 4.5.5). A relay that sends them from the
 * name of its own machine gets each of them refused, and sends no bounce about a bounce: only the operator can help.
 */
import type { Advice } from '../ingress/advice.ts'
import type { AnyReason } from '../ingress/fault.ts'
import type { SubmissionReply } from './reply.ts'
import { smtpWords } from './words.ts'

const SETTINGS =
  'myorigin (Postfix), qualify_domain (Exim), /etc/mailname (OpenSMTPD), MASQUERADE_AS (sendmail)'

const ABOUT_DOMAIN: ReadonlySet<AnyReason['code']> = new Set([
  'domain_unknown',
  'from_mismatch',
  'key_restricted',
])

function isAboutFrom(reason: AnyReason): boolean {
  return ABOUT_DOMAIN.has(reason.code) || (reason.code === 'address_invalid' && reason.field === 'from')
}

/** The reply to a refused bounce. */
export function bounceWords(reason: AnyReason): SubmissionReply {
  const words = smtpWords(reason)
  if (!isAboutFrom(reason)) return words
  const text = `The bounces of a relay must be from a domain that may send; set that domain with ${SETTINGS}`
  return { ...words, text: `${words.text}. ${text}` }
}

/** For the log. Null: another setting would not have helped. */
export function bounceAdvice(reason: AnyReason): Advice | null {
  if (!isAboutFrom(reason)) return null
  return {
    why: 'a bounce from a relay was refused and is lost: its From is not at a domain that may send',
    next: `set the domain of the relay's own mail to one that may send: ${SETTINGS}`,
    ...('domain' in reason && {
      domain: reason.code === 'from_mismatch' ? reason.fromDomain : reason.domain,
    }),
  }
}
