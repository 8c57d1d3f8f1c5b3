/** Sign-in by password, and by the second factor where one is set. */
import { type SignInParts, signInByPassword, signInBySecondFactor } from '../../../operate/sign-in.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { ME, PASSWORD, SECOND_FACTOR, SECOND_STEP } from '../contract/session.ts'
import { originOf, signedIn, unlessRefused } from './signing-in.ts'

export function sessionBeginEndpoints(parts: SignInParts): Endpoint[] {
  const withPassword = endpoint({
    method: 'POST',
    url: '/console/api/session/password',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithPassword',
      summary: 'Sign in with address and password',
      body: PASSWORD,
      response: { 200: ME, 202: SECOND_STEP },
    },
  })(async ({ body, request }, core) => {
    const proved = await unlessRefused(signInByPassword(parts, body, originOf(core, request)))
    if ('ticket' in proved) return { status: 202, body: { ticket: proved.ticket } }
    return await signedIn(core, parts, request, proved.begun)
  })

  const withSecondFactor = endpoint({
    method: 'POST',
    url: '/console/api/session/second-factor',
    operation: 'console_sign_in',
    access: 'stranger',
    schema: {
      operationId: 'signInWithSecondFactor',
      summary: 'Complete the second step of a sign-in',
      body: SECOND_FACTOR,
      response: { 200: ME },
    },
  })(async ({ body, request }, core) => {
    const begun = await unlessRefused(signInBySecondFactor(parts, body, originOf(core, request)))
    return await signedIn(core, parts, request, begun)
  })

  return [withPassword, withSecondFactor]
}
