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
  /** The cache of message copies for viewing. */
  copies: RawCopyCache
  /** Finds the address that a request comes from. */
  clientAddress: ClientAddress
  /** The beginning of links. */
  publicUrl: PublicUrl
  /** The beginning of links for programs. It differs on the console's own listener. */
  apiUrl: PublicUrl
  /** Tokens for the next pages of lists. */
  pageTokens: PageTokens
}
