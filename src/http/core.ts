import type { Answers } from './answer.ts'
import type { BodyLimit } from './body.ts'
import type { Callers } from './caller.ts'
import type { ClientAddress } from './client-address.ts'
import type { Copies } from './copies.ts'
import type { HttpDeps } from './deps.ts'
import type { PageTokens } from './page-tokens.ts'
import type { PublicUrl } from './public-url.ts'
import type { SmtpLogins } from './smtp-logins.ts'

/** The server's parts for every API. */
export interface HttpCore {
  deps: HttpDeps
  answers: Answers
  /** The limit for `readBody`. */
  limit: BodyLimit
  /** Copies of messages that are viewed. */
  copies: Copies
  /** Authentication by key. */
  callers: Callers
  /** SMTP logins with a password that a client chose. */
  smtpLogins: SmtpLogins
  /** The addresses that requests come from. */
  clientAddress: ClientAddress
  /** The beginning of links. */
  publicUrl: PublicUrl
  /** The same for programs: the console may have an address of its own. */
  apiUrl: PublicUrl
  /** Tokens for the next pages of lists. */
  pageTokens: PageTokens
}
