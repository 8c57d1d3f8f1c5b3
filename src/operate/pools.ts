/** Pools of source addresses: the addresses that mail of a domain or a company leaves from. */

import type { SendingDomain, SourcePool } from '../accounts/account.ts'
import { poolAddresses } from '../accounts/pool-addresses.ts'
import { warmUpDay } from '../accounts/warm-up-day.ts'
import { namedFew } from '../common/named-few.ts'
import { DAY_MS } from '../common/utc-day.ts'
import { canonicalAddress } from '../network/address-range.ts'
import type { PresentSources } from '../queue/present-sources.ts'
import { type AddressesInService, addressesInService } from './addresses-in-service.ts'
import type { AuditNote } from './audit-trail.ts'
import { visibleAccounts } from './authority.ts'
import { OperateError } from './error.ts'
import { findCompany, findDomain, noSuchDomain } from './find.ts'
import { type PoolUsers, usersOf } from './pool-users.ts'
import { sourcesInService } from './shared-closures.ts'
import { poolProblem } from './unusable-pools.ts'
import { type Operation, verb } from './verb.ts'

/** Pools at most: every node holds them in memory. */
const MAX_POOLS = 1_000
const MAX_ADDRESSES = 1_000

export interface PoolDescription extends SourcePool, PoolUsers {
  warmUps: WarmUpState[]
  /** Its addresses that no delivering node has: no mail leaves from them. */
  notInService: string[]
}

/** A pool that has got other addresses, and what follows for mail without an assigned pool. */
export interface ChangedPool extends PoolDescription {
  otherMail: {
    /** The addresses that it leaves from now; none: the system chooses. */
    addresses: readonly string[]
    /** The addresses among them that no delivering node has. */
    notInService: string[]
    /** No address is without a pool, so it leaves from those of all pools. */
    sharesAll: boolean
  }
}

/** An address that is warming up. */
export interface WarmUpState {
  address: string
  /** From 1. */
  day: number
  /** Messages that it may send to one site today; null: the warm-up is over. */
  limit: number | null
}

export interface PoolInput {
  /** Its name. */
  pool: string
  addresses: readonly string[]
}

export const createPool = verb(
  'operate',
  async (op, input: PoolInput): Promise<ChangedPool> => {
    const name = poolName(input.pool)
    const { pools } = op.accounts
    if (pools.some((pool) => pool.name === name)) {
      throw new OperateError('already_exists', `there is already a pool ${name}`, { verb: 'listPools' })
    }
    if (pools.length >= MAX_POOLS)
      throw new OperateError('over_limit', `there are ${MAX_POOLS} pools already`, { verb: 'listPools' })
    const pool = { name, addresses: parsePoolAddresses(input.addresses), warming: {}, createdAt: op.now() }
    await op.store.setSourcePool(pool)
    return await changed(op, pool)
  },
  { action: 'createPool', note: poolNote },
)

/** Replaces its addresses. */
export const changePool = verb(
  'operate',
  async (op, input: PoolInput): Promise<ChangedPool> => {
    const before = findPool(op, input.pool)
    const addresses = parsePoolAddresses(input.addresses)
    const kept = Object.entries(before.warming).filter(([address]) => addresses.includes(address))
    const pool = { ...before, addresses, warming: Object.fromEntries(kept) }
    await op.store.setSourcePool(pool)
    return await changed(op, pool)
  },
  { action: 'changePool', note: poolNote },
)

function poolNote({ pool, addresses }: PoolInput): AuditNote {
  return { target: pool, detail: { addresses: addresses.join(', ') } }
}

/** A member sees the pools of its company. */
export const listPools = verb('see', async (op, _input: object): Promise<PoolDescription[]> => {
  return await describedAll(op, visibleAccounts(op).pools)
})

export const showPool = verb('see', async (op, input: { pool: string }): Promise<PoolDescription> => {
  return await described(op, findPool(op, input.pool))
})

/** Waiting mail would have no source, so a pool that is assigned is not removed. */
export const removePool = verb(
  'operate',
  async (op, input: { pool: string }): Promise<SourcePool> => {
    const pool = findPool(op, input.pool)
    const { companies, domains } = usersOf(op, pool)
    const users = [...companies, ...domains]
    if (users.length > 0) {
      const message = `the pool ${pool.name} is assigned to ${namedFew(users, 'and')}; assign another pool first`
      throw new OperateError('conflict', message, { verb: 'listPools' })
    }
    await op.store.removeSourcePool(pool.name)
    return pool
  },
  { action: 'removePool', note: ({ pool }) => ({ target: pool }) },
)

/** Exactly one of the two, by name or id. */
export interface PoolUser {
  company?: string | undefined
  domain?: string | undefined
}

export interface AssignedPool {
  /** The name of the company or domain. */
  name: string
  /** Null: none is assigned. */
  pool: string | null
  /** Why no mail can leave from the pool now, as a sentence without a final dot; null: it can. */
  unusable: string | null
}

/**
 * From now on, mail of the domain, or of the company's domains without a pool, leaves from this pool; null: from any.
 */
export const assignPool = verb(
  'operate',
  async (op, input: PoolUser & { pool: string | null }): Promise<AssignedPool> => {
    const found = input.pool === null ? null : findPool(op, input.pool)
    const pool = found?.name ?? null
    const unusable = found && (await poolProblem(op, found))
    if ((input.company === undefined) === (input.domain === undefined)) {
      throw new OperateError('invalid', 'a pool is assigned to a company or to a domain: name one of the two')
    }
    if (input.domain === undefined) {
      const { id, name } = findCompany(op, input.company!)
      await op.store.updateCompany(id, { pool })
      return { name, pool, unusable }
    }
    const { id, name } = findDomain(op, input.domain)
    // The settings as they are now: those of the snapshot may have changed since, in this operation as well.
    const present = await op.store.findDomain(id)
    if (present === null) throw noSuchDomain(input.domain)
    const { pool: _, ...others } = present.settings
    await op.store.updateDomain(id, { settings: pool === null ? others : { ...others, pool } })
    return { name, pool, unusable }
  },
  {
    action: 'assignPool',
    note: ({ company, domain, pool }) => ({ target: domain ?? company ?? '', detail: { pool } }),
  },
)

/**
 * From now on, the address sends no more to each site than on this day of the schedule, and more each day; null: no
 * limit holds any more.
 */
export const warmUpAddress = verb(
  'operate',
  async (op, input: { pool: string; address: string; day: number | null }): Promise<PoolDescription> => {
    const pool = findPool(op, input.pool)
    const [address] = parsePoolAddresses([input.address])
    if (!pool.addresses.includes(address!)) {
      throw new OperateError('not_found', `the pool ${pool.name} has no address ${address}`, {
        verb: 'listPools',
      })
    }
    const { [address!]: _, ...others } = pool.warming
    const { day } = input
    if (day !== null && !(Number.isInteger(day) && day >= 1 && day <= 1_000))
      throw new OperateError('invalid', 'the day must be a whole number from 1 to 1000')
    const begun = day === null ? {} : { [address!]: op.now() - (day - 1) * DAY_MS }
    const changed = { ...pool, warming: { ...others, ...begun } }
    await op.store.setSourcePool(changed)
    return await described(op, changed)
  },
  {
    action: 'warmUpAddress',
    note: ({ pool, address, day }) => ({ target: pool, detail: { address, day } }),
  },
)

/** The pool that mail of a domain leaves from. */
export interface PoolOfDomain {
  name: string
  /** The domain has none of its own: it is that of its company. */
  isOfCompany: boolean
  /** Why no mail can leave from it now, as a sentence without a final dot; null: it can. */
  unusable: string | null
}

/** Null: none is assigned to the domain or its company. */
export async function poolOfDomain(
  op: Operation,
  { companyId, settings }: Pick<SendingDomain, 'companyId' | 'settings'>,
): Promise<PoolOfDomain | null> {
  const ofCompany = op.accounts.companies.find(({ id }) => id === companyId)?.pool ?? null
  const name = settings.pool ?? ofCompany
  const pool = op.accounts.pools.find((each) => each.name === name)
  if (pool === undefined) return null
  const unusable = await poolProblem(op, pool)
  return { name: pool.name, isOfCompany: settings.pool === undefined, unusable }
}

function findPool(op: Operation, name: string): SourcePool {
  const pool = visibleAccounts(op).pools.find((each) => each.name === name.toLowerCase())
  if (pool !== undefined) return pool
  throw new OperateError('not_found', `there is no pool ${name}`, { verb: 'listPools' })
}

async function described(op: Operation, pool: SourcePool): Promise<PoolDescription> {
  const [description] = await describedAll(op, [pool])
  return description!
}

async function describedAll(op: Operation, pools: readonly SourcePool[]): Promise<PoolDescription[]> {
  if (pools.length === 0) return []
  const service = await addressesInService(op, await reportedSources(op))
  return pools.map((pool) => describedIn(op, service, pool))
}

function describedIn(op: Operation, { isHere }: AddressesInService, pool: SourcePool): PoolDescription {
  return {
    ...pool,
    ...usersOf(op, pool),
    notInService: pool.addresses.filter((address) => !isHere(address)),
    warmUps: Object.entries(pool.warming).map(([address, since]) => {
      const day = warmUpDay(since, op.now())
      return { address, day, limit: op.setup.warmUp[day - 1] ?? null }
    }),
  }
}

async function changed(op: Operation, pool: SourcePool): Promise<ChangedPool> {
  const reported = await reportedSources(op)
  const service = await addressesInService(op, reported)
  // Other nodes may have other addresses.
  const configured = (op.setup.sourceAddresses ?? []).map(({ address }) => address)
  const all = [...new Set([...configured, ...(reported ?? [])])]
  const pools = [...op.accounts.pools.filter(({ name }) => name !== pool.name), pool]
  const addresses = poolAddresses({ pools, all }, null) ?? []
  const otherMail = {
    addresses,
    notInService: addresses.filter((address) => !service.isHere(address)),
    sharesAll: addresses === all && all.length > 0,
  }
  return { ...describedIn(op, service, pool), otherMail }
}

async function reportedSources({ store }: Operation): Promise<PresentSources> {
  return sourcesInService(await store.nodes())
}

function poolName(text: string): string {
  const name = text.toLowerCase()
  if (/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) return name
  throw new OperateError(
    'invalid',
    'the name of a pool must have 1 to 63 letters, digits, hyphens and underscores, and begin with a letter or digit',
  )
}

function parsePoolAddresses(texts: readonly string[]): string[] {
  const addresses = texts.map((text) => {
    const address = canonicalAddress(text)
    if (address === null) throw new OperateError('invalid', `"${text}" is not an IP address`)
    return address
  })
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES)
    throw new OperateError('invalid', `a pool must have 1 to ${MAX_ADDRESSES} addresses`)
  return [...new Set(addresses)]
}
