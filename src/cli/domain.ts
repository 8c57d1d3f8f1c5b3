import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DomainSettings, SendingDomain } from '../accounts/account.ts'
import { type DnsRecord, zoneLine } from '../accounts/dns-records.ts'
import type { RecordCheck } from '../accounts/verify.ts'
import {
  activateDomain,
  addDomain,
  listDomains,
  removeDomain,
  showDomain,
  suspendDomain,
  updateDomain,
  verifyDomain,
} from '../operate/domains.ts'
import { companyName } from '../operate/find.ts'
import { dnsRecordJson, domainJson, recordCheckJson, spokenFor } from '../operate/shapes.ts'
import type { Operation } from '../operate/verb.ts'
import { command, group, type JsonOption } from './command.ts'
import { CommandFailed, WrongUsage } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { printFields, printJson, printLine, shownTime } from './print.ts'

const SPEAKS_FOR = 'other domains of the company that its mail may have in From'

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
    examples: [
      'domain add example.com --company Acme',
      'domain add example.com --company Acme --ed25519',
      'domain add mg.example.com --company Acme --from example.com',
    ],
  })
    .requiredOption('--company <name or id>', 'the company it belongs to')
    .option('--ed25519', 'add a second DKIM key, Ed25519 (RFC 8463), beside the RSA one')
    .option('--from <domain...>', SPEAKS_FOR)
    .action(add)

  command(domain, {
    usage: 'update <domain>',
    description: 'Change the settings of a domain, and which other domains its mail may have in From.',
    details:
      '--from is for form clients that are set up with mg.example.com and write as somebody at example.com. Each of these ' +
      'domains has to be a sending domain of the same company, and active when mail is sent; it signs what is from it. ' +
      'A parent domain is named like any other, and needs nothing more. What --from names replaces what was named before.\n\n' +
      'Settings of tracking are kept and shown to API clients; nothing is tracked yet.',
    examples: [
      'domain update mg.example.com --from example.com',
      'domain update mg.example.com --from example.com example.org',
      'domain update mg.example.com --no-from',
      'domain update example.com --open-tracking on --click-tracking off',
      'domain update mg.example.com --unsubscribe-tracking on',
      'domain update example.com --sending off',
    ],
  })
    .option('--from <domain...>', SPEAKS_FOR)
    .option('--no-from', 'allow no other domain in From any more')
    .addOption(new Option('--sending <on|off>', 'accept new mail from the domain').argParser(onOrOff))
    .addOption(new Option('--open-tracking <on|off>', 'report when mail is opened').argParser(onOrOff))
    .addOption(new Option('--click-tracking <on|off>', 'report when links are followed').argParser(onOrOff))
    .addOption(
      new Option('--unsubscribe-tracking <on|off>', 'end mail with a link to unsubscribe').argParser(onOrOff),
    )
    .action(update)

  command(domain, {
    usage: 'verify <domain>',
    description:
      'Check the DNS records of a domain now; when the required ones are right, sending becomes active.',
    details: 'Exit code 1 when a required record is missing or different, or DNS does not answer.',
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
    description: 'Stop accepting mail from a domain, and hold what waits.',
    details:
      'Verification does not lift a suspension; `domain activate` does. What was accepted before is held until then.',
    examples: ['domain suspend example.com'],
  }).action(sending(suspendDomain))

  command(domain, {
    usage: 'remove <domain>',
    description: 'Remove a sending domain for good, with its DKIM keys.',
    details:
      'API keys for it alone are revoked. What was accepted from it and waits fails when its time comes; what was sent stays ' +
      'to be read. To stop it for a while there is `domain suspend`.',
    examples: ['domain remove example.com'],
  }).action(remove)
}

interface AddOptions extends JsonOption {
  company: string
  ed25519?: true
  from?: string[]
}

async function add(name: string, { company: owner, ed25519, from = [], json }: AddOptions): Promise<void> {
  await withOperation(async (op) => {
    const input = { company: owner, name, ed25519: ed25519 === true, speaksFor: from }
    const { domain, company, records } = await addDomain(op, input)
    if (json) return printJson(withRecords(op, domain, records))
    printLine(`Added ${domain.name} to ${company.name}. Publish these DNS records:`)
    printRecords(records)
    printLine(`Then: postroad domain verify ${domain.name}`)
    printInactive(op, domain)
  })
}

type Tracking = Pick<DomainSettings, 'openTracking' | 'clickTracking' | 'unsubscribeTracking'>

interface UpdateOptions extends JsonOption, Partial<Tracking> {
  sending?: boolean
  /** False: no other domain. */
  from?: string[] | false
}

async function update(name: string, { from, json, sending, ...tracking }: UpdateOptions): Promise<void> {
  const speaksFor = from === false ? [] : from
  const settings = { ...tracking, ...(sending !== undefined && { sendingOff: !sending }) }
  if (speaksFor === undefined && Object.keys(settings).length === 0) {
    throw new WrongUsage(
      'name the change: --from DOMAIN, --no-from, --sending, --open-tracking, --click-tracking or --unsubscribe-tracking',
    )
  }
  await withOperation(async (op) => {
    const domain = await updateDomain(op, { domain: name, settings, ...(speaksFor && { speaksFor }) })
    if (json) return printJson(domainJson(op.accounts, domain))
    if (sending !== undefined) printLine(`Sending from ${domain.name}: ${sendingOf(domain)}.`)
    if (Object.keys(tracking).length > 0) printLine(`Tracking of ${domain.name}: ${trackingOf(domain)}.`)
    if (speaksFor === undefined) return
    const others = spokenFor(op.accounts, domain)
    printLine(`Mail for ${domain.name} may be from ${[domain.name, ...others].join(', ')}.`)
    printInactive(op, domain)
  })
}

function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

function sendingOf({ sending, settings }: SendingDomain): string {
  return settings.sendingOff ? `${sending}, but new mail from it is refused (turned off)` : sending
}

function trackingOf({ settings }: SendingDomain): string {
  const { openTracking, clickTracking, unsubscribeTracking = false } = settings
  const word = (isOn: boolean) => (isOn ? 'on' : 'off')
  return `opens ${word(openTracking)}, clicks ${word(clickTracking)}, unsubscriptions ${word(unsubscribeTracking)}`
}

async function remove(name: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const domain = await removeDomain(op, { domain: name })
    if (json) return printJson({ ...domainJson(op.accounts, domain), removed: true })
    printLine(`Removed ${domain.name}. What still waits from it fails when its time comes.`)
  })
}

/** Prints the domains that it may speak for and that cannot send at present. */
function printInactive({ accounts }: Operation, { speaksFor }: SendingDomain): void {
  for (const { id, name, sending } of accounts.domains) {
    if (!speaksFor.includes(id) || sending === 'active') continue
    const next = sending === 'suspended' ? `domain activate ${name}` : `domain verify ${name}`
    printLine(`Sending from ${name} is ${sending}: nothing leaves from there before \`postroad ${next}\`.`)
  }
}

const list = listing({
  verb: listDomains,
  json: (domain, op) => domainJson(op.accounts, domain),
  titles: ['DOMAIN', 'COMPANY', 'DNS', 'SENDING', 'CREATED', 'ID'],
  row: ({ id, name, companyId, status, sending, createdAt }, op) => {
    return [name, companyName(op, companyId), status, sending, shownTime(createdAt), id]
  },
  nothing: 'There is no sending domain yet. Add one: postroad domain add example.com --company NAME',
})

async function show(name: string, { zone, json }: JsonOption & { zone?: true }): Promise<void> {
  await withOperation(async (op) => {
    const { domain, records } = await showDomain(op, { domain: name })
    if (json) return printJson(withRecords(op, domain, records))
    if (zone) {
      for (const record of records) printLine(zoneLine(record))
      return
    }
    printDomain(op, domain)
    printRecords(records)
  })
}

function sending(change: typeof activateDomain): (name: string, options: JsonOption) => Promise<void> {
  return async (name, { json }) => {
    await withOperation(async (op) => {
      const domain = await change(op, { domain: name })
      if (json) return printJson(domainJson(op.accounts, domain))
      printLine(`Sending from ${domain.name} is ${domain.sending} now.`)
    })
  }
}

function printDomain(op: Operation, domain: SendingDomain): void {
  printFields([
    ['Domain', domain.name],
    ['Id', domain.id],
    ['Company', companyName(op, domain.companyId)],
    ['DNS', domain.status],
    ['Sending', sendingOf(domain)],
    ['Tracking', trackingOf(domain)],
    ['From', [domain.name, ...spokenFor(op.accounts, domain)].join(', ')],
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

function withRecords({ accounts }: Operation, domain: SendingDomain, records: DnsRecord[]) {
  return { ...domainJson(accounts, domain), dns_records: records.map(dnsRecordJson) }
}

async function verify(name: string, { json }: JsonOption): Promise<void> {
  const { domain, shown, verification } = await withOperation(async (op) => {
    const found = await verifyDomain(op, { domain: name })
    return { ...found, shown: domainJson(op.accounts, found.domain) }
  })
  const { records, verified, uncertain } = verification
  if (json) {
    printJson({ ...shown, verified, dns_records: records.map(recordCheckJson) })
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
      ? `DNS could not be asked about ${domain.name}, and nothing was changed. Try again: postroad domain verify ${domain.name}. ` +
          'If it stays so, name DNS servers that answer in POSTROAD_DNS_SERVERS'
      : `${domain.name} is not verified: publish the records above as they are expected, then run this again: postroad domain ` +
          `verify ${domain.name}. DNS changes can take a while to be seen; to send before that: postroad domain activate ${domain.name}`,
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
