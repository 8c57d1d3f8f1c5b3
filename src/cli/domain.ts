import type { Command } from 'commander'
import type { SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import { activateDomain, addDomain, listDomains, showDomain, suspendDomain } from '../operate/domains.ts'
import { companyName } from '../operate/find.ts'
import { dnsRecordJson, domainJson } from '../operate/shapes.ts'
import { command, group, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { printFields, printJson, printLine, printTable, shownTime } from './print.ts'

/** The group `domain`; its command `verify` has a file of its own. */
export function addDomainCommands(program: Command): Command {
  const domain = group(program, 'domain', 'Sending domains: what a company may send from.', [
    'domain add example.com --company Acme',
    'domain verify example.com',
    'domain list',
  ])

  command(domain, {
    usage: 'add <domain>',
    description: 'Add a sending domain to a company and print the DNS records to publish.',
    details:
      'Nothing can be sent from it until `domain verify` finds the required records, or `domain activate` is run.',
    examples: ['domain add example.com --company Acme', 'domain add example.com --company Acme --ed25519'],
  })
    .requiredOption('--company <name or id>', 'the company it belongs to')
    .option('--ed25519', 'add a second DKIM key, Ed25519 (RFC 8463), beside the RSA one')
    .action(add)

  command(domain, {
    usage: 'list',
    description: 'List sending domains.',
    examples: ['domain list', 'domain list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(domain, {
    usage: 'show <domain>',
    description: 'Show a domain with every DNS record to publish.',
    examples: ['domain show example.com', 'domain show example.com --zone >> example.com.zone'],
  })
    .option('--zone', 'print the records as lines of a zone file only')
    .action(show)

  command(domain, {
    usage: 'activate <domain>',
    description: 'Let mail leave from a domain, whatever DNS says.',
    details:
      'For domains that are set up elsewhere, and to end a suspension. Mail that was held while it was suspended goes out.',
    examples: ['domain activate example.com'],
  }).action(sending(activateDomain))

  command(domain, {
    usage: 'suspend <domain>',
    description: 'Stop accepting mail from a domain, and sending what waits.',
    details:
      'Verification does not lift a suspension; `domain activate` does. What was accepted before is held until then.',
    examples: ['domain suspend example.com'],
  }).action(sending(suspendDomain))
  return domain
}

async function add(
  name: string,
  { company: owner, ed25519, json }: JsonOption & { company: string; ed25519?: true },
): Promise<void> {
  const { domain, company, records } = await withOperation((op) =>
    addDomain(op, { company: owner, name, ed25519: ed25519 === true }),
  )
  if (json) return printJson(withRecords(domain, records))
  printLine(`Added ${domain.name} to ${company.name}. Publish these DNS records:`)
  printRecords(records)
  printLine(`Then: postroad domain verify ${domain.name}`)
}

async function list({ company, json }: JsonOption & { company?: string }): Promise<void> {
  await withOperation(async (op) => {
    const domains = await listDomains(op, { company })
    if (json) return printJson(domains.map(domainJson))
    printTable(
      ['DOMAIN', 'COMPANY', 'DNS', 'SENDING', 'CREATED'],
      domains.map((domain) => [
        domain.name,
        companyName(op, domain.companyId),
        domain.status,
        domain.sending,
        shownTime(domain.createdAt),
      ]),
      'There is no sending domain yet. Add one: postroad domain add example.com --company NAME',
    )
  })
}

async function show(name: string, { zone, json }: JsonOption & { zone?: true }): Promise<void> {
  await withOperation(async (op) => {
    const { domain, records } = await showDomain(op, { domain: name })
    if (json) return printJson(withRecords(domain, records))
    if (zone) {
      for (const record of records) printLine(zoneLine(record))
      return
    }
    printDomain(domain, companyName(op, domain.companyId))
    printRecords(records)
  })
}

function sending(change: typeof activateDomain): (name: string, options: JsonOption) => Promise<void> {
  return async (name, { json }) => {
    const domain = await withOperation((op) => change(op, { domain: name }))
    if (json) return printJson(domainJson(domain))
    printLine(`Sending from ${domain.name} is ${domain.sending} now.`)
  }
}

function printDomain(domain: SendingDomain, company: string): void {
  printFields([
    ['Domain', domain.name],
    ['Id', domain.id],
    ['Company', company],
    ['DNS', domain.status],
    ['Sending', domain.sending],
    ['Created', shownTime(domain.createdAt)],
  ])
}

function printRecords(records: DnsRecord[]): void {
  for (const record of records) {
    printLine()
    printLine(`${record.required ? 'Required' : 'Advised'}. ${record.purpose}`)
    printLine(`  Type:  ${record.type}`)
    printLine(`  Name:  ${record.name}`)
    printLine(`  Value: ${record.value}`)
  }
  printLine()
  printLine('As lines of a zone file:')
  for (const record of records) printLine(`  ${zoneLine(record)}`)
  printLine()
}

function withRecords(domain: SendingDomain, records: DnsRecord[]) {
  return { ...domainJson(domain), dns_records: records.map(dnsRecordJson) }
}
