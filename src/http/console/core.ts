import type { LinkTokens } from '../../email/mailed-links.ts'
import type { PasswordLinks } from '../../operate/password-reset.ts'
import type { SignInParts } from '../../operate/sign-in.ts'
import type { HttpCore } from '../core.ts'
import type { Streams } from './live/streams.ts'
import type { ProviderCache } from './session/provider.ts'

/** The parts for the console's routes. */
export interface ConsoleCore extends HttpCore {
  signIn: SignInParts
  passwordLinks: PasswordLinks
  linkTokens: LinkTokens
  provider: ProviderCache
  streams: Streams
}
