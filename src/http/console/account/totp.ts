/** Two-step verification of the person's own account. */
import { beginTotp, renewRecoveryCodes, turnOffTotp, turnOnTotp } from '../../../operate/own-second-factor.ts'
import type { SignInParts } from '../../../operate/sign-in.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { RECOVERY_CODES, TOTP_PROOF, TOTP_SETUP } from '../contract/account.ts'
import { DONE } from '../contract/shapes.ts'
import { unlessRefused } from '../session/signing-in.ts'

export function totpEndpoints(parts: SignInParts): Endpoint[] {
  const begin = endpoint({
    method: 'POST',
    url: '/console/api/account/totp',
    operation: 'console_totp_begin',
    access: 'person',
    schema: {
      operationId: 'beginTotp',
      summary: 'Create a secret for your authenticator app; it takes effect once confirmed',
      response: { 200: TOTP_SETUP },
    },
  })(async ({ caller, request }, core) => {
    const { hostname } = new URL(core.publicUrl.of(request.raw))
    const body = await unlessRefused((async () => beginTotp(parts, caller, `Postroad ${hostname}`))())
    return { status: 200, body }
  })

  const turnOn = endpoint({
    method: 'PUT',
    url: '/console/api/account/totp',
    operation: 'console_totp_on',
    access: 'person',
    schema: {
      operationId: 'turnOnTotp',
      summary: 'Confirm the secret with a first code and turn on two-step verification',
      body: TOTP_PROOF,
      response: { 200: RECOVERY_CODES },
    },
  })(async ({ caller, body }) => {
    return { status: 200, body: { codes: await unlessRefused(turnOnTotp(parts, caller, body)) } }
  })

  const turnOff = endpoint({
    method: 'DELETE',
    url: '/console/api/account/totp',
    operation: 'console_totp_off',
    access: 'person',
    schema: {
      operationId: 'turnOffTotp',
      summary: 'Turn off two-step verification',
      response: { 200: DONE },
    },
  })(async ({ caller }) => {
    await unlessRefused(turnOffTotp(parts, caller))
    return { status: 200, body: {} }
  })

  const renew = endpoint({
    method: 'POST',
    url: '/console/api/account/recovery-codes',
    operation: 'console_recovery_codes',
    access: 'person',
    schema: {
      operationId: 'renewRecoveryCodes',
      summary: 'Replace your recovery codes',
      response: { 200: RECOVERY_CODES },
    },
  })(async ({ caller }) => {
    return { status: 200, body: { codes: await unlessRefused(renewRecoveryCodes(parts, caller)) } }
  })

  return [begin, turnOn, turnOff, renew]
}
