import type { ClientAddress } from '../ingress/client-address.ts'
import type { Ingress } from '../ingress/ingress.ts'
import type { AnswerSender } from './answer.ts'
import type { BodyLimit } from './body.ts'
import type { HttpDeps } from './deps.ts'
import type { PageTokens } from './page-tokens.ts'
import type { PublicUrl } from './public-url.ts'
import type { RawCopyCache } from './raw-copy-cache.ts'

/** The server's parts for every API. */
export interface HttpCore extends Ingress {
  deps: HttpDeps
  answers: AnswerSender
  /** The limit for `readBody`. */
  limit: BodyLimit
  /** Copies of messages that are viewed. */
  copies: RawCopyCache
  /** The addresses that requests come from. */
  clientAddress: ClientAddress
  /** The beginning of links. */
  publicUrl: PublicUrl
  /** The same for programs: the console may have an address of its own. */
  apiUrl: PublicUrl
  /** Tokens for the next pages of lists. */
  pageTokens: PageTokens
}
