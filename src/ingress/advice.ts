/**
 * Advice for the operator on a refusal. It is logged: the error sentences for clients never change, because some
 * clients parse them.
 */
import type { Inactivity } from '../accounts/sending.ts'
import { clip } from '../common/clip.ts'
import { AddressError, parseDomain } from '../mail/address/address.ts'
import type { AnyReason } from './fault.ts'

export interface Advice {
  /** The cause, as far as the answer does not state it. */
  why: string
  /** A command to paste, or a change to make in the application. */
  next: string
  /** The domain that the refusal is about, as the request wrote it. */
  domain?: string
}

const NEW_KEY = 'postroad key create --company NAME --name NAME; then set its token in the application'

/** Null: the answer itself names the remedy, or there is none. */
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
        why: 'the company of the API key does not have this sending domain, or From is wrong',
        next: `postroad domain add ${domainForCommand(reason.domain)} --company NAME, or correct the domain in the application`,
        domain: clip(reason.domain, 255),
      }
    case 'domain_inactive':
      return { why: reason.why, next: inactiveNext(reason), domain: reason.domain }
    default:
      return null
  }
}

const WRONG_SCHEME: Advice = {
  why: 'the request has no API key in the form that this endpoint expects',
  next:
    'configure the application with an API key (postroad key list): /emails expects `Authorization: Bearer KEY`, ' +
    '/v3 expects it as the password of the user `api`',
}

const KEY_INVALID: Readonly<Record<Extract<AnyReason, { code: 'key_invalid' }>['mistake'], Advice>> = {
  scheme: WRONG_SCHEME,
  shape: {
    why: 'the application sent something that is not an API key of Postroad: keys begin with pr_',
    next: NEW_KEY,
  },
  unknown: {
    why: 'the API key was revoked, or belongs to another database (postroad key list shows the keys of this one)',
    next: NEW_KEY,
  },
}

/**
 * The domain of a request for use in a command; DOMAIN if it is invalid. Operators paste the command into a shell, so
 * the domain consists of letters, digits, dots and hyphens.
 */
export function domainForCommand(domain: string): string {
  try {
    return parseDomain(domain)
  } catch (error) {
    if (error instanceof AddressError) return 'DOMAIN'
    throw error
  }
}

/** The remedy for a domain that may not send. */
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

/** The remedy for a key that lacks a scope: scopes are fixed when a key is created. */
export function keyWith(scope: string): string {
  return `create another one that has it: postroad key create --company NAME --name NAME --scope ${scope}`
}

/** Advice on clients that confuse HTTP and HTTPS, and therefore cannot read any answer. */
export const TLS_WITHOUT_CERTIFICATE: Advice = {
  why: 'a client spoke HTTPS, but no certificate is set',
  next: 'begin the URL in the application with http://, or set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY',
}
export const CLEAR_WHERE_TLS: Advice = {
  why: 'a client spoke HTTP on an HTTPS address',
  next: 'begin the URL in the application with https://',
}

/** The remedy for an unknown path that looks like the result of a wrong base URL in a client. */
export function baseUrlAdvice(path: string): string | null {
  if (path.endsWith('/messages') || path.endsWith('/messages.mime'))
    return 'mail is accepted at /v3/{domain}/messages: correct the base URL or the domain in the settings of the client'
  if (path.endsWith('/emails') || path.endsWith('/emails/batch'))
    return 'mail is accepted at /emails: the base URL in the settings of the client must not contain a path'
  return null
}
