import type { Answers } from './answer.ts'
import type { BodyLimit } from './body.ts'
import type { Callers } from './caller.ts'
import type { ClientAddress } from './client-address.ts'
import type { Copies } from './copies.ts'
import type { HttpDeps } from './deps.ts'
import type { PageTokens } from './page-tokens.ts'
import type { PublicUrl } from './public-url.ts'
import type { SmtpLogins } from './smtp-logins.ts'

/** What the server has for every API. */
export interface HttpCore {
  deps: HttpDeps
  answers: Answers
  /** To read a body with (`readBody`). */
  limit: BodyLimit
  /** Messages that somebody looks at. */
  copies: Copies
  /** Who holds a key. */
  callers: Callers
  /** Logins over SMTP with a password that somebody chose. */
  smtpLogins: SmtpLogins
  /** Where requests come from. */
  clientAddress: ClientAddress
  /** What links begin with. */
  publicUrl: PublicUrl
  /** The same for programs: the console may have an address of its own. */
  apiUrl: PublicUrl
  /** Where lists go on. */
  pageTokens: PageTokens
}
