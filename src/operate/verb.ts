/** How a verb is made, and what it is given. */
import type { Seal } from '../accounts/seal.ts'
import type { TxtResolver } from '../accounts/verify.ts'
import type { Settings } from '../config/settings.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Outgoing } from '../network/outgoing.ts'
import type { AddressGuard } from '../network/private-address.ts'
import type { Store } from '../store/store.ts'
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
  /** Unix ms. */
  now(): number
}

export interface Verb<Context, Input, Result> {
  (context: Context, input: Input): Promise<Result>
  /** What it asks of its caller. */
  readonly right: Right
}

/**
 * A verb: authorised before it does anything, and with OperateError as its one kind of error. Results are data; words
 * for people are the caller's.
 */
export function verb<Input, Result, Context extends { caller: Caller } = Operation>(
  right: Right,
  work: (context: Context, input: Input) => Promise<Result>,
): Verb<Context, Input, Result> {
  const call = async (context: Context, input: Input): Promise<Result> => {
    authorise(context.caller, right)
    try {
      return await work(context, input)
    } catch (error) {
      throw asOperateError(error)
    }
  }
  return Object.assign(call, { right })
}
