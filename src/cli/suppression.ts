import type { Command } from 'commander'
import { companyName } from '../operate/find.ts'
import { suppressionJson } from '../operate/shapes.ts'
import { addSuppression, listSuppressions, removeSuppression } from '../operate/suppressions.ts'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { clipped, printJson, printLine, shownTime } from './print.ts'

export function addSuppressionCommands(program: Command): void {
  const suppression = group(
    program,
    'suppression',
    'Suppressed addresses: recipients a company no longer sends to, because their servers said that they do not exist, or you did.',
    [
      'suppression list --company Acme',
      'suppression add jane@example.com --company Acme --reason "asked us to"',
      'suppression remove jane@example.com --company Acme',
    ],
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

const list = listing({
  verb: listSuppressions,
  json: suppressionJson,
  titles: ['ADDRESS', 'COMPANY', 'SINCE', 'REASON'],
  row: ({ address, companyId, createdAt, reason }, op) => {
    return [address, companyName(op, companyId), shownTime(createdAt), clipped(reason, 120)]
  },
  nothing: 'No address is suppressed.',
})

async function add(
  text: string,
  { json, ...more }: JsonOption & { company: string; reason: string },
): Promise<void> {
  const { address, company } = await withOperation((op) => addSuppression(op, { address: text, ...more }))
  if (json) return printJson({ address, company_id: company.id, added: true })
  printLine(`${company.name} sends no more to ${address}.`)
}

async function remove(text: string, { json, ...more }: JsonOption & { company: string }): Promise<void> {
  const { address, company } = await withOperation((op) => removeSuppression(op, { address: text, ...more }))
  if (json) return printJson({ address, company_id: company.id, removed: true })
  printLine(`${company.name} sends to ${address} again.`)
}
