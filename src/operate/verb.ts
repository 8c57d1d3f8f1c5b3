/** How a verb is made, and what it is given. */
import type { Seal } from '../accounts/seal.ts'
import type { TxtResolver } from '../accounts/verify.ts'
import type { Settings } from '../config/settings.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Outgoing } from '../network/outgoing.ts'
import type { AddressGuard } from '../network/private-address.ts'
import type { Store } from '../store/store.ts'
import type { Workers } from '../workers/workers.ts'
import { type Audit, type Auditing, audited } from './audited.ts'
import { authorise, type Caller, type Right, type Who } from './authority.ts'
import { asOperateError } from './error.ts'

export type Hosts = Pick<Resolver, 'mx' | 'addresses' | 'names'>
export type Setup = Pick<Settings, 'database' | 'delivery' | 'smtpPort'>

/** On which database, for whom. `accounts`: as they were when the operation began. */
export interface Operation extends Who {
  store: Store
  /** The name this service sends under, as in EHLO: it stands in DNS records. */
  hostname: string
  /** Where recipients and clients reach it; null: nobody has said. */
  publicUrl: string | null
  /** Where the HTTP endpoints are reached, without a slash at its end. */
  apiUrl(): string
  /** Opened when it is needed: it reads the secret key, and proves it on what is sealed. */
  seal(): Promise<Seal>
  resolver(): TxtResolver
  /** For mail servers, addresses, and what these are called. */
  hosts(): Hosts
  /** What of the settings a person has to know who wants to see mail arrive. */
  setup: Setup
  /**
   * To be closed by whoever asks for it. `anywhere`: also addresses that are not public, whatever the settings say.
   */
  outgoing(options?: { anywhere?: boolean; connections?: number }): Outgoing
  /** What strangers may name to be connected to. */
  guard(): AddressGuard
  /** Where large messages are composed; null: here, for nobody else waits for this process. */
  workers: Workers | null
  /** For what may take long to find or to add up; `companyId`: null for all of them. Rejects with SearchesBusy. */
  inTurn<Result>(companyId: string | null, look: () => Promise<Result>): Promise<Result>
  /** Unix ms. */
  now(): number
  /** It is part of something that the audit list has as a whole. */
  isNoted?: true
  /** The number of its entry there. */
  entry?: number | null
}

export interface Verb<Context, Input, Result> {
  (context: Context, input: Input): Promise<Result>
  /** What it asks of its caller. */
  readonly right: Right
  /** How it is noted. Null: it changes no settings. */
  readonly audit: Audit<Input, Result> | null
}

type Work<Context, Input, Result> = (context: Context, input: Input) => Promise<Result>

/** Rights of verbs that change something, as a rule: each says how it is noted, or that it changes no settings. */
type ChangingRight = Exclude<Right, 'see' | 'read'>

/**
 * A verb: authorised before it does anything, noted where it changes settings, and with OperateError as its one kind of
 * error. Results are data; words for people are the caller's.
 */
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: Exclude<Right, ChangingRight>,
  work: Work<Context, Input, Result>,
): Verb<Context, Input, Result>
export function verb<Input extends object, Result>(
  right: ChangingRight,
  work: Work<Operation, Input, Result>,
  audit: Audit<NoInfer<Input>, NoInfer<Result>>,
): Verb<Operation, Input, Result>
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: ChangingRight,
  work: Work<Context, Input, Result>,
  audit: null,
): Verb<Context, Input, Result>
export function verb<Input extends object, Result, Context extends { caller: Caller }>(
  right: Right,
  work: Work<Context, Input, Result>,
  audit: Audit<Input, Result> | null = null,
): Verb<Context, Input, Result> {
  const call = async (context: Context, input: Input): Promise<Result> => {
    authorise(context.caller, right)
    try {
      if (audit === null) return await work(context, input)
      const noting = context as unknown as Auditing
      return await audited(noting, audit, input, (entry) => work({ ...context, isNoted: true, entry }, input))
    } catch (error) {
      throw asOperateError(error)
    }
  }
  return Object.assign(call, { right, audit })
}
