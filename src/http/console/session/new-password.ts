/** A new password for people who have forgotten theirs, by a link that is mailed to them. */
import { OperateError } from '../../../operate/error.ts'
import { type PasswordMailer, readPasswordLink, resetPassword } from '../../../operate/password-reset.ts'
import type { NEW_PASSWORD_ROUTES } from '../contract/session.ts'
import type { ConsoleCore } from '../core.ts'
import type { Handlers } from '../handlers.ts'
import { originOf, refusalAsFault, signedIn } from './signing-in.ts'

/**
 * Null: nothing is mailed, because there is no sender, no URL that a stranger's request cannot change, or because mail
 * is only captured, where others read it.
 */
export function passwordMailer({
  deps: { systemMail, settings },
  publicUrl,
}: ConsoleCore): PasswordMailer | null {
  const base = publicUrl.configured
  if (systemMail === null || base === null || settings.delivery.kind === 'capture') return null
  return { base, send: (mail) => systemMail.send(mail) }
}

export const newPasswordHandlers: Handlers<typeof NEW_PASSWORD_ROUTES> = {
  'POST /session/forgotten': async ({ body, request }, core) => {
    const mailer = passwordMailer(core)
    if (mailer === null)
      throw new OperateError('conflict', 'this installation mails no links for a new password')
    await refusalAsFault(core.passwordLinks.ask(body.address, originOf(core, request), mailer))
    return {}
  },

  // A POST, so that the token is in no address and in no log.
  'POST /session/new-password/read': async ({ body }, core) => {
    const { person } = await readPasswordLink(core.signIn, core.linkTokens, body.token)
    return { address: person.address, secondFactor: person.credentials.totp !== null }
  },

  'POST /session/new-password': async ({ body, request }, core) => {
    const { token, password, code } = body
    const reset = resetPassword(
      core.signIn,
      core.linkTokens,
      { token, password, code },
      originOf(core, request),
    )
    return await signedIn(core, request, await refusalAsFault(reset))
  },
}
