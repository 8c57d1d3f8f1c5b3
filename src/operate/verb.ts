/** Verbs, and the context they get. */

import type { RecordResolver } from '../accounts/record-check.ts'
import type { Seal } from '../accounts/seal.ts'
import type { Settings } from '../config/settings.ts'
import type { SiteTable } from '../delivery/sites/site-table.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Outgoing, OutgoingOptions } from '../network/outgoing.ts'
import type { AddressGuard } from '../network/private-address.ts'
import type { Store } from '../store/store.ts'
import type { Workers } from '../workers/workers.ts'
import { type Audit, type AuditContext, withAudit } from './audit-trail.ts'
import { authorise, type Caller, type CallerContext, type Right } from './authority.ts'
import { asOperateError } from './error.ts'
import type { PresentDeliveries } from './present-deliveries.ts'
import type { SharedExplanations } from './shared-explanations.ts'

export type Hosts = Pick<Resolver, 'mx' | 'addresses' | 'names' | 'ns' | 'txt' | 'tlsa'>
export type Setup = Pick<
  Settings,
  | 'allowPrivateNetworks'
  | 'bounceHost'
  | 'bounceMailbox'
  | 'bounceListeners'
  | 'console'
  | 'database'
  | 'deliverWithin'
  | 'delivery'
  | 'dkimRotation'
  | 'dkimZone'
  | 'domainGrace'
  | 'fullMailbox'
  | 'listen'
  | 'metrics'
  | 'dnsServers'
  | 'dnsValidating'
  | 'publicUrl'
  | 'retrySchedule'
  | 'siteConcurrency'
  | 'smtpPort'
  | 'sites'
  | 'sourceAddresses'
  | 'submission'
  | 'systemFrom'
  | 'tls'
  | 'trustedProxies'
  | 'warmUp'
>

/** The context of a verb: the database and the caller. `accounts`: as they were when the operation began. */
export interface Operation extends CallerContext {
  store: Store
  /** The name this service sends under, as in EHLO; it appears in DNS records. */
  hostname: string
  /** Where recipients and clients reach this service; null: not configured. */
  publicUrl: string | null
  /** The base URL of the HTTP endpoints, without a trailing slash. */
  apiUrl(): string
  /** Opens the seal on first use: reads the secret key, and checks it against sealed data. */
  seal(): Promise<Seal>
  resolver(): RecordResolver
  /** Looks up mail servers, addresses, and reverse names. */
  hosts(): Hosts
  /** Null: the process does not serve, and makes one explanation. */
  explanations: SharedExplanations | null
  /** Null: the process does not deliver. */
  deliveries: PresentDeliveries | null
  /** The limits of sites that are in force. Throws SitesError when the operator's file cannot be used. */
  sites(): SiteTable
  /** The settings that matter to a person who wants to see mail arrive. */
  setup: Setup
  /**
   * The caller has to close it. `anywhere`: also allow addresses that are not public, whatever the settings say;
   * `allowLoopback`: also allow those of this machine.
   */
  outgoing(
    options?: { anywhere?: boolean; allowLoopback?: boolean; connections?: number } & Pick<
      OutgoingOptions,
      'onCertificate'
    >,
  ): Outgoing
  /** Checks addresses that untrusted callers name as targets of connections. */
  guard(): AddressGuard
  /** Composes large messages; null: they are composed on this thread, because the process does nothing else. */
  workers: Workers | null
  /** Queues a search or sum that may take long; `companyId`: null for all companies. Rejects with SearchesBusy. */
  inTurn<Result>(companyId: string | null, look: () => Promise<Result>): Promise<Result>
  /** Queues the look-ups for a domain of the company, whose name servers may be slow. Rejects with SearchesBusy. */
  inDnsTurn<Result>(companyId: string, ask: () => Promise<Result>): Promise<Result>
  /** Unix ms. */
  now(): number
  /** The call is part of a change that the audit list records as a whole. */
  isNoted?: true
  /** The number of its entry there. */
  entry?: number | null
}

export interface Verb<Context, Input, Result> {
  (context: Context, input: Input): Promise<Result>
  /** The right that the caller needs. */
  readonly right: Right
  /** How the verb is recorded in the audit list. Null: it changes no settings. */
  readonly audit: Audit<Input, Result> | null
}

type VerbWork<Context, Input, Result> = (context: Context, input: Input) => Promise<Result>

/**
 * Rights of verbs that usually change something: each such verb defines its audit entry, or passes null because it
 * changes no settings.
 */
type ChangingRight = Exclude<Right, 'see' | 'read'>

/**
 * Makes a verb: the call is authorised before it does anything, recorded if it changes settings, and rejects with
 * OperateError for every expected error. Results are data; the interfaces word them for people.
 */
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: Exclude<Right, ChangingRight>,
  work: VerbWork<Context, Input, Result>,
): Verb<Context, Input, Result>
export function verb<Input extends object, Result>(
  right: ChangingRight,
  work: VerbWork<Operation, Input, Result>,
  audit: Audit<NoInfer<Input>, NoInfer<Result>>,
): Verb<Operation, Input, Result>
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: ChangingRight,
  work: VerbWork<Context, Input, Result>,
  audit: null,
): Verb<Context, Input, Result>
export function verb<Input extends object, Result, Context extends { caller: Caller }>(
  right: Right,
  work: VerbWork<Context, Input, Result>,
  audit: Audit<Input, Result> | null = null,
): Verb<Context, Input, Result> {
  const call = async (context: Context, input: Input): Promise<Result> => {
    authorise(context.caller, right)
    try {
      if (audit === null) return await work(context, input)
      const noting = context as unknown as AuditContext
      return await withAudit(noting, audit, input, (entry) =>
        work({ ...context, isNoted: true, entry }, input),
      )
    } catch (error) {
      throw asOperateError(error)
    }
  }
  return Object.assign(call, { right, audit })
}
