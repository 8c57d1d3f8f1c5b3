import type { SignInParts } from '../../operate/sign-in.ts'
import type { HttpCore } from '../core.ts'
import type { Streams } from './live/streams.ts'
import type { ProviderCache } from './session/provider.ts'

/** The parts for the console's routes. */
export interface ConsoleCore extends HttpCore {
  signIn: SignInParts
  provider: ProviderCache
  streams: Streams
}
