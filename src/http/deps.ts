/** The dependencies of HTTP. They contain no driver and no queue: the service is assembled elsewhere. */

import type { Seal } from '../accounts/seal.ts'
import type { MemoryPlan } from '../config/memory-plan.ts'
import type { ReportReceiver } from '../domain-reports/received/report-receiver.ts'
import type { Live } from '../events/live.ts'
import type { Searches } from '../events/searches.ts'
import type { HandedInMail } from '../inbound/handed-in-mail.ts'
import type { IngressDeps } from '../ingress/deps.ts'
import type { LoopMonitor } from '../loop-monitor.ts'
import type { SendRequest } from '../network/outgoing.ts'
import type { Caller } from '../operate/authority.ts'
import type { UnsubscribeStore } from '../operate/unsubscribe.ts'
import type { Operation } from '../operate/verb.ts'
import type { AttemptCounter } from '../people/attempts.ts'
import type { AccountStore, RequestStore } from '../store/store.ts'
import type { ResentEmails, ShownEmails, SignInStore } from './console/store-port.ts'
import type { EmailOrigins } from './email-origin.ts'
import type { FormStore } from './form/store-port.ts'
import type { JsonStore } from './json/store-port.ts'
import type { StoredFiles } from './stored-files/store-port.ts'

export interface HttpDeps extends IngressDeps {
  /** False on a node without the role `api`, which serves only the pages. */
  api: boolean
  plan: MemoryPlan
  monitor: LoopMonitor
  /** Searches and counts of emails and events. */
  searches: Pick<Searches, 'busiest' | 'emails' | 'events' | 'groups' | 'tags'>
  /** The stream of changes for open consoles. */
  live: Pick<Live, 'watch'>
  /** Creates an operation for calling verbs on behalf of the caller, with the accounts that this node knows. */
  operation(caller: Caller): Operation
  /** The part of the store that routes use without a verb. Each area of routes declares its own port. */
  store: EmailOrigins &
    StoredFiles &
    JsonStore &
    FormStore &
    ShownEmails &
    ResentEmails &
    SignInStore &
    UnsubscribeStore &
    AttemptCounter &
    Pick<RequestStore, 'addApiRequests' | 'trimApiRequests'> &
    Pick<AccountStore, 'noteKeyUses'>
  /** Receives mail that came back and is handed in by programs. */
  handedInMail: Pick<HandedInMail, 'receive'>
  /** Takes in reports about the domains of this installation. */
  domainReports: ReportReceiver
  /** Seals secrets at rest. */
  seal: Seal
  /** Requests to other servers: only at public addresses, unless the settings allow others. */
  ask: SendRequest
  /** 32 octets for one purpose, derived from the installation's secret key. */
  derive(purpose: string): Buffer
  /** Version of the program, shown on the first page. */
  version: string
  /**
   * Resolves when the service can accept mail now (a commit succeeded, and `room` octets were written); rejects when it
   * cannot.
   */
  ready(room: number): Promise<void>
}
