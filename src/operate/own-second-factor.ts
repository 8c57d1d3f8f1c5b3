/** Two-step verification: an authenticator app, and the recovery codes that replace it. */
import { personName } from '../people/person.ts'
import { newRecoveryCodes } from '../people/recovery-codes.ts'
import { newTotpSecret, totpContext, totpStep, totpUri } from '../people/totp.ts'
import { OperateError } from './error.ts'
import { changeSelf, type OwnAccount, requireFresh } from './own-account.ts'
import type { SignInParts } from './sign-in.ts'

/** Ms for which a displayed secret can be confirmed. */
const SETUP_LASTS = 30 * 60_000

export interface TotpSetup {
  /** Base32, for apps that cannot scan. */
  secret: string
  /** The content of the QR code. */
  uri: string
  /** To be sent back with the first code. */
  ticket: string
}

/**
 * Starts the setup; nothing is stored until the first code. `issuer`: the name under which the app shows this
 * installation.
 */
export function beginTotp({ tickets, clock }: SignInParts, self: OwnAccount, issuer: string): TotpSetup {
  requireFresh(self, clock.now())
  const { id } = self.person
  const secret = newTotpSecret()
  const ticket = tickets.issue('totp', { personId: id, secret }, SETUP_LASTS, clock.now())
  return { secret, uri: totpUri(secret, personName(self.person), issuer), ticket }
}

/** The code proves that the app has the secret. Returns the recovery codes, which are shown only here. */
export async function turnOnTotp(
  parts: SignInParts,
  self: OwnAccount,
  { ticket, code }: { ticket: string; code: string },
): Promise<string[]> {
  const now = parts.clock.now()
  requireFresh(self, now)
  const held = parts.tickets.readTicket('totp', ticket, now)
  if (held === null || held.personId !== self.person.id) {
    throw new OperateError('conflict', 'this took too long: start again with a new code to scan')
  }
  const step = totpStep(held.secret, code.replace(/\s/g, ''), 0, now)
  if (step === null) {
    throw new OperateError(
      'invalid',
      'this code is wrong: check that the clock of your device is correct, and enter the next code',
    )
  }
  const sealed = parts.seal.seal(Buffer.from(held.secret), totpContext(self.person.id))
  const totp = { sealed: Buffer.from(sealed).toString('base64'), lastStep: step }
  const { codes, hashes } = newRecoveryCodes()
  await changeSelf(parts, self, 'turnOnTwoStepVerification', ({ credentials }) => ({
    credentials: { ...credentials, totp, recoveryCodes: hashes },
  }))
  return codes
}

export async function turnOffTotp(parts: SignInParts, self: OwnAccount): Promise<void> {
  requireFresh(self, parts.clock.now())
  await changeSelf(parts, self, 'turnOffTwoStepVerification', ({ credentials }) => {
    if (credentials.totp === null) throw new OperateError('nothing_to_do', 'two-step verification is off')
    return { credentials: { ...credentials, totp: null, recoveryCodes: [] } }
  })
}

/** Replaces the recovery codes. The new codes are shown only here. */
export async function renewRecoveryCodes(parts: SignInParts, self: OwnAccount): Promise<string[]> {
  requireFresh(self, parts.clock.now())
  const { codes, hashes } = newRecoveryCodes()
  await changeSelf(parts, self, 'renewRecoveryCodes', ({ credentials }) => {
    if (credentials.totp === null) {
      throw new OperateError('nothing_to_do', 'two-step verification is off, so there are no recovery codes')
    }
    return { credentials: { ...credentials, recoveryCodes: hashes } }
  })
  return codes
}
