/** The source addresses of mail, and their pools: `/v3/ips` and `/v3/ip_pools`. The operator assigns them. */
import type { Principal } from '../../../accounts/account.ts'
import { listDomains } from '../../../operate/domains.ts'
import { listPools, type PoolDescription, showPool } from '../../../operate/pools.ts'
import { listSourceAddresses, showSourceAddress } from '../../../operate/source-addresses.ts'
import type { Operation } from '../../../operate/verb.ts'
import { DOMAIN_NAME, SKIP, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { onOwnDomain } from '../own-domain.ts'
import { COUNT, FLAG, TEXT } from '../schemas.ts'

const TEXTS = { type: 'array', items: TEXT } as const
/** The most domains in one answer of the original service. */
const LIMIT = { type: 'integer', minimum: 1, maximum: 500 } as const

const listAddresses = route('GET /v3/ips', {
  operation: 'form_ip_list',
  access: 'reading',
  operationId: 'formListIps',
  summary: 'List the addresses that mail of the company leaves from',
  query: { type: 'object', properties: { dedicated: WORD, enabled: WORD } },
  answer: {
    type: 'object',
    properties: {
      items: TEXTS,
      total_count: COUNT,
      assignable_to_pools: { ...TEXTS, description: 'Always empty: the operator assigns addresses.' },
      details: { type: 'array', items: { type: 'object', properties: { ip: TEXT, is_on_warmup: FLAG } } },
    },
  },
})(async ({ caller, query: { dedicated } }, core) => {
  const all = await listSourceAddresses(await currentOperation(core, caller), {})
  const shown = all.filter((each) => dedicated === undefined || String(each.dedicated) === dedicated)
  return {
    items: shown.map(({ address }) => address),
    total_count: shown.length,
    assignable_to_pools: [],
    details: shown.map(({ address, warming }) => ({ ip: address, is_on_warmup: warming })),
  }
})

const showAddress = route('GET /v3/ips/:ip', {
  operation: 'form_ip_read',
  access: 'reading',
  operationId: 'formShowIp',
  summary: 'Get an address with its EHLO name, which its reverse DNS should be',
  answer: { type: 'object', properties: { ip: TEXT, rdns: TEXT, dedicated: FLAG } },
})(async ({ caller, params }, core) => {
  const op = await currentOperation(core, caller)
  const { address, helo, dedicated } = await showSourceAddress(op, { address: params.ip })
  return { ip: address, rdns: helo ?? '', dedicated }
})

const domainsOfAddress = route('GET /v3/ips/:ip/domains', {
  operation: 'form_ip_read',
  access: 'reading',
  operationId: 'formListDomainsOfIp',
  summary: 'List the domains whose mail leaves from an address',
  query: { type: 'object', properties: { limit: LIMIT, skip: SKIP, search: DOMAIN_NAME } },
  answer: {
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'object', properties: { domain: TEXT, ips: TEXTS } } },
      total_count: COUNT,
    },
  },
})(async ({ caller, params, query: { limit = 10, skip = 0, search = '' } }, core) => {
  const op = await currentOperation(core, caller)
  const { domains } = await showSourceAddress(op, { address: params.ip })
  const found = domains.filter((name) => name.includes(search.toLowerCase()))
  const all = await listSourceAddresses(op, {})
  const items = found.slice(skip, skip + limit).map((domain) => ({
    domain,
    ips: all.filter((each) => each.domains.includes(domain)).map(({ address }) => address),
  }))
  return { items, total_count: found.length }
})

const addressesOfDomain = route('GET /v3/domains/:domain/ips', {
  operation: 'form_ip_list',
  access: 'reading',
  operationId: 'formListIpsOfDomain',
  summary: 'List the addresses that mail of a domain leaves from',
  answer: { type: 'object', properties: { items: TEXTS, total_count: COUNT } },
})(async ({ caller, params }, core) => {
  const { op, domain } = await onOwnDomain(core, caller, params.domain)
  const all = await listSourceAddresses(op, {})
  const items = all.filter(({ domains }) => domains.includes(domain.name)).map(({ address }) => address)
  return { items, total_count: items.length }
})

const POOL = { pool_id: TEXT, name: TEXT, description: TEXT, ips: TEXTS, is_linked: FLAG } as const
const LINKED = {
  type: 'array',
  items: { type: 'object', properties: { id: TEXT, name: TEXT } },
} as const

/** Older and newer clients use different versions. */
const poolRoutes = (['/v1', '/v3'] as const).flatMap((version): Endpoint[] => {
  const named = version === '/v1' ? 'Old' : ''
  return [
    route(`GET ${version}/ip_pools`, {
      operation: 'form_ip_pool_list',
      access: 'reading',
      operationId: `formList${named}IpPools`,
      summary: 'List the pools that mail of the company leaves from',
      answer: {
        type: 'object',
        properties: {
          ip_pools: { type: 'array', items: { type: 'object', properties: POOL } },
          message: TEXT,
        },
      },
    })(async ({ caller }, core) => {
      const pools = await listPools(await currentOperation(core, caller), {})
      return { ip_pools: pools.map(poolJson), message: 'success' }
    }),
    route(`GET ${version}/ip_pools/:pool`, {
      operation: 'form_ip_pool_read',
      access: 'reading',
      operationId: `formShow${named}IpPool`,
      summary: 'Get a pool with the domains that it is assigned to',
      answer: { type: 'object', properties: { ...POOL, linked_domains: LINKED, message: TEXT } },
    })(async ({ caller, params }, core) => {
      const { op, pool } = await namedPool(core, caller, params.pool)
      return { ...poolJson(pool), linked_domains: await linkedDomains(op, pool), message: 'success' }
    }),
  ]
})

const domainsOfPool = route('GET /v3/ip_pools/:pool/domains', {
  operation: 'form_ip_pool_read',
  access: 'reading',
  operationId: 'formListDomainsOfIpPool',
  summary: 'List the domains that a pool is assigned to, on one page',
  answer: { type: 'object', properties: { domains: LINKED, paging: { type: 'object' } } },
})(async ({ caller, params }, core) => {
  const { op, pool } = await namedPool(core, caller, params.pool)
  return { domains: await linkedDomains(op, pool), paging: {} }
})

async function namedPool(
  core: HttpCore,
  caller: Principal,
  name: string,
): Promise<{ op: Operation; pool: PoolDescription }> {
  const op = await currentOperation(core, caller)
  return { op, pool: await showPool(op, { pool: name }) }
}

function poolJson({ name, addresses, domains, companies }: PoolDescription) {
  const is_linked = domains.length + companies.length > 0
  return { pool_id: name, name, description: '', ips: [...addresses], is_linked }
}

async function linkedDomains(
  op: Operation,
  { domains }: PoolDescription,
): Promise<{ id: string; name: string }[]> {
  const names = new Set(domains)
  const all = await listDomains(op, {})
  return all.filter(({ name }) => names.has(name)).map(({ id, name }) => ({ id, name }))
}

export const sourceRoutes: readonly Endpoint[] = [
  listAddresses,
  showAddress,
  domainsOfAddress,
  addressesOfDomain,
  ...poolRoutes,
  domainsOfPool,
]
