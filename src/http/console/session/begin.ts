/** Sign-in by password, and by the second factor where one is set. */
import { signInByPassword, signInBySecondFactor } from '../../../operate/sign-in.ts'
import type { SIGN_IN_ROUTES } from '../contract/session.ts'
import { ConsoleAnswer, type Handlers } from '../handlers.ts'
import { originOf, refusalAsFault, signedIn } from './signing-in.ts'

export const signInHandlers: Handlers<typeof SIGN_IN_ROUTES> = {
  'POST /session/password': async ({ body, request }, core) => {
    const proved = await refusalAsFault(signInByPassword(core.signIn, body, originOf(core, request)))
    if ('ticket' in proved) return new ConsoleAnswer({ ticket: proved.ticket }, { status: 202 })
    return await signedIn(core, request, proved.begun)
  },

  'POST /session/second-factor': async ({ body, request }, core) => {
    const newSession = await refusalAsFault(signInBySecondFactor(core.signIn, body, originOf(core, request)))
    return await signedIn(core, request, newSession)
  },
}
