import type { Command } from 'commander'
import { DEFAULT_POOL } from '../accounts/account.ts'
import {
  type AssignedPool,
  assignPool,
  type ChangedPool,
  changePool,
  createPool,
  listPools,
  type PoolDescription,
  type PoolUser,
  removePool,
  showPool,
  warmUpAddress,
} from '../operate/pools.ts'
import { changedPoolJson, poolJson } from '../operate/shapes/pool.ts'
import { command, group, type JsonOption } from './command.ts'
import { WrongUsage } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine, printNote } from './print.ts'

export function addPool(program: Command): void {
  const pool = group(
    program,
    'pool',
    'Pools of source addresses: the addresses that mail of a domain or a company leaves from.',
    ['pool create news 192.0.2.1 192.0.2.2', 'domain update news.example.com --pool news'],
  )
  command(pool, {
    usage: 'create <pool> <addresses...>',
    description: 'Create a pool of source addresses.',
    details:
      'The addresses are those of POSTROAD_SOURCE_ADDRESSES, of any node or behind a proxy. Mail without an assigned pool leaves from the pool "default" ' +
      'if there is one, otherwise from the addresses that are in no pool.',
    examples: ['pool create news 192.0.2.1 192.0.2.2', 'pool create default 192.0.2.3 2001:db8::3'],
  }).action(changeAction(createPool, 'Created'))
  command(pool, {
    usage: 'change <pool> <addresses...>',
    description: 'Replace the addresses of a pool.',
    examples: ['pool change news 192.0.2.1 192.0.2.4'],
  }).action(changeAction(changePool, 'Changed'))
  command(pool, { usage: 'list', description: 'List the pools.', examples: ['pool list'] }).action(list)
  command(pool, {
    usage: 'show <pool>',
    description: 'Show a pool, and the domains and companies that send from it.',
    examples: ['pool show news'],
  }).action(show)
  command(pool, {
    usage: 'warm-up <pool> <address>',
    description: 'Let a new address send a few messages to each site on the first day, and more each day.',
    details:
      'The limits are those of POSTROAD_WARM_UP. Mail beyond them leaves from the other addresses of the pool, or waits until the next ' +
      'day (UTC).',
    examples: [
      'pool warm-up news 192.0.2.2',
      'pool warm-up news 192.0.2.2 --day 4',
      'pool warm-up news 192.0.2.2 --off',
    ],
  })
    .option('--day <number>', 'begin with the limit of this day', Number)
    .option('--off', 'end the warm-up: the address has no such limit any more')
    .action(warmUp)
  command(pool, {
    usage: 'remove <pool>',
    description: 'Remove a pool that no domain or company sends from.',
    examples: ['pool remove news'],
  }).action(remove)
  const owned = (parent: Command) =>
    parent
      .option('--domain <domain or id>', 'the mail of this sending domain')
      .option('--company <name or id>', 'the mail of all domains of this company without a pool of their own')
  owned(
    command(pool, {
      usage: 'assign <pool>',
      description: 'Send the mail of a domain or a company from this pool from now on.',
      examples: ['pool assign news --company Acme', 'pool assign news --domain news.example.com'],
    }),
  ).action((name: string, options) => assign(name, options))
  owned(
    command(pool, {
      usage: 'unassign',
      description: 'Stop sending the mail of a domain or a company from a pool of its own.',
      examples: ['pool unassign --company Acme'],
    }),
  ).action((options) => assign(null, options))
}

function changeAction(work: typeof createPool, done: string) {
  return async (pool: string, addresses: string[], { json }: JsonOption): Promise<void> => {
    const changed = await withOperation((op) => work(op, { pool, addresses }))
    if (json) return printJson(changedPoolJson(changed))
    printLine(`${done} the pool ${changed.name}: ${changed.addresses.join(', ')}.`)
    const { notInService } = changed
    if (notInService.length > 0) printLine(`${NOT_IN_SERVICE}: ${notInService.join(', ')}.`)
    printOtherMail(changed)
  }
}

/** Prints the effect on mail without an assigned pool. */
function printOtherMail({ name, otherMail: { addresses, notInService, sharesAll } }: ChangedPool): void {
  if (addresses.length === 0) return
  const list = addresses.join(', ')
  if (name === DEFAULT_POOL) printLine(`${OTHER_MAIL} leaves from these addresses alone.`)
  else if (sharesAll)
    printLine(`No address is without a pool, so ${OTHER_MAIL.toLowerCase()} leaves from all: ${list}.`)
  else printLine(`${OTHER_MAIL} no longer leaves from these addresses, but from: ${list}.`)
  if (notInService.length === addresses.length)
    printNote(`warning: no node that delivers has any of them, so ${OTHER_MAIL.toLowerCase()} waits`)
}

const OTHER_MAIL = 'Mail without an assigned pool'
const NOT_IN_SERVICE = 'No node that delivers has these addresses'

const list = listing({
  verb: listPools,
  json: poolJson,
  titles: ['POOL', 'ADDRESSES', 'COMPANIES', 'DOMAINS'],
  row: ({ name, addresses, companies, domains }) => [
    name,
    addresses.join(', '),
    companies.join(', '),
    domains.join(', '),
  ],
  nothing: 'There are no pools: all mail leaves from any address of POSTROAD_SOURCE_ADDRESSES.',
})

async function show(name: string, { json }: JsonOption): Promise<void> {
  const pool = await withOperation((op) => showPool(op, { pool: name }))
  if (json) return printJson(poolJson(pool))
  printFields(fieldsOf(pool))
}

function fieldsOf({
  name,
  addresses,
  companies,
  domains,
  warmUps,
  notInService,
  createdAt,
}: PoolDescription): Parameters<typeof printFields>[0] {
  return [
    ['Pool', name],
    ['Addresses', addresses.join(', ')],
    ['Companies', companies.join(', ')],
    ['Domains', domains.join(', ')],
    ...warmUps.map(({ address, day, limit }): [string, string] => [
      `Warm-up of ${address}`,
      limit === null ? 'over' : `day ${day}, at most ${limit} messages to each site`,
    ]),
    ...(notInService.length > 0 ? [['Not in service', notInService.join(', ')] as [string, string]] : []),
    ['Created', formatTime(createdAt)],
  ]
}

async function warmUp(
  pool: string,
  address: string,
  { json, day = 1, off }: JsonOption & { day?: number; off?: true },
): Promise<void> {
  const changed = await withOperation((op) => warmUpAddress(op, { pool, address, day: off ? null : day }))
  if (json) return printJson(poolJson(changed))
  printFields(fieldsOf(changed))
}

async function remove(name: string, { json }: JsonOption): Promise<void> {
  const pool = await withOperation((op) => removePool(op, { pool: name }))
  if (json) return printJson({ name: pool.name, removed: true })
  printLine(`Removed the pool ${pool.name}.`)
}

async function assign(pool: string | null, { json, ...owner }: PoolUser & JsonOption): Promise<void> {
  if ((owner.company === undefined) === (owner.domain === undefined))
    throw new WrongUsage('give either --domain or --company')
  const assigned = await withOperation((op) => assignPool(op, { ...owner, pool }))
  if (json) printJson({ name: assigned.name, pool: assigned.pool })
  else printLine(assignedLine(assigned))
  warnIfUnusable(assigned)
}

export function assignedLine({ name, pool }: Pick<AssignedPool, 'name' | 'pool'>): string {
  return pool === null
    ? `No pool is assigned to ${name} now.`
    : `Mail of ${name} leaves from the pool ${pool} now.`
}

export function warnIfUnusable({ name, unusable }: Pick<AssignedPool, 'name' | 'unusable'>): void {
  if (unusable !== null) printNote(`warning: mail of ${name} waits, because ${unusable}`)
}
