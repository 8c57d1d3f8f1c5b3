/**
 * What the operator can do about a refusal. Clients know the sentences of some by heart, so those go out as they are,
 * and the log says what they leave out.
 */
import type { Inactivity } from '../accounts/sending.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import { type AnyReason, clip } from './fault.ts'

export interface Advice {
  /** What was wrong, as far as the answer does not tell. */
  why: string
  /** A command to paste, or what to change in the application. */
  next: string
  /** As the request has it, where the refusal is about one. */
  domain?: string
}

const NEW_KEY = 'postroad key create --company NAME --name NAME; then set its token in the application'

/** Null: the answer itself says what to do, or there is nothing to be done. */
export function adviceOn(reason: AnyReason): Advice | null {
  switch (reason.code) {
    case 'key_missing':
      return WRONG_SCHEME
    case 'key_invalid':
      return KEY_INVALID[reason.mistake]
    case 'key_expired':
      return { why: 'the API key has expired', next: NEW_KEY }
    case 'domain_unknown':
      return {
        why: 'the company of the API key has no such sending domain, or From is not the one that was meant',
        next: `postroad domain add ${inCommand(reason.domain)} --company NAME, or correct the domain in the application`,
        domain: clip(reason.domain, 255),
      }
    case 'domain_inactive':
      return { why: reason.why, next: inactiveNext(reason), domain: reason.domain }
    default:
      return null
  }
}

const WRONG_SCHEME: Advice = {
  why: 'no API key came in the way that this endpoint takes it',
  next:
    'set the application up with an API key (postroad key list): /emails takes it as `Authorization: Bearer KEY`, ' +
    '/v3 as password of the user `api`',
}

const KEY_INVALID: Readonly<Record<Extract<AnyReason, { code: 'key_invalid' }>['mistake'], Advice>> = {
  scheme: WRONG_SCHEME,
  shape: { why: 'what came is no API key of Postroad: those begin with pr_', next: NEW_KEY },
  unknown: {
    why: 'the API key was revoked, or is one of another database (postroad key list shows those of this one)',
    next: NEW_KEY,
  },
}

/**
 * A domain of a request as it may stand in a command: what a client writes there is pasted into a shell, so it has
 * letters, digits, dots and hyphens alone.
 */
export function inCommand(domain: string): string {
  try {
    return parseDomain(domain)
  } catch (error) {
    if (error instanceof AddressError) return 'DOMAIN'
    throw error
  }
}

/** For a domain that may not send. */
export function inactiveNext({ domain, cause }: { domain: string; cause: Inactivity }): string {
  switch (cause) {
    case 'disabled':
      return `postroad domain update ${domain} --sending on`
    case 'suspended':
      return `postroad domain activate ${domain}`
    case 'unverified':
      return `publish its DNS records (postroad domain show ${domain}), then run: postroad domain verify ${domain}`
  }
}

/** For a key that lacks a scope: what it may do is fixed when it is created. */
export function keyWith(scope: string): string {
  return `create another one that has it: postroad key create --company NAME --name NAME --scope ${scope}`
}

/** To a program that speaks the other of HTTP and HTTPS nothing can be said that it would understand. */
export const TLS_WITHOUT_CERTIFICATE: Advice = {
  why: 'a client spoke HTTPS where there is no certificate',
  next: 'begin the URL in the application with http://, or set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY',
}
export const CLEAR_WHERE_TLS: Advice = {
  why: 'a client spoke HTTP where HTTPS is spoken',
  next: 'begin the URL in the application with https://',
}

/** For a path that nothing is at and that looks as if a client made it of a base URL that is not the right one. */
export function baseUrlAdvice(path: string): string | null {
  if (path.endsWith('/messages') || path.endsWith('/messages.mime'))
    return 'mail is taken at /v3/{domain}/messages, so correct the base URL, or the domain, in the settings of the client'
  if (path.endsWith('/emails') || path.endsWith('/emails/batch'))
    return 'mail is taken at /emails, so the base URL in the settings of the client has to end before that, without a path'
  return null
}
