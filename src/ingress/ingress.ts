/** The parts that HTTP and SMTP share: their limits hold for both together. */
import type { Admission } from './admission/admission.ts'
import type { Callers } from './caller.ts'
import type { IngressDeps } from './deps.ts'
import type { Reasons } from './reasons.ts'
import type { RequestLog } from './request-log/request-log.ts'
import type { SmtpLogins } from './smtp-logins.ts'

export interface Ingress {
  deps: IngressDeps
  admission: Admission
  /** Authentication by key. */
  callers: Callers
  /** SMTP logins with a password that a client chose. */
  smtpLogins: SmtpLogins
  /** Turns thrown errors into the reasons that clients get. */
  reasons: Reasons
  /** The log of the requests of clients and the answers to them. */
  requestLog: RequestLog
}
