import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { SUPPRESSION_TYPES, type Suppression, type SuppressionType, scopeOf } from '../email/suppression.ts'
import { addAllowed, allowedPage, removeAllowed } from '../operate/allow-list.ts'
import { companyName, domainNames } from '../operate/find.ts'
import { allowEntryJson, suppressionJson } from '../operate/shapes/suppression.ts'
import {
  addSuppression,
  listSuppressions,
  removeSuppression,
  type SuppressionListing,
} from '../operate/suppressions.ts'
import type { Operation } from '../operate/verb.ts'
import { command, countUpTo, group, type JsonOption } from './command.ts'
import { unreadableFile } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, jsonLine, ProgressLine, printJson, printLine, printNote, printPiece } from './print.ts'

/** The most invalid lines of a file to show. */
const BAD_SHOWN = 20
/** The most entries of an address to name. */
const MAX_LEFT = 10

interface CompanyOption extends JsonOption {
  company: string
}

interface TypeOption {
  type?: SuppressionType
}

interface DomainOption {
  domain?: string
}

const typeOption = (flags: string, description: string) =>
  new Option(`${flags} <type>`, description).choices(SUPPRESSION_TYPES)

export function addSuppressionCommands(program: Command): void {
  const suppression = group(
    program,
    'suppression',
    'Suppressed addresses: a company no longer sends to them, because they bounced, complained, unsubscribed, or were ' +
      'added by hand.',
    [
      'suppression list --company Acme',
      'suppression add jane@example.com --company Acme --reason "asked us to"',
      'suppression remove jane@example.com --company Acme',
      'suppression import unsubscribed.csv --company Acme --type unsubscribe',
    ],
  )

  command(suppression, {
    usage: 'list',
    description: 'List suppressed addresses with their reasons, newest first.',
    examples: [
      'suppression list',
      'suppression list --company Acme --type complaint',
      'suppression list --company Acme --address jane@example.com',
      'suppression list --domain news.acme.com',
    ],
  })
    .option('--company <name or id>', 'only those of this company')
    .option('--domain <domain>', 'only the list of this sending domain')
    .option('--address <address>', 'only this address')
    .addOption(typeOption('--type', 'only those of this type'))
    .option('--limit <count>', 'at most this many', countUpTo(100_000), 1000)
    .action(list)

  command(suppression, {
    usage: 'add <address>',
    description: 'Stop a company from sending to an address. Mail waiting for it ends as suppressed.',
    details:
      'With --domain only mail from that sending domain is stopped; bounces and complaints stop mail from all domains all the same.\n\n' +
      'With --type unsubscribe and --tag only mail with one of these tags is stopped; you can add more tags later with the same command.',
    examples: [
      'suppression add jane@example.com --company Acme --reason "asked us to"',
      'suppression add jane@example.com --company Acme --type unsubscribe --tag news',
    ],
  })
    .requiredOption('--company <name or id>', 'the company to add it for')
    .option('--domain <domain>', 'the sending domain whose list gets it')
    .addOption(typeOption('--type', 'why it is suppressed').default('manual'))
    .option('--tag <tag...>', 'for an unsubscription: only from mail with this tag; can be repeated')
    .option('--reason <text>', 'shown in the list, and in the events of mail that is not sent')
    .action(add)

  command(suppression, {
    usage: 'remove <address>',
    description: 'Let a company send to an address again.',
    examples: [
      'suppression remove jane@example.com --company Acme',
      'suppression remove jane@example.com --company Acme --type bounce',
      'suppression remove jane@example.com --company Acme --domain news.acme.com',
    ],
  })
    .requiredOption('--company <name or id>', 'the company to remove it for')
    .option('--domain <domain>', 'only its entries on the list of this sending domain')
    .addOption(typeOption('--type', 'only its entry of this type'))
    .action(remove)

  command(suppression, {
    usage: 'import <file>',
    description: 'Add the addresses of a CSV file to the list; - reads from stdin.',
    details:
      'The first line names the columns: address (or email), and optionally type, tags, reason (or error), code, created_at ' +
      'and sending_domain. Other columns are ignored. A file without such a line holds one address per line. Exports of other ' +
      'services are accepted unchanged. An entry for a sending_domain that the company does not have applies to all its domains.\n\n' +
      'Invalid lines are reported, and the others are imported. Existing entries do not change, so you can import the same file ' +
      'again.',
    examples: [
      'suppression import bounces.csv --company Acme --type bounce',
      'suppression export --company Old | postroad suppression import - --company Acme',
    ],
  })
    .requiredOption('--company <name or id>', 'the company to add them for')
    .option('--domain <domain>', 'the sending domain whose list gets them, whatever the file says')
    .addOption(typeOption('--type', 'why they are suppressed, where the file does not say').default('manual'))
    .action(importFile)

  command(suppression, {
    usage: 'export',
    description: 'Write the list of a company as CSV, in the format that import reads.',
    json: 'print lines of JSON instead of CSV',
    examples: ['suppression export --company Acme > suppressions.csv'],
  })
    .requiredOption('--company <name or id>', 'the company to export')
    .option('--domain <domain>', 'only the list of this sending domain')
    .addOption(typeOption('--type', 'only those of this type'))
    .action(exportAll)

  command(suppression, {
    usage: 'allow <address-or-domain>',
    description: 'Keep bounces from suppressing an address, or the addresses of a domain.',
    details:
      'Addresses that are already suppressed stay suppressed. Complaints and unsubscriptions still count.',
    examples: [
      'suppression allow partner.example --company Acme',
      'suppression allow ops@example.com --company Acme --reason "full at times"',
    ],
  })
    .requiredOption('--company <name or id>', 'the company that sends to it')
    .option('--reason <text>', 'shown in the list')
    .action(allow)

  command(suppression, {
    usage: 'disallow <address-or-domain>',
    description: 'Let bounces suppress an address or the addresses of a domain again.',
    examples: ['suppression disallow partner.example --company Acme'],
  })
    .requiredOption('--company <name or id>', 'the company that sends to it')
    .action(disallow)

  command(suppression, {
    usage: 'allowed',
    description: 'List the addresses and domains that bounces do not suppress.',
    examples: ['suppression allowed --company Acme'],
  })
    .requiredOption('--company <name or id>', 'the company that sends to them')
    .option('--limit <count>', 'at most this many', countUpTo(100_000), 1000)
    .action(listAllowed)
}

const list = listing({
  async verb(op: Operation, { type, ...wanted }: SuppressionListing & TypeOption) {
    const found = await listSuppressions(op, { ...wanted, ...(type !== undefined && { types: [type] }) })
    return withDomainNames(op, found)
  },
  json: (suppression) => jsonOf(suppression),
  titles: ['ADDRESS', 'COMPANY', 'SINCE', 'TYPE', 'STOPS MAIL FROM', 'REASON'],
  row: (suppression, op) => {
    const { address, companyId, createdAt, reason } = suppression
    const shown = [address, companyName(op, companyId), formatTime(createdAt), formatType(suppression)]
    return [...shown, formatScope(suppression), clip(reason, 120)]
  },
  nothing: 'No address is suppressed.',
})

/** An entry with the name of the sending domain on whose list it is. */
type WithDomainName<Entry> = Entry & { domain: string | null }

function withDomainNames<Entry extends { domainId: string | null }>(
  op: Operation,
  entries: Entry[],
): WithDomainName<Entry>[] {
  const nameOf = domainNames(op)
  return entries.map((entry) => ({ ...entry, domain: nameOf(entry.domainId) }))
}

function jsonOf({ domain, ...suppression }: WithDomainName<Suppression>) {
  return suppressionJson(suppression, domain)
}

function formatScope(suppression: WithDomainName<Suppression>): string {
  return scopeOf(suppression) === null ? 'all domains' : (suppression.domain ?? 'a removed domain')
}

function formatType({ type, tags }: Suppression): string {
  return tags === null ? type : `${type} (${tags.join(', ')})`
}

async function add(
  address: string,
  {
    json,
    company,
    tag: tags,
    ...more
  }: CompanyOption & DomainOption & { type: SuppressionType; reason?: string; tag?: string[] },
): Promise<void> {
  await withOperation(async (op) => {
    const added = await addSuppression(op, { company, address, tags, ...more })
    const [suppression] = withDomainNames(op, [added])
    if (json) return printJson({ ...jsonOf(suppression!), added: true })
    const name = companyName(op, added.companyId)
    const what = tags === undefined ? '' : ` mail tagged ${tags.join(' or ')}`
    const from = scopeOf(added) === null ? '' : ` from ${formatScope(suppression!)}`
    printLine(`${name} no longer sends${what}${from} to ${added.address}.`)
  })
}

async function remove(
  address: string,
  { json, company, domain, type }: CompanyOption & DomainOption & TypeOption,
): Promise<void> {
  const types = type === undefined ? undefined : [type]
  await withOperation(async (op) => {
    const removed = await removeSuppression(op, { address, company, domain, types })
    if (json) return printJson({ address, company_id: removed.company.id, removed: true })
    const left = await listSuppressions(op, { company, address, limit: MAX_LEFT })
    if (left[0] === undefined) return printLine(`${removed.company.name} can send to ${address} again.`)
    const others = withDomainNames(op, left).map((each) => `${formatType(each)} for ${formatScope(each)}`)
    printLine(`Removed. ${address} is still on the list as ${others.join(', ')}.`)
  })
}

async function importFile(
  file: string,
  { json, company, domain, type }: CompanyOption & DomainOption & { type: SuppressionType },
): Promise<void> {
  // Imported on use, because other commands need no CSV parser.
  const { importSuppressions } = await import('../operate/suppression-files.ts')
  const progress = new ProgressLine()
  const onStep = ({ added, present, bad }: { added: number; present: number; bad: number }) => {
    progress.show(`${added} added, ${present} already on the list, ${bad} invalid`)
  }
  const source = file === '-' ? process.stdin : octetsOf(file)
  const report = await withOperation((op) =>
    importSuppressions(op, { company, domain, source, type, onStep }),
  ).finally(() => progress.clear())
  const { added, present, bad, badLines } = report
  if (bad > 0) process.exitCode = 1
  if (json) return printJson({ added, present, bad, bad_lines: badLines })
  printLine(`Added ${added}; ${present} were already on the list; ${bad} are invalid.`)
  for (const { line, why } of badLines.slice(0, BAD_SHOWN)) printNote(`line ${line}: ${why}`)
  if (bad > BAD_SHOWN) printNote(`and ${bad - BAD_SHOWN} more; --json lists more of them`)
}

/** Opens the file only when it is read: an error event before that would be unhandled. */
async function* octetsOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw unreadableFile(file, error)
  }
}

async function exportAll({
  json,
  company,
  domain,
  type,
}: CompanyOption & DomainOption & TypeOption): Promise<void> {
  const types = type === undefined ? undefined : [type]
  const { csvOfAll, exportSuppressions } = await import('../operate/suppression-files.ts')
  await withOperation(async (op) => {
    const pages = await exportSuppressions(op, { company, domain, types })
    if (!json) {
      for await (const piece of csvOfAll(op, pages)) await printPiece(piece)
      return
    }
    for await (const page of pages) {
      await printPiece(
        withDomainNames(op, page)
          .map((each) => jsonLine(jsonOf(each)))
          .join(''),
      )
    }
  })
}

async function allow(
  value: string,
  { json, company, reason }: CompanyOption & { reason?: string },
): Promise<void> {
  const [added] = await withOperation((op) => addAllowed(op, { company, entries: [{ value, reason }] }))
  if (json) return printJson({ value, added })
  printLine(
    added
      ? `Bounces no longer suppress ${value}.`
      : `${value} is already on the allow list; its reason was not changed.`,
  )
}

async function disallow(value: string, { json, company }: CompanyOption): Promise<void> {
  await withOperation((op) => removeAllowed(op, { company, value }))
  if (json) return printJson({ value, removed: true })
  printLine(`Bounces can suppress ${value} again.`)
}

const listAllowed = listing({
  verb: async (op: Operation, wanted: Parameters<typeof allowedPage>[1]) =>
    withDomainNames(op, await allowedPage(op, wanted)),
  json: ({ domain, ...entry }) => allowEntryJson(entry, domain),
  titles: ['VALUE', 'KIND', 'SINCE', 'REASON'],
  row: ({ value, kind, createdAt, reason }) => [value, kind, formatTime(createdAt), clip(reason ?? '', 120)],
  nothing: 'The allow list is empty.',
})
