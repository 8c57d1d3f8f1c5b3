/** Two-step verification of the person's own account. */
import { beginTotp, renewRecoveryCodes, turnOffTotp, turnOnTotp } from '../../../operate/own-second-factor.ts'
import type { TOTP_ROUTES } from '../contract/account.ts'
import type { Handlers } from '../handlers.ts'
import { refusalAsFault } from '../session/signing-in.ts'

export const totpHandlers: Handlers<typeof TOTP_ROUTES> = {
  'POST /account/totp': async (call, { signIn, publicUrl }) => {
    const { hostname } = new URL(publicUrl.urlOf(call.request.raw))
    return await refusalAsFault((async () => beginTotp(signIn, call, `Postroad ${hostname}`))())
  },

  'PUT /account/totp': async (call, { signIn }) => {
    return { codes: await refusalAsFault(turnOnTotp(signIn, call, call.body)) }
  },

  'DELETE /account/totp': async (call, { signIn }) => {
    await refusalAsFault(turnOffTotp(signIn, call))
    return {}
  },

  'POST /account/recovery-codes': async (call, { signIn }) => {
    return { codes: await refusalAsFault(renewRecoveryCodes(signIn, call)) }
  },
}
