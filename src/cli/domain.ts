import type { Command } from 'commander'
import type { AccountsSnapshot, SendingDomain, SendingState } from '../accounts/account.ts'
import { type DnsRecord, dnsRecords, zoneLine } from '../accounts/dns-records.ts'
import { newDomain } from '../accounts/new-domain.ts'
import { openSeal } from '../accounts/secret-key.ts'
import { command, group, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { companyFilter, companyName, companyNamed, domainName, domainNamed } from './named.ts'
import { withStore } from './open.ts'
import { jsonTime, printFields, printJson, printLine, printTable, shownTime } from './print.ts'

export function addDomain(program: Command): Command {
  const domain = group(program, 'domain', 'Sending domains: what a company may send from.')

  command(domain, {
    usage: 'add <domain>',
    description: 'Add a sending domain to a company and print the DNS records to publish.',
    details:
      'Nothing can be sent from it until `domain verify` finds the records, or `domain activate` is run.',
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
    details: 'For domains that are set up elsewhere, and to end a suspension.',
    examples: ['domain activate example.com'],
  }).action((name: string, options: JsonOption) => setSending(name, 'active', options))

  command(domain, {
    usage: 'suspend <domain>',
    description: 'Stop accepting mail from a domain, and sending what waits.',
    details:
      'Verification does not lift a suspension; `domain activate` does. What was accepted before waits until then.',
    examples: ['domain suspend example.com'],
  }).action((name: string, options: JsonOption) => setSending(name, 'suspended', options))
  return domain
}

async function add(
  text: string,
  { company: companyText, ed25519, json }: JsonOption & { company: string; ed25519?: true },
): Promise<void> {
  const name = domainName(text)
  await withStore(async ({ settings, store, accounts }) => {
    const company = companyNamed(accounts, companyText)
    const taken = accounts.domains.find((domain) => domain.name === name)
    if (taken) {
      const owner = companyName(accounts, taken.companyId)
      throw new CommandFailed(
        `${name} is a sending domain of ${owner} already; see: postroad domain show ${name}`,
      )
    }
    const seal = await openSeal(settings, accounts)
    const domain = await newDomain({ companyId: company.id, name, seal, ed25519: ed25519 === true })
    await store.addDomain(domain)
    if (json) return printJson(inJson(domain, dnsRecords(domain, settings.hostname)))
    printLine(`Added ${name} to ${company.name}. Publish these DNS records:`)
    printRecords(dnsRecords(domain, settings.hostname))
    printLine(`Then: postroad domain verify ${name}`)
  })
}

async function list({ company, json }: JsonOption & { company?: string }): Promise<void> {
  const accounts = await withStore(async (opened) => opened.accounts)
  const owner = companyFilter(accounts, company)
  const domains = accounts.domains.filter(({ companyId }) => owner === undefined || companyId === owner)
  if (json) return printJson(domains.map((domain) => inJson(domain)))
  printTable(
    ['DOMAIN', 'COMPANY', 'DNS', 'SENDING', 'CREATED'],
    domains.map((domain) => [
      domain.name,
      companyName(accounts, domain.companyId),
      domain.status,
      domain.sending,
      shownTime(domain.createdAt),
    ]),
    'There is no sending domain yet. Add one: postroad domain add example.com --company NAME',
  )
}

async function show(text: string, { zone, json }: JsonOption & { zone?: true }): Promise<void> {
  const { accounts, settings } = await withStore(async (opened) => opened)
  const domain = domainNamed(accounts, text)
  const records = dnsRecords(domain, settings.hostname)
  if (json) return printJson(inJson(domain, records))
  if (zone) {
    for (const record of records) printLine(zoneLine(record))
    return
  }
  printDomain(accounts, domain)
  printRecords(records)
}

async function setSending(text: string, sending: SendingState, { json }: JsonOption): Promise<void> {
  await withStore(async ({ store, accounts }) => {
    const domain = domainNamed(accounts, text)
    await store.updateDomain(domain.id, { sending })
    if (json) return printJson(inJson({ ...domain, sending }))
    printLine(`Sending from ${domain.name} is ${sending} now.`)
  })
}

function printDomain(accounts: AccountsSnapshot, domain: SendingDomain): void {
  printFields([
    ['Domain', domain.name],
    ['Id', domain.id],
    ['Company', companyName(accounts, domain.companyId)],
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

export function inJson(domain: SendingDomain, records?: DnsRecord[]) {
  return {
    id: domain.id,
    name: domain.name,
    company_id: domain.companyId,
    status: domain.status,
    sending: domain.sending,
    created_at: jsonTime(domain.createdAt),
    ...(records && { dns_records: records.map(recordInJson) }),
  }
}

export function recordInJson(record: DnsRecord) {
  const { kind, type, name, value, required, purpose } = record
  return { kind, type, name, value, required, purpose, zone: zoneLine(record) }
}
