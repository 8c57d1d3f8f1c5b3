/** The source addresses that mail of the caller's companies and domains may leave from. */
import { DEFAULT_POOL, type SourcePool } from '../accounts/account.ts'
import { poolAddresses } from '../accounts/pool-addresses.ts'
import { warmUpDay } from '../accounts/warm-up-day.ts'
import { canonicalAddress } from '../network/address-range.ts'
import { visibleAccounts } from './authority.ts'
import { OperateError } from './error.ts'
import { poolUsers } from './pool-users.ts'
import { type Operation, verb } from './verb.ts'

export interface SourceAddressDescription {
  address: string
  /** Its name in EHLO; null: this node does not know it. */
  helo: string | null
  /** Names of the domains whose mail may leave from it. */
  domains: string[]
  /** Only mail of one company leaves from it. */
  dedicated: boolean
  /** It sends fewer messages than it will. */
  warming: boolean
}

/** None where mail leaves through a relay, or where the system chooses the address. */
export const listSourceAddresses = verb('see', async (op, _input: object) => described(op))

/** Throws `not_found`. */
export const showSourceAddress = verb('see', async (op, input: { address: string }) => {
  const wanted = canonicalAddress(input.address)
  const found = described(op).find(({ address }) => address === wanted)
  if (found !== undefined) return found
  throw new OperateError('not_found', `no mail leaves from ${input.address}`, { verb: 'listPools' })
})

function described(op: Operation): SourceAddressDescription[] {
  if (op.setup.delivery.kind === 'relay') return []
  const { companies, domains } = visibleAccounts(op)
  const users = poolUsers(op.accounts)
  const found = new Map<string, SourceAddressDescription>()
  const note = (pool: string | null, domain: string | null) => {
    for (const address of addressesOfPool(op, pool)) {
      const known = found.get(address) ?? describe(op, address, users)
      found.set(address, known)
      if (domain !== null) known.domains.push(domain)
    }
  }
  const poolOfCompany = new Map(companies.map(({ id, pool }) => [id, pool]))
  for (const { pool = null } of companies) note(pool, null)
  for (const { name, companyId, settings } of domains) {
    note(settings.pool ?? poolOfCompany.get(companyId) ?? null, name)
  }
  return [...found.values()]
}

function addressesOfPool({ accounts, setup }: Operation, wanted: string | null): readonly string[] {
  const all = (setup.sourceAddresses ?? []).map(({ address }) => address)
  return poolAddresses({ pools: accounts.pools, all }, wanted) ?? []
}

function describe(
  { accounts, setup, now }: Operation,
  address: string,
  users: ReadonlyMap<string, ReadonlySet<string>>,
): SourceAddressDescription {
  const holding = accounts.pools.filter(({ addresses }) => addresses.includes(address))
  const companies = new Set(holding.flatMap(({ name }) => [...(users.get(name) ?? [])]))
  const isFree = holding.length === 0 || holding.some(({ name }) => name === DEFAULT_POOL)
  return {
    address,
    helo: setup.sourceAddresses?.find((each) => each.address === address)?.helo ?? null,
    domains: [],
    dedicated: !isFree && companies.size === 1,
    warming: holding.some((pool) => isWarming(pool, address, setup.warmUp, now())),
  }
}

function isWarming(
  { warming }: SourcePool,
  address: string,
  schedule: readonly number[],
  now: number,
): boolean {
  const since = warming[address]
  return since !== undefined && schedule[warmUpDay(since, now) - 1] !== undefined
}
