/** What a browser keeps beside its session: who has signed in there, and what a step of signing in began with. */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SignInParts } from '../../../operate/sign-in.ts'
import type { HttpCore } from '../../core.ts'
import { readCookie, writeCookie } from './cookie.ts'

const DEVICE = 'postroad_device'
const DEVICE_LASTS = 400 * 24 * 3_600_000
/** People who share a browser; of more, those who signed in last. */
const MOST_PEOPLE = 8
/** Browsers keep no longer ones. */
const LONGEST = 4_000

/** What was begun in a step and is gone on with in the next. */
export type StepCookie = 'postroad_passkey' | 'postroad_oidc'

export function deviceTicket(core: Pick<HttpCore, 'publicUrl'>, request: IncomingMessage): string | null {
  return cookieOf(core, request, DEVICE)
}

/** The same device, on which this person, too, has signed in now. */
export function deviceCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  { tickets, clock }: Pick<SignInParts, 'tickets' | 'clock'>,
  request: IncomingMessage,
  personId: string,
): string {
  const ticket = deviceTicket(core, request)
  const now = clock.now()
  const known = ticket === null ? null : tickets.read('device', ticket, now)
  const people = [personId, ...(known?.people ?? []).filter((id) => id !== personId)].slice(0, MOST_PEOPLE)
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

/** For the API only: no page needs to bring it. */
function ownCookie(
  core: Pick<HttpCore, 'publicUrl'>,
  request: IncomingMessage,
  name: string,
  value: string,
  lasts: number,
): string {
  return writeCookie(core, request, { name, value, lasts, path: '/console/api' })
}
