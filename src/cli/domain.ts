import { type Command, Option } from 'commander'
import type { SendingDomain } from '../accounts/account.ts'
import { isDelegated } from '../accounts/dkim-delegation.ts'
import { senderZoneLines, zoneLinesOf } from '../accounts/zone-file.ts'
import { retentionWords } from '../operate/content-retention.ts'
import { findDomainZone } from '../operate/dns-provider.ts'
import { dmarcOf } from '../operate/domain-reports.ts'
import { sendsUntil } from '../operate/domain-schedule.ts'
import { checkRecords, lookAtDomain, verifyDomain } from '../operate/domain-verification.ts'
import { activateDomain, addDomain, listDomains, removeDomain, suspendDomain } from '../operate/domains.ts'
import { companyName } from '../operate/find.ts'
import { poolOfDomain } from '../operate/pools.ts'
import { checkSender, senderChecks } from '../operate/sender-checks.ts'
import { checkedDomainJson, domainJson, recordCheckJson, spokenFor } from '../operate/shapes/domain.ts'
import type { Operation } from '../operate/verb.ts'
import { command, group, type JsonOption } from './command.ts'
import { printChecks, printSender, printVerified } from './dns-records.ts'
import { addDelegationCommands, DKIM_BY, type DkimBy } from './domain-delegation.ts'
import { addRotateCommand, dkimFields } from './domain-rotation.ts'
import {
  addUpdateCommand,
  printInactive,
  RETURN_PATH,
  returnPathIn,
  returnPathWords,
  SPEAKS_FOR,
  sendingOf,
  tlsWords,
  trackingOf,
} from './domain-settings.ts'
import { CommandFailure } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'

export function addDomainCommands(program: Command): void {
  const domain = group(program, 'domain', 'Sending domains: the domains that a company may send from.', [
    'domain add example.com --company Acme',
    'domain verify example.com',
    'domain list',
  ])

  command(domain, {
    usage: 'add <domain>',
    description: 'Add a sending domain to a company and print the DNS records to publish.',
    details:
      'Sending from it starts once the service or `domain verify` finds the required records, or you run `domain activate`.',
    examples: [
      'domain add example.com --company Acme',
      'domain add example.com --company Acme --ed25519',
      'domain add mg.example.com --company Acme --from example.com',
    ],
  })
    .requiredOption('--company <name or id>', 'the company it belongs to')
    .option('--ed25519', 'add a second DKIM key, Ed25519 (RFC 8463), beside the RSA one')
    .addOption(
      new Option('--dkim <record>', `${DKIM_BY} (default: cname, if there is a zone)`).choices([
        'cname',
        'txt',
      ]),
    )
    .option('--from <domain...>', SPEAKS_FOR)
    .addOption(new Option('--return-path <host>', RETURN_PATH).argParser(returnPathIn))
    .action(add)

  addUpdateCommand(domain)

  command(domain, {
    usage: 'verify <domain>',
    description:
      'Check the DNS records of a domain now, and activate sending when the required ones are correct.',
    details: 'The exit code is 1 when a required record is missing or wrong, or when DNS does not answer.',
    examples: ['domain verify example.com', 'domain verify example.com --json'],
  }).action(verify)

  addRotateCommand(domain)
  addDelegationCommands(domain)

  command(domain, {
    usage: 'list',
    description: 'List sending domains.',
    examples: ['domain list', 'domain list --company Acme'],
  })
    .option('--company <name or id>', 'only those of this company')
    .action(list)

  command(domain, {
    usage: 'show <domain>',
    description: 'Show a domain with every DNS record to publish, beside those that DNS has.',
    details:
      'With --zone, the lines may be appended to the zone file: records that DNS has already, and those to change by hand, are ' +
      'comments. While DNS does not answer for a name, its line is a comment, too.',
    examples: ['domain show example.com', 'domain show example.com --zone >> example.com.zone'],
  })
    .option('--zone', 'print only the records, as lines of a zone file')
    .action(show)

  command(domain, {
    usage: 'activate <domain>',
    description: 'Activate sending from a domain without checking DNS.',
    details:
      'Use it for domains that are set up elsewhere, and to lift a suspension: mail held during the suspension is sent.',
    examples: ['domain activate example.com'],
  }).action(sendingAction(activateDomain))

  command(domain, {
    usage: 'suspend <domain>',
    description: 'Stop accepting mail from a domain, and hold its waiting mail.',
    details:
      'Mail accepted before is held until the suspension is lifted. `domain activate` lifts it; `domain verify` does not.',
    examples: ['domain suspend example.com'],
  }).action(sendingAction(suspendDomain))

  command(domain, {
    usage: 'remove <domain>',
    description: 'Remove a sending domain and its DKIM keys permanently.',
    details:
      'API keys restricted to it are revoked. Waiting mail from it fails at its next attempt; sent mail stays ' +
      'readable. To stop sending only for a while, use `domain suspend`.',
    examples: ['domain remove example.com'],
  }).action(remove)
}

interface AddOptions extends JsonOption {
  company: string
  ed25519?: true
  dkim?: DkimBy
  from?: string[]
  returnPath?: string
}

async function add(name: string, options: AddOptions): Promise<void> {
  const { company: owner, ed25519, dkim, from = [], returnPath, json } = options
  await withOperation(async (op) => {
    const input = {
      company: owner,
      name,
      ed25519: ed25519 === true,
      ...(dkim && { delegated: dkim === 'cname' }),
      speaksFor: from,
      ...(returnPath !== undefined && { settings: { returnPath } }),
    }
    const { domain, company } = await addDomain(op, input)
    const [records, sender] = await Promise.all([checkRecords(op, domain), senderChecks(op, domain)])
    if (json) return printJson({ ...checkedDomainJson(op, domain, records), sender })
    printLine(`Added ${domain.name} to ${company.name}. Publish these DNS records:`)
    printChecks(records)
    printSender(sender)
    printLine(`Then: postroad domain verify ${domain.name}`)
    if (isDelegated(domain, op.setup.dkimZone)) {
      printLine('The CNAME records point to your zone: load the output of `postroad domain zone` into it.')
    }
    printInactive(op, domain)
  })
}

async function remove(name: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const domain = await removeDomain(op, { domain: name })
    if (json) return printJson({ ...domainJson(op, domain), removed: true })
    printLine(`Removed ${domain.name}. Waiting mail from it fails at its next attempt.`)
  })
}

const list = listing({
  verb: listDomains,
  json: (domain, op) => domainJson(op, domain),
  titles: ['DOMAIN', 'COMPANY', 'DNS', 'SENDING', 'CREATED', 'ID'],
  row: ({ id, name, companyId, status, sending, createdAt }, op) => {
    return [name, companyName(op, companyId), status, sending, formatTime(createdAt), id]
  },
  nothing: 'There is no sending domain yet. Add one: postroad domain add example.com --company NAME',
})

async function show(name: string, { zone, json }: JsonOption & { zone?: true }): Promise<void> {
  await withOperation(async (op) => {
    const look = lookAtDomain(op, { domain: name })
    if (zone && !json) {
      const asked = { domain: name }
      const [{ domain, records }, sender, found] = await Promise.all([
        look,
        checkSender(op, asked),
        findDomainZone(op, asked),
      ])
      const lines = [...records.flatMap(zoneLinesOf), ...senderZoneLines(sender, found.zone ?? domain.name)]
      for (const line of lines) printLine(line)
      return
    }
    const [{ domain, records }, sender] = await Promise.all([look, checkSender(op, { domain: name })])
    if (json) {
      const advice = { dmarc_advice: await dmarcAdviceFor(op, domain) }
      return printJson({ ...checkedDomainJson(op, domain, records), sender, ...advice })
    }
    await printDomain(op, domain)
    printChecks(records)
    printSender(sender)
  })
}

function sendingAction(change: typeof activateDomain): (name: string, options: JsonOption) => Promise<void> {
  return async (name, { json }) => {
    await withOperation(async (op) => {
      const domain = await change(op, { domain: name })
      if (json) return printJson(domainJson(op, domain))
      printLine(`Sending from ${domain.name} is now ${domain.sending}.`)
    })
  }
}

/** Null: no verified report has arrived yet. */
async function dmarcAdviceFor(op: Operation, domain: SendingDomain): Promise<string | null> {
  const { messages, advice } = await dmarcOf(op, domain)
  return messages === 0 ? null : advice
}

async function printDomain(op: Operation, domain: SendingDomain): Promise<void> {
  const checkedAt = (await op.store.domainCheckTimes(domain.id))?.checkedAt ?? null
  const advice = await dmarcAdviceFor(op, domain)
  const checked = checkedAt === null ? 'not checked yet' : `checked ${formatTime(checkedAt)}`
  printFields([
    ['Domain', domain.name],
    ['ID', domain.id],
    ['Company', companyName(op, domain.companyId)],
    ['DNS', `${domain.status}, ${checked}`],
    ...dkimFields(op, domain),
    ...(advice === null ? [] : [['DMARC', advice] satisfies [string, string]]),
    ['Sending', sendingOf(domain)],
    ['Return path', returnPathWords(op, domain)],
    ['TLS', tlsWords(domain)],
    ...(await poolFields(op, domain)),
    ...lossFields(op, domain),
    ['Tracking', trackingOf(domain)],
    ['Content is kept', retentionWords(domain.settings.contentRetention ?? null)],
    ['From', [domain.name, ...spokenFor(op.accounts, domain)].join(', ')],
    ['Created', formatTime(domain.createdAt)],
  ])
}

/** The line about the pool of a domain; none while the installation has no pools. */
async function poolFields(op: Operation, domain: SendingDomain): Promise<[string, string][]> {
  if (op.accounts.pools.length === 0) return []
  const pool = await poolOfDomain(op, domain)
  if (pool === null) return [['Pool', 'none']]
  const { name, isOfCompany, unusable } = pool
  const whose = isOfCompany ? ', of the company' : ''
  const state = unusable === null ? '' : `; its mail waits, because ${unusable}`
  return [['Pool', `${name}${whose}${state}`]]
}

function lossFields({ setup }: Operation, domain: SendingDomain): [string, string][] {
  if (domain.lostSince === null) return []
  const until = sendsUntil(domain, setup.domainGrace)
  const end = until === null ? '' : `; sending ends ${formatTime(until)}`
  return [['Records lost', `since ${formatTime(domain.lostSince)}${end}`]]
}

async function verify(name: string, { json }: JsonOption): Promise<void> {
  const { domain, shown, verification, sender } = await withOperation(async (op) => {
    const found = await verifyDomain(op, { domain: name })
    const sender = await senderChecks(op, found.domain)
    return { ...found, sender, shown: domainJson(op, found.domain) }
  })
  const { records, verified, uncertain } = verification
  if (json) {
    printJson({ ...shown, verified, dns_records: records.map(recordCheckJson), sender })
  } else {
    for (const record of records) printVerified(record)
    printLine()
    printSender(sender)
  }
  if (verified) {
    if (!json)
      printLine(`${domain.name} is verified; sending is ${domain.sending}${unlessSuspended(domain)}.`)
    return
  }
  throw new CommandFailure(
    uncertain
      ? `DNS did not answer for ${domain.name}, and nothing was changed. Try again: postroad domain verify ${domain.name}. ` +
          'If it keeps failing, name DNS servers that answer in POSTROAD_DNS_SERVERS'
      : `${domain.name} is not verified: publish the records above exactly as expected, then run again: postroad domain ` +
          `verify ${domain.name}. DNS changes can take a while to spread; to send before that: postroad domain activate ${domain.name}`,
  )
}

function unlessSuspended({ name, sending }: SendingDomain): string {
  return sending === 'suspended' ? ` by the operator (postroad domain activate ${name} lifts that)` : ''
}
