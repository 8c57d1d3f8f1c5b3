/**
 * A new password for somebody who has forgotten the old one, by a link that is mailed to the address of the account.
 * The person has not been identified yet, so none of these functions is a verb.
 */
import { createHash, randomUUID } from 'node:crypto'
import { CompanyPlaces } from '../common/company-places.ts'
import {
  FINGERPRINT_OCTETS,
  type LinkTokens,
  PASSWORD_TOKEN,
  type PasswordOrder,
  passwordVariables,
} from '../email/mailed-links.ts'
import { consoleUrl, newPasswordUrl } from '../people/link.ts'
import { passwordProblem } from '../people/password-rule.ts'
import type { Credentials, Person } from '../people/person.ts'
import { OperateError } from './error.ts'
import { hashInTurn, inPasswordTurn } from './new-passwords.ts'
import { changeSelf } from './own-account.ts'
import {
  type NewSession,
  noLink,
  type SecondFactor,
  SIGN_IN_LINK_MS,
  sessionNotes,
  signedIn,
} from './sessions.ts'
import {
  accountOf,
  busyRefusal,
  deviceOf,
  isRecoveryCode,
  type SignInOrigin,
  type SignInParts,
  spendCode,
  withAttempt,
  wrongCode,
} from './sign-in.ts'

/**
 * Places for requests of strangers, each of which writes to the store. Networks share them: a single network can take
 * 22, and eight are kept for networks that have none, so a flood from one network leaves places for others.
 */
const PLACES = { size: 40, kept: 8, timesFree: 2 }
/** Ms for which a request keeps its place. With 40 places, a node takes four requests a second after the first 40. */
const PLACE_LASTS = 10_000

/** The mail of the service to one person. */
export interface PasswordMail {
  to: string
  subject: string
  text: string
  key: string
  variables?: Record<string, string>
  /** True: the mail has a link that opens the account. */
  confidential?: true
}

export interface PasswordMailer {
  /** The service's URL from the settings. It must not be taken from a request, because strangers request the mail. */
  base: string
  send(mail: PasswordMail): Promise<void>
}

/** Mails links, or notices in place of them. The answer does not reveal whether an account exists. */
export class PasswordLinks {
  readonly #parts: SignInParts
  readonly #places = new CompanyPlaces(PLACES)
  readonly #underWay = new Set<Promise<void>>()

  constructor(parts: SignInParts) {
    this.#parts = parts
  }

  /**
   * Resolves before the account is looked up, so that neither the answer nor its time depends on the account. Rejects
   * with SignInRefusal when there were too many requests for the address or from this client, so that nobody can flood
   * a mailbox.
   */
  async ask(address: string, origin: SignInOrigin, mailer: PasswordMailer): Promise<void> {
    const { group: from, network } = origin
    // Taken before the request is counted, because each new address is a row in the store, and anybody can name new
    // ones.
    const leave = this.#places.takeFree(network)
    if (leave === null) throw busyRefusal()
    const account = accountOf(address)
    try {
      await withAttempt(this.#parts, { account, from, network, device: null, what: 'mail' }, async () => null)
    } catch (error) {
      leave()
      throw error
    }
    const mailing = this.#mail(account, origin, mailer).finally(() => this.#underWay.delete(mailing))
    this.#underWay.add(mailing)
    void Promise.all([mailing, this.#parts.clock.wait(PLACE_LASTS)]).then(leave)
  }

  /** Resolves when all links that were asked for are accepted as mail. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #mail(account: string, { address: from }: SignInOrigin, mailer: PasswordMailer): Promise<void> {
    const { store, clock, log } = this.#parts
    try {
      const person = await store.findPerson({ address: account })
      if (person === null) return
      const { base } = mailer
      const withLink = mayUseLink(person)
      await mailer.send(withLink ? linkMail(person, base, clock.now()) : noticeMail(person, base))
      const text = withLink
        ? 'A link for a new password was mailed'
        : 'A new password was requested for an account that may not have a link; a notice was mailed instead'
      log.info({ personId: person.id, address: from }, text)
    } catch (error) {
      log.warn({ err: error }, 'Could not answer the request for a new password by mail')
    }
  }
}

/**
 * Whether a mailed link may open the account. It may not open an account that is used with passkeys or a provider
 * alone, since access to the mailbox did not open that account before. An operator, who sees everything, needs more
 * than access to a mailbox.
 */
function mayUseLink({ operator, credentials }: Person): boolean {
  const { password, totp, passkeys, identities } = credentials
  if (operator) return password !== null && totp !== null
  return password !== null || (passkeys.length === 0 && identities.length === 0)
}

function linkMail(person: Person, base: string, now: number): PasswordMail {
  const order = { personId: person.id, fingerprint: fingerprintOf(person), expiresAt: now + SIGN_IN_LINK_MS }
  const text = [
    askedFor(person),
    '',
    `Choose it here: ${newPasswordUrl(base, PASSWORD_TOKEN)}`,
    '',
    'The link works once, within an hour. If you did not ask for it, do nothing: your password stays as it is.',
    '',
  ].join('\n')
  return {
    to: person.address!,
    subject: 'Choose a new password',
    text,
    key: mailKey(),
    variables: passwordVariables(order),
    confidential: true,
  }
}

/** The notice that is mailed in place of a link. */
function noticeMail(person: Person, base: string): PasswordMail {
  const text = [
    askedFor(person),
    '',
    ...(person.operator ? adviceForOperator(person) : adviceFor(person, base)),
    '',
    'If you did not ask for it, do nothing: your account stays as it is.',
    '',
  ].join('\n')
  return { to: person.address!, subject: 'Signing in to Postroad', text, key: mailKey() }
}

function askedFor({ address }: Person): string {
  return `Somebody, hopefully you, asked for a new password for ${address} on Postroad.`
}

function adviceFor({ credentials: { passkeys, identities } }: Person, base: string): string[] {
  const ways = [
    ...(passkeys.length > 0 ? ['passkey'] : []),
    ...identities.map(({ issuer }) => `account at ${URL.parse(issuer)?.host ?? issuer}`),
  ]
  return [
    `Your account has no password. Sign in with your ${ways.join(' or your ')}: ${consoleUrl(base)}`,
    '',
    'If you cannot, ask an operator of this installation for a link that signs you in.',
  ]
}

function adviceForOperator({ id, credentials }: Person): string[] {
  const { password, totp } = credentials
  const lacks = [
    ...(password === null ? ['a password'] : []),
    ...(totp === null ? ['two-step verification'] : []),
  ]
  return [
    `You are an operator, and your account lacks ${lacks.join(' and ')}, so no link is mailed.`,
    'An operator of the machine that runs Postroad makes a link that signs you in:',
    '',
    `  postroad user link ${id}`,
  ]
}

function mailKey(): string {
  return `password:${randomUUID()}`
}

/** A hash that changes with the password and the address. A change voids the links that were mailed before. */
function fingerprintOf({ id, address, credentials }: Person): Buffer {
  const facts = JSON.stringify([id, address, credentials.password])
  return createHash('sha256').update(facts).digest().subarray(0, FINGERPRINT_OCTETS)
}

function isFor(order: PasswordOrder, person: Person): boolean {
  return fingerprintOf(person).equals(order.fingerprint)
}

/** The account of a link. Throws `not_found` for a link that is unknown, used or expired. */
export async function readPasswordLink(
  { store, clock }: Pick<SignInParts, 'store' | 'clock'>,
  tokens: LinkTokens,
  token: string,
): Promise<{ person: Person; order: PasswordOrder }> {
  const order = tokens.parsePassword(token)
  if (order === null || order.expiresAt <= clock.now()) throw noLink()
  const person = await store.findPerson({ id: order.personId })
  if (person === null || !isFor(order, person) || !mayUseLink(person)) throw noLink()
  return { person, order }
}

export interface NewPassword {
  token: string
  password: string
  /** A code of the authenticator app, or a recovery code; needed if the account has two-step verification. */
  code?: string | undefined
}

/** Sets the password, ends all sessions and links of the person, and begins a session. Rejects with SignInRefusal. */
export async function resetPassword(
  parts: SignInParts,
  tokens: LinkTokens,
  given: NewPassword,
  origin: SignInOrigin,
): Promise<NewSession> {
  const { person } = await readPasswordLink(parts, tokens, given.token)
  return await inPasswordTurn(parts, person.id, () => resetInTurn(parts, tokens, given, origin))
}

/** The link is read again: an earlier turn may have used it. */
async function resetInTurn(
  parts: SignInParts,
  tokens: LinkTokens,
  { token, password, code = '' }: NewPassword,
  origin: SignInOrigin,
): Promise<NewSession> {
  const { person, order } = await readPasswordLink(parts, tokens, token)
  const problem = passwordProblem(password, [person.address ?? '', person.name])
  if (problem !== null) throw new OperateError('invalid', problem)
  await checkCode(parts, person, code, origin)
  let secondFactor: SecondFactor | undefined
  const trying = { account: person.id, from: origin.group, device: null, what: 'link' } as const
  // Attempts are counted by person, on all nodes together, because only a holder of the link gets here.
  const changed = await withAttempt(parts, trying, async (attempt) => {
    const stored = await hashInTurn(parts, password, origin).catch(async (error: unknown) => {
      await attempt.takeBack()
      throw error
    })
    return await changeSelf(parts, { person }, 'resetPassword', (now) => {
      if (!isFor(order, now) || !mayUseLink(now)) throw noLink()
      const credentials = afterSecondFactor(parts, now, code)
      if (credentials === null) throw wrongCode()
      if (now.credentials.totp !== null) {
        secondFactor = isRecoveryCode(now.credentials, credentials) ? 'recovery code' : 'app'
      }
      return { credentials: { ...credentials, password: stored } }
    })
  })
  await endAll(parts, changed, origin)
  const from = { ...origin, now: parts.clock.now() }
  return await signedIn(parts.store, changed, 'password', from, secondFactor)
}

/** The credentials after the use of the code; null: it is wrong. */
function afterSecondFactor(parts: SignInParts, person: Person, code: string): Credentials | null {
  return person.credentials.totp === null ? person.credentials : spendCode(parts, person, code)
}

/** A wrong code counts as an attempt to sign in. */
async function checkCode(
  parts: SignInParts,
  person: Person,
  code: string,
  origin: SignInOrigin,
): Promise<void> {
  if (person.credentials.totp === null) return
  const device = deviceOf(parts, person.id, origin.device)
  const trying = { account: person.id, from: origin.group, device, what: 'code' } as const
  if ((await withAttempt(parts, trying, async () => spendCode(parts, person, code))) !== null) return
  parts.log.warn({ address: origin.address, personId: person.id }, 'a second factor was refused')
  throw wrongCode()
}

async function endAll({ store, clock }: SignInParts, person: Person, origin: SignInOrigin): Promise<void> {
  const now = clock.now()
  const count = (await store.sessions(person.id, now)).length
  const noted = count === 0 ? [] : sessionNotes(person, 'endSessions', origin, now, { count })
  await store.endSessions(person.id, { except: null }, noted)
}
