/** What every verb is given: on which database, for whom. */
import type { AccountsSnapshot, Principal } from '../accounts/account.ts'
import type { Seal } from '../accounts/seal.ts'
import type { TxtResolver } from '../accounts/verify.ts'
import type { Store } from '../store/store.ts'

/** Who asks. An operator acts above all companies; a member with what his key may do, within his own. */
export type Caller = { kind: 'operator' } | { kind: 'member'; principal: Principal }

export const OPERATOR: Caller = { kind: 'operator' }

export interface Operation {
  caller: Caller
  store: Store
  /** All accounts, as they were when the operation began. What the caller may see of them says `find.ts`. */
  accounts: AccountsSnapshot
  /** The name this service sends under, as in EHLO: it stands in DNS records. */
  hostname: string
  /** Opened when it is needed: it reads the secret key, and proves it on what is sealed. */
  seal(): Promise<Seal>
  resolver(): TxtResolver
  /** Unix ms. */
  now(): number
}
