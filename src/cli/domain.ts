import type { Command } from 'commander'
import type { SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/verify.ts'
import {
  activateDomain,
  addDomain,
  listDomains,
  showDomain,
  suspendDomain,
  verifyDomain,
} from '../operate/domains.ts'
import { companyName } from '../operate/find.ts'
import { dnsRecordJson, domainJson, recordCheckJson } from '../operate/shapes.ts'
import { command, group, type JsonOption } from './command.ts'
import { CommandFailed } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { printFields, printJson, printLine, shownTime } from './print.ts'

export function addDomainCommands(program: Command): void {
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
    usage: 'verify <domain>',
    description:
      'Check the DNS records of a domain now; when the required ones are right, sending becomes active.',
    details: 'Exit code 1 when a required record is missing or different, or DNS could not be asked.',
    examples: ['domain verify example.com', 'domain verify example.com --json'],
  }).action(verify)

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

const list = listing({
  verb: listDomains,
  json: domainJson,
  titles: ['DOMAIN', 'COMPANY', 'DNS', 'SENDING', 'CREATED'],
  row: ({ name, companyId, status, sending, createdAt }, op) => {
    return [name, companyName(op, companyId), status, sending, shownTime(createdAt)]
  },
  nothing: 'There is no sending domain yet. Add one: postroad domain add example.com --company NAME',
})

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

async function verify(name: string, { json }: JsonOption): Promise<void> {
  const { domain, verification } = await withOperation((op) => verifyDomain(op, { domain: name }))
  const { records, verified, uncertain } = verification
  if (json) {
    printJson({ ...domainJson(domain), verified, dns_records: records.map(recordCheckJson) })
  } else {
    for (const record of records) printCheck(record)
    printLine()
  }
  if (verified) {
    if (!json)
      printLine(`${domain.name} is verified; sending is ${domain.sending}${unlessSuspended(domain)}.`)
    return
  }
  throw new CommandFailed(
    uncertain
      ? `DNS could not be asked about ${domain.name}, so that nothing was changed. Try again.`
      : `${domain.name} is not verified: correct the records above and run this again. DNS changes can take a while to be seen.`,
  )
}

function unlessSuspended({ name, sending }: SendingDomain): string {
  return sending === 'suspended' ? ` by the operator (postroad domain activate ${name} lifts that)` : ''
}

function printCheck({ state, required, type, name, value, found, advice }: RecordCheck): void {
  printLine(`${state.padEnd(9)}  ${type} ${name}${required ? '' : ' (advised)'}`)
  if (advice === null) return
  printLine(`           ${advice}`)
  printLine(`           expected: ${value}`)
  for (const text of found) printLine(`           found:    ${text}`)
}
