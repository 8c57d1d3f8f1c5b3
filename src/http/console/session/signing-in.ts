/** Sign-in over HTTP: its parts, the origin of a request, and the beginning of a session. */
import type { FastifyRequest } from 'fastify'
import { addressGroup, addressNetwork } from '../../../ingress/admission/address-group.ts'
import { Fault } from '../../../ingress/fault.ts'
import { newPasswordPlaces } from '../../../operate/new-passwords.ts'
import { type AuthenticatedSession, authenticateSession, type NewSession } from '../../../operate/sessions.ts'
import {
  type SignInOrigin,
  type SignInParts,
  SignInRefusal,
  type SignInRefusalReason,
} from '../../../operate/sign-in.ts'
import { Attempts } from '../../../people/attempts.ts'
import { Passwords } from '../../../people/password.ts'
import { Tickets } from '../../../people/tickets.ts'
import type { AnswerHeaders } from '../../answer.ts'
import type { HttpCore } from '../../core.ts'
import type { ConsoleCore } from '../core.ts'
import { ConsoleAnswer } from '../handlers.ts'
import { sessionCookie, sessionToken } from './cookie.ts'
import { deviceCookie, deviceTicket } from './device-cookies.ts'
import { meOf } from './session.ts'

/** The purpose that the secret of tickets is derived for. */
const PURPOSE = 'console tickets'

export function signInParts({ deps }: HttpCore): SignInParts {
  const { store, seal, log } = deps
  return {
    store,
    seal,
    log,
    tickets: new Tickets(() => deps.derive(PURPOSE)),
    passwords: new Passwords(),
    newPasswords: newPasswordPlaces(),
    attempts: new Attempts(store),
    clock: {
      now: () => Date.now(),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    },
  }
}

export function originOf(core: HttpCore, { raw }: FastifyRequest): SignInOrigin {
  const address = core.clientAddress.addressOf(raw)
  const userAgent = raw.headers['user-agent'] ?? ''
  const { sessionLifetime: lifetime } = core.deps.settings
  const counted = { group: addressGroup(address), network: addressNetwork(address) }
  return { address, ...counted, userAgent, device: deviceTicket(core, raw), lifetime }
}

/** The session of this browser, on paths that strangers call as well. */
export async function sessionOfRequest(
  core: ConsoleCore,
  { raw }: FastifyRequest,
): Promise<AuthenticatedSession | null> {
  const token = sessionToken(core, raw)
  const time = { now: core.signIn.clock.now(), lifetime: core.deps.settings.sessionLifetime }
  return token === null ? null : await authenticateSession(core.deps.store, token, time)
}

/**
 * The answer to a person who has just signed in. An earlier session of this browser ends: its token is no longer
 * needed.
 */
export async function signedIn(
  core: ConsoleCore,
  request: FastifyRequest,
  newSession: NewSession,
  removed: readonly string[] = [],
) {
  const old = await sessionOfRequest(core, request)
  if (old !== null) await core.signIn.store.endSessions(old.person.id, { id: old.session.id })
  const headers = sessionHeaders(core, request, newSession, removed)
  return new ConsoleAnswer(meOf(core, request.raw, newSession), { headers })
}

/** The cookies of a session that has just begun. */
export function sessionHeaders(
  core: ConsoleCore,
  { raw }: Pick<FastifyRequest, 'raw'>,
  { token, person }: Pick<NewSession, 'token' | 'person'>,
  others: readonly string[] = [],
): AnswerHeaders {
  // The cookie lasts for the full lifetime; the service decides when an unused session ends, since that time moves with
  // each use and the cookie does not.
  const session = sessionCookie(core, raw, token, core.deps.settings.sessionLifetime)
  return { 'set-cookie': [session, deviceCookie(core, core.signIn, raw, person.id), ...others] }
}

const STATUS: Readonly<Record<SignInRefusalReason, 401 | 403 | 429 | 502>> = {
  wrong: 401,
  ended: 401,
  too_many_attempts: 429,
  busy: 429,
  no_account: 403,
  provider_failed: 502,
  proof_needed: 403,
}

/** Turns a refused sign-in of `work` into a Fault. */
export async function refusalAsFault<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof SignInRefusal)) throw error
    const { why, message: detail, retryAfter } = error
    const again = retryAfter === undefined ? {} : { retryAfter: retryAfter / 1000 }
    throw new Fault({ code: 'person_refused', status: STATUS[why], why, detail, ...again }, { cause: error })
  }
}
