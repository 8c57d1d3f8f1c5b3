import type { Command } from 'commander'
import { AddressError, parseMailbox } from '../mail/address/address.ts'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName, companyNamed } from './named.ts'
import { withStore } from './open.ts'
import { clipped, jsonTime, printJson, printLine, printTable, shownTime } from './print.ts'

export function addSuppression(program: Command): void {
  const suppression = group(
    program,
    'suppression',
    'Suppressed addresses: recipients a company no longer sends to, because their servers said that they do not exist, or you did.',
  )

  command(suppression, {
    usage: 'list',
    description: 'List suppressed addresses, with the reason.',
    examples: ['suppression list', 'suppression list --company Acme --address jane@example.com'],
  })
    .option('--company <name or id>', 'only those of this company')
    .option('--address <address>', 'only this address')
    .option('--limit <count>', 'at most this many', countUpTo(100_000), 1000)
    .action(list)

  command(suppression, {
    usage: 'add <address>',
    description: 'Let a company no longer send to an address. What waits for it ends as suppressed.',
    examples: ['suppression add jane@example.com --company Acme --reason "asked us to"'],
  })
    .requiredOption('--company <name or id>', 'the company whose list it goes on')
    .option(
      '--reason <text>',
      'shown beside it and in the events of what is not sent',
      'added by the operator',
    )
    .action(add)

  command(suppression, {
    usage: 'remove <address>',
    description: 'Let a company send to an address again.',
    examples: ['suppression remove jane@example.com --company Acme'],
  })
    .requiredOption('--company <name or id>', 'the company whose list it is on')
    .action(remove)
}

interface ListOptions extends JsonOption {
  company?: string
  address?: string
  limit: number
}

async function list({ company, address, limit, json }: ListOptions): Promise<void> {
  const { suppressions, accounts } = await withStore(async ({ store, accounts }) => {
    const companyId = companyFilter(accounts, company)
    const filter = {
      limit,
      ...(companyId !== undefined && { companyId }),
      ...(address !== undefined && { address }),
    }
    return { suppressions: await store.listSuppressions(filter), accounts }
  })
  if (json) {
    return printJson(
      suppressions.map((each) => ({
        company_id: each.companyId,
        address: each.address,
        reason: each.reason,
        created_at: jsonTime(each.createdAt),
        email_id: each.emailId,
      })),
    )
  }
  printTable(
    ['ADDRESS', 'COMPANY', 'SINCE', 'REASON'],
    suppressions.map((each) => [
      each.address,
      companyName(accounts, each.companyId),
      shownTime(each.createdAt),
      clipped(each.reason, 120),
    ]),
    'No address is suppressed.',
  )
}

async function add(
  text: string,
  { company: companyText, reason, json }: JsonOption & { company: string; reason: string },
): Promise<void> {
  const address = addressIn(text)
  await withStore(async ({ store, accounts }) => {
    const company = companyNamed(accounts, companyText)
    if (!(await store.addSuppression(company.id, address, reason, Date.now()))) {
      throw new CommandFailed(`"${address}" is on the list of ${company.name} already`)
    }
    if (json) return printJson({ address, company_id: company.id, added: true })
    printLine(`${company.name} sends no more to ${address}.`)
  })
}

/** As it stands in the envelope. Throws CommandFailed when it is not one address. */
function addressIn(text: string): string {
  try {
    return parseMailbox(text).address
  } catch (error) {
    if (error instanceof AddressError) throw new CommandFailed(error.message)
    throw error
  }
}

async function remove(
  address: string,
  { company: text, json }: JsonOption & { company: string },
): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const company = companyNamed(accounts, text)
    if (!(await store.removeSuppression(company.id, address))) {
      throw new CommandFailed(
        `"${address}" is not on the list of ${company.name}; see: postroad suppression list --company ${company.id}`,
      )
    }
    if (json) return printJson({ address, company_id: company.id, removed: true })
    printLine(`${company.name} sends to ${address} again.`)
  })
}
