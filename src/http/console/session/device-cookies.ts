/**
 * Cookies of a browser besides its session's: the people who have signed in there, and the ticket of a sign-in under
 * way.
 */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SignInParts } from '../../../operate/sign-in.ts'
import type { HttpCore } from '../../core.ts'
import { readCookie, writeCookie } from './cookie.ts'

const DEVICE = 'postroad_device'
const DEVICE_LASTS = 400 * 24 * 3_600_000
/** People who share a browser; beyond them, those who signed in last. */
const MAX_PEOPLE = 8
/** Browsers store no longer cookies. */
const LONGEST = 4_000

/** Cookies that carry a ticket from one step of a sign-in to the next. */
type StepCookie = 'postroad_passkey' | 'postroad_oidc'

export function deviceTicket(core: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage): string | null {
  return cookieOf(core, request, DEVICE)
}

/** The same device with this person added, who has just signed in. */
export function deviceCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  { tickets, clock }: Pick<SignInParts, 'tickets' | 'clock'>,
  request: IncomingMessage,
  personId: string,
): string {
  const ticket = deviceTicket(core, request)
  const now = clock.now()
  const known = ticket === null ? null : tickets.readTicket('device', ticket, now)
  const people = [personId, ...(known?.people ?? []).filter((id) => id !== personId)].slice(0, MAX_PEOPLE)
  const held = { id: known?.id ?? randomUUID(), people }
  return ownCookie(core, request, DEVICE, tickets.issue('device', held, DEVICE_LASTS, now), DEVICE_LASTS)
}

export function stepTicket(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: StepCookie,
): string | null {
  return cookieOf(core, request, name)
}

/** `lasts`: ms; 0 removes it. */
export function stepCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: StepCookie,
  ticket: string,
  lasts: number,
): string {
  return ownCookie(core, request, name, ticket, lasts)
}

function cookieOf(core: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage, name: string): string | null {
  const value = readCookie(core, request, name)
  return value !== undefined && value.length <= LONGEST && /^[\w-]+$/.test(value) ? value : null
}

/** Sent to the API only: no page needs it. */
function ownCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: string,
  value: string,
  lasts: number,
): string {
  return writeCookie(core, request, { name, value, lasts, path: '/console/api' })
}
