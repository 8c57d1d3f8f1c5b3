/** `queue pause`, `queue resume` and `queue pauses`: the operator's hand on what waits. */
import type { Command } from 'commander'
import type { AccountsSnapshot } from '../accounts/account.ts'
import type { Pause, PauseScope } from '../store/store.ts'
import { command, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName, domainName } from './named.ts'
import { withStore } from './open.ts'
import { jsonTime, printJson, printLine, printTable, shownTime } from './print.ts'

interface ScopeOptions extends JsonOption {
  company?: string
  domain?: string
}

export function addPause(queue: Command): void {
  const scoped = (parent: Command) =>
    parent
      .option('--company <name or id>', 'only what this company sent')
      .option('--domain <domain>', 'only what goes to this recipient domain')

  scoped(
    command(queue, {
      usage: 'pause',
      description: 'Keep waiting mail where it is: all of it, or that of a company or to a domain.',
      details:
        'Mail is still accepted. What waits stays waiting and loses no attempts; what is already being handed over goes on. Every ' +
        'node follows within a second.',
      examples: ['queue pause', 'queue pause --company Acme', 'queue pause --domain example.com'],
    }),
  ).action(pause)

  scoped(
    command(queue, {
      usage: 'resume',
      description: 'End a pause, named as it was set.',
      examples: ['queue resume', 'queue resume --company Acme --domain example.com'],
    }),
  ).action(resume)

  command(queue, {
    usage: 'pauses',
    description: 'List what is paused.',
    examples: ['queue pauses', 'queue pauses --json'],
  }).action(list)
}

async function pause({ json, ...options }: ScopeOptions): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const scope = scopeOf(accounts, options)
    await store.pause({ ...scope, since: Date.now() })
    if (json) return printJson({ ...inJson(scope), paused: true })
    printLine(`Paused: ${described(accounts, scope)}.`)
  })
}

async function resume({ json, ...options }: ScopeOptions): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const scope = scopeOf(accounts, options)
    if (!(await store.resume(scope))) {
      const others = await store.pauses()
      const shown = others.map((other) => described(accounts, other)).join('; ')
      throw new CommandFailed(
        `there is no pause of exactly this: ${described(accounts, scope)}. ${shown === '' ? 'Nothing is paused' : `Paused: ${shown}`}.`,
      )
    }
    if (json) return printJson({ ...inJson(scope), paused: false })
    printLine(`No longer paused: ${described(accounts, scope)}.`)
  })
}

async function list({ json }: JsonOption): Promise<void> {
  const { pauses, accounts } = await withStore(async ({ store, accounts }) => {
    return { pauses: await store.pauses(), accounts }
  })
  if (json) return printJson(pauses.map((each) => ({ ...inJson(each), since: jsonTime(each.since) })))
  printTable(
    ['COMPANY', 'DESTINATION', 'SINCE'],
    pauses.map(({ companyId, domain, since }) => [
      companyId === null ? 'all' : companyName(accounts, companyId),
      domain ?? 'all',
      shownTime(since),
    ]),
    'Nothing is paused.',
  )
}

/** Does one of the pauses keep mail of this company to this domain? */
export function isPaused(pauses: readonly Pause[], companyId: string, domain: string): boolean {
  return pauses.some((pause) => {
    const company = pause.companyId === null || pause.companyId === companyId
    return company && (pause.domain === null || pause.domain === domain)
  })
}

function scopeOf(accounts: AccountsSnapshot, { company, domain }: ScopeOptions): PauseScope {
  return {
    companyId: companyFilter(accounts, company) ?? null,
    domain: domain === undefined ? null : domainName(domain),
  }
}

function inJson({ companyId, domain }: PauseScope) {
  return { company_id: companyId, domain }
}

function described(accounts: AccountsSnapshot, { companyId, domain }: PauseScope): string {
  const whose = companyId === null ? 'all mail' : `mail of ${companyName(accounts, companyId)}`
  return domain === null ? whose : `${whose} to ${domain}`
}
