/**
 * Signing in with a password and, where two-step verification is on, a code of the authenticator app or a recovery
 * code.
 */
import type { Seal } from '../accounts/seal.ts'
import type { CompanyPlaces } from '../common/company-places.ts'
import type { Log } from '../common/logging.ts'
import { type Attempt, type AttemptSource, type Attempts, TooManyAttempts } from '../people/attempts.ts'
import { type Passwords, PasswordsBusy } from '../people/password.ts'
import type { Credentials, Person, SignInWay } from '../people/person.ts'
import { withoutRecoveryCode } from '../people/recovery-codes.ts'
import type { Tickets } from '../people/tickets.ts'
import { totpContext, totpStep } from '../people/totp.ts'
import type { PeopleStore } from '../store/store.ts'
import { OperateError } from './error.ts'
import { personAddress } from './people.ts'
import { type NewSession, type SignInClient, signedIn } from './sessions.ts'

/** Ms for which a correct password waits for the second factor. */
const TICKET_LASTS = 5 * 60_000

export interface Clock {
  /** Unix ms. */
  now(): number
  wait(ms: number): Promise<void>
}

/** The services that signing in needs. */
export interface SignInParts {
  store: Pick<
    PeopleStore,
    | 'addAudit'
    | 'addSession'
    | 'confirmMembership'
    | 'endSessions'
    | 'findPerson'
    | 'findPersonByIdentity'
    | 'findSession'
    | 'sessions'
    | 'setMembership'
    | 'settleAudit'
    | 'updatePerson'
  >
  /** The seal of the installation. */
  seal: Seal
  tickets: Tickets
  passwords: Passwords
  /** Turns of people whose passwords are changed (new-passwords.ts). */
  newPasswords: CompanyPlaces
  attempts: Attempts
  clock: Clock
  log: Pick<Log, 'info' | 'warn'>
}

/** The client that signs in, and the groups by which its attempts are limited. */
export interface SignInOrigin extends Omit<SignInClient, 'now'> {
  /** The group that the client's address is counted in (ingress/admission/address-group.ts). */
  group: string
  /** The network around that group. */
  network: string
  /** The ticket that this device got at an earlier sign-in. */
  device: string | null
}

export type SignInRefusalReason =
  /** The credentials are wrong, or there is no such account. */
  | 'wrong'
  /** The sign-in took too long, or the account has changed meanwhile: it has to begin again. */
  | 'ended'
  | 'too_many_attempts'
  | 'busy'
  /** The provider has identified the person, but the person has no account here. */
  | 'no_account'
  /** The provider does not answer, or its answer violates the standard. */
  | 'provider_failed'
  /** The change needs a fresh proof of identity. */
  | 'proof_needed'

export class SignInRefusal extends Error {
  override name = 'SignInRefusal'
  readonly why: SignInRefusalReason
  /** Ms to wait before another attempt. */
  readonly retryAfter: number | undefined

  /** @param message a sentence for the person, without its full stop */
  constructor(why: SignInRefusalReason, message: string, retryAfter?: number) {
    super(message)
    this.why = why
    this.retryAfter = retryAfter
  }
}

/** Either a session has begun, or the password was correct and `ticket` is needed for the second step. */
export type ProofResult = { begun: NewSession } | { ticket: string }

/** Rejects with SignInRefusal. Its message and its time do not reveal whether the account exists. */
export async function signInByPassword(
  parts: SignInParts,
  { address, password }: { address: string; password: string },
  origin: SignInOrigin,
): Promise<ProofResult> {
  const account = accountOf(address)
  const person = await parts.store.findPerson({ address: account })
  await checkPassword(parts, person, account, password, origin)
  const now = parts.clock.now()
  if (person!.credentials.totp !== null) {
    const held = { personId: person!.id, version: person!.version }
    return { ticket: parts.tickets.issue('second-factor', held, TICKET_LASTS, now) }
  }
  return { begun: await beginProvedSession(parts, person!, 'password', origin) }
}

type BeginArguments = [store: SignInParts['store'], person: Person, way: SignInWay, from: SignInClient]

/**
 * A change of the password ends all sessions. A session that began with the old password at the same moment is ended
 * here.
 */
export async function beginProvedSession(
  { store, clock }: Pick<SignInParts, 'store' | 'clock'>,
  person: Person,
  way: SignInWay,
  origin: SignInOrigin,
  begin: (...of: BeginArguments) => Promise<NewSession> = signedIn,
): Promise<NewSession> {
  const newSession = await begin(store, person, way, { ...origin, now: clock.now() })
  const still = await store.findPerson({ id: person.id })
  if (still?.credentials.password === person.credentials.password) return newSession
  await store.endSessions(person.id, { id: newSession.session.id })
  throw sessionEndedError()
}

/** Text that is not an address is looked up too, so that the response takes the same time. */
export function accountOf(address: string): string {
  try {
    return personAddress(address)
  } catch (error) {
    if (error instanceof OperateError) return address.trim().toLowerCase().replaceAll('\0', '')
    throw error
  }
}

/**
 * Resolves when the password is correct. `account`: the name under which attempts are counted if there is no such
 * person.
 */
export async function checkPassword(
  parts: SignInParts,
  person: Person | null,
  account: string,
  password: string,
  origin: SignInOrigin,
): Promise<void> {
  const device = deviceOf(parts, person?.id ?? null, origin.device)
  const trying = { account: person?.id ?? account, from: origin.group, device, what: 'password' } as const
  const stored = person?.credentials.password ?? null
  const by = { origin: origin.group, known: device !== null }
  // Checked before the attempt is counted, so that a flood of attempts writes to the store no more often than passwords
  // are verified.
  if (parts.passwords.isFull(by)) throw busyRefusal()
  const right = await withAttempt(parts, trying, async (attempt) => {
    try {
      return await parts.passwords.verify(password, stored, by)
    } catch (error) {
      if (!(error instanceof PasswordsBusy)) throw error
      await attempt.takeBack()
      throw busyRefusal()
    }
  })
  if (right) return
  parts.log.warn(
    { address: origin.address, personId: person?.id ?? null },
    'a sign-in to the console was refused',
  )
  throw wrongPassword()
}

/** The second step. `code`: of the authenticator app, or a recovery code. Rejects with SignInRefusal. */
export async function signInBySecondFactor(
  parts: SignInParts,
  { ticket, code }: { ticket: string; code: string },
  origin: SignInOrigin,
): Promise<NewSession> {
  const now = parts.clock.now()
  const held = parts.tickets.readTicket('second-factor', ticket, now)
  const person = held && (await parts.store.findPerson({ id: held.personId }))
  // Any change since the first step, such as one of the password, ends the sign-in. For the same reason a ticket works
  // only once.
  if (held === null || person === null || person.version !== held.version) throw sessionEndedError()
  const device = deviceOf(parts, person.id, origin.device)
  const trying = { account: person.id, from: origin.group, device, what: 'code' } as const
  const credentials = await withAttempt(parts, trying, async () => spendCode(parts, person, code))
  if (credentials === null) {
    parts.log.warn({ address: origin.address, personId: person.id }, 'a second factor was refused')
    throw wrongCode()
  }
  if (!(await parts.store.updatePerson(person.id, person.version, { credentials }))) throw sessionEndedError()
  const known = { ...person, version: person.version + 1, credentials }
  const secondFactor = isRecoveryCode(person.credentials, credentials) ? 'recovery code' : 'app'
  return await beginProvedSession(parts, known, 'password', origin, (...of) => signedIn(...of, secondFactor))
}

/** Whether the code that changed the credentials from `before` to `after` was a recovery code. */
export function isRecoveryCode(before: Credentials, after: Credentials): boolean {
  return after.recoveryCodes.length < before.recoveryCodes.length
}

/** The credentials after using the code; null: the code is not valid. */
export function spendCode(parts: SignInParts, { id, credentials }: Person, code: string): Credentials | null {
  const { totp, recoveryCodes } = credentials
  const digits = code.replace(/\s/g, '')
  if (totp !== null && /^\d{6}$/.test(digits)) {
    const secret = parts.seal.open(Buffer.from(totp.sealed, 'base64'), totpContext(id)).toString()
    const step = totpStep(secret, digits, totp.lastStep, parts.clock.now())
    return step === null ? null : { ...credentials, totp: { ...totp, lastStep: step } }
  }
  const left = withoutRecoveryCode(recoveryCodes, code)
  return left === null ? null : { ...credentials, recoveryCodes: left }
}

/** The id under which attempts of this device are counted, if the device was registered for this person; else null. */
export function deviceOf(
  { tickets, clock }: Pick<SignInParts, 'tickets' | 'clock'>,
  personId: string | null,
  ticket: string | null,
): string | null {
  const device = ticket === null ? null : tickets.readTicket('device', ticket, clock.now())
  return device !== null && personId !== null && device.people.includes(personId) ? device.id : null
}

/**
 * Waits for its turn and runs `look`. A result other than false or null means success, and such an attempt is not
 * counted.
 */
export async function withAttempt<Result>(
  { attempts, clock }: SignInParts,
  trying: AttemptSource,
  look: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  let attempt: Attempt
  try {
    attempt = await attempts.begin(trying, clock.now())
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error
    const { retryAfter } = error
    const seconds = Math.ceil(retryAfter / 1000)
    const wait = seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
    throw new SignInRefusal('too_many_attempts', `too many attempts: try again in ${wait}`, retryAfter)
  }
  if (attempt.wait > 0) await clock.wait(attempt.wait)
  const result = await look(attempt)
  if (result !== false && result !== null) await attempt.takeBack()
  return result
}

export function busyRefusal(): SignInRefusal {
  return new SignInRefusal('busy', 'many people are signing in right now: try again', 2_000)
}

export function wrongCode(): SignInRefusal {
  return new SignInRefusal('wrong', 'this code is wrong or was already used: enter the next one')
}

function wrongPassword(): SignInRefusal {
  return new SignInRefusal('wrong', 'address or password is wrong')
}

export function sessionEndedError(): SignInRefusal {
  return new SignInRefusal(
    'ended',
    'this took too long, or your account was changed meanwhile: sign in again',
  )
}
