import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DomainSettings, SendingDomain } from '../accounts/account.ts'
import { isDelegated } from '../accounts/dkim-delegation.ts'
import { dnsRecords } from '../accounts/dns-records.ts'
import { zoneLinesOf } from '../accounts/zone-file.ts'
import { retentionWords } from '../operate/content-retention.ts'
import { delegateDkim } from '../operate/dkim-delegation.ts'
import { dmarcOf } from '../operate/domain-reports.ts'
import { sendsUntil } from '../operate/domain-schedule.ts'
import { lookAtDomain, lookAtRecords, verifyDomain } from '../operate/domain-verification.ts'
import {
  activateDomain,
  addDomain,
  listDomains,
  removeDomain,
  suspendDomain,
  updateDomain,
} from '../operate/domains.ts'
import { companyName } from '../operate/find.ts'
import { assignPool } from '../operate/pools.ts'
import { returnPathState } from '../operate/return-path.ts'
import { checkSender, senderChecks } from '../operate/sender-checks.ts'
import { serviceNames } from '../operate/service-names.ts'
import { checkedDomainJson, domainJson, recordCheckJson, spokenFor } from '../operate/shapes/domain.ts'
import type { Operation } from '../operate/verb.ts'
import { command, group, type JsonOption } from './command.ts'
import { printChecks, printRecords, printSender, printVerified } from './dns-records.ts'
import { addDelegationCommands, DKIM_BY, type DkimBy } from './domain-delegation.ts'
import { addRotateCommand, dkimFields, rotationOf } from './domain-rotation.ts'
import { CommandFailure, WrongUsage } from './failure.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { assignedLine } from './pool.ts'
import { formatTime, printFields, printJson, printLine } from './print.ts'
import { keptOf, rotatedOf } from './when.ts'

const RETURN_PATH =
  'host that bounces come back to: a label below the domain, or a whole name; `default`: bounces.<domain>'
const SPEAKS_FOR = 'other domains of the company that its mail may use in From'
/** The settings of tracking have no effect yet: clients of both APIs set them and read them back. */
const STORED_ONLY = 'stored for clients of the APIs; nothing is tracked yet'

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
      'Sending from it starts once `domain verify` finds the required records, or you run `domain activate`.',
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

  command(domain, {
    usage: 'update <domain>',
    description: 'Change the settings of a domain, and the other domains that its mail may use in From.',
    details:
      '--from is for form clients that are configured with mg.example.com but send from an address at example.com. Each of these ' +
      'domains must be a sending domain of the same company and active when mail is sent; mail is signed with the key of the domain in From. ' +
      'A parent domain is named like any other domain. --from replaces the earlier list.\n\n' +
      'The return path is used once DNS has its MX and SPF records; until then bounces go to the address in From. If ' +
      'you set one, these records are required. A host of another organization has to name the domain in a TXT record.\n\n' +
      '--dkim cname moves the DKIM keys into the zone of POSTROAD_DKIM_ZONE, and --dkim txt back. Then publish the records that `domain show` ' +
      'names: mail is signed with the previous key until DNS has them.\n\n' +
      'Tracking settings are stored and shown to API clients; nothing is tracked yet.',
    examples: [
      'domain update mg.example.com --from example.com',
      'domain update mg.example.com --from example.com example.org',
      'domain update mg.example.com --no-from',
      'domain update example.com --open-tracking on --click-tracking off',
      'domain update mg.example.com --unsubscribe-tracking on',
      'domain update example.com --sending off',
      'domain update example.com --tls verified',
      'domain update example.com --return-path bounce.example.com',
      'domain update news.example.com --pool news',
      'domain update example.com --content-retention 7d',
      'domain update example.com --dkim cname',
      'domain update example.com --dkim-rotation 90d',
    ],
  })
    .option('--from <domain...>', SPEAKS_FOR)
    .option('--no-from', 'allow no other domain in From')
    .addOption(new Option('--return-path <host>', RETURN_PATH).argParser(returnPathIn))
    .addOption(new Option('--sending <on|off>', 'accept new mail from the domain').argParser(onOrOff))
    .addOption(
      new Option('--tls <demand>', 'how connections for mail of the domain must be protected').choices([
        'opportunistic',
        'required',
        'verified',
      ]),
    )
    .option('--pool <pool>', 'the pool of source addresses for its mail; none: the pool of its company')
    .addOption(
      new Option(
        '--content-retention <duration>',
        'how long bodies and attachments of finished emails are kept, if shorter than for the company; none: as long as for the company',
      ).argParser(keptOf),
    )
    .addOption(new Option('--dkim <record>', DKIM_BY).choices(['cname', 'txt']))
    .addOption(
      new Option(
        '--dkim-rotation <duration>',
        "how long a DKIM key in the operator's zone signs before it is replaced: at least 8d, off, or default (POSTROAD_DKIM_ROTATION)",
      ).argParser(rotatedOf),
    )
    .addOption(
      new Option('--open-tracking <on|off>', `whether opens are tracked: ${STORED_ONLY}`).argParser(onOrOff),
    )
    .addOption(
      new Option('--click-tracking <on|off>', `whether clicks are tracked: ${STORED_ONLY}`).argParser(
        onOrOff,
      ),
    )
    .addOption(
      new Option('--unsubscribe-tracking <on|off>', `whether unsubscriptions are: ${STORED_ONLY}`).argParser(
        onOrOff,
      ),
    )
    .action(update)

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
  }).action(sending(activateDomain))

  command(domain, {
    usage: 'suspend <domain>',
    description: 'Stop accepting mail from a domain, and hold its waiting mail.',
    details:
      'Mail accepted before is held until the suspension is lifted. `domain activate` lifts it; `domain verify` does not.',
    examples: ['domain suspend example.com'],
  }).action(sending(suspendDomain))

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
    const [records, sender] = await Promise.all([lookAtRecords(op, domain), senderChecks(op, domain)])
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

type Tracking = Pick<DomainSettings, 'openTracking' | 'clickTracking' | 'unsubscribeTracking'>

interface UpdateOptions extends JsonOption, Partial<Tracking> {
  tls?: NonNullable<DomainSettings['tls']>
  returnPath?: string
  sending?: boolean
  pool?: string
  contentRetention?: number | 'none'
  dkim?: DkimBy
  dkimRotation?: number | 'off'
  /** False: no other domain. */
  from?: string[] | false
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const { from, json, sending, tls, returnPath, pool, contentRetention, dkim, dkimRotation, ...tracking } =
    options
  const speaksFor = from === false ? [] : from
  const settings = {
    ...tracking,
    ...(tls && { tls }),
    ...(returnPath !== undefined && { returnPath }),
    ...(sending !== undefined && { sendingOff: !sending }),
    ...(dkimRotation !== undefined && { dkimRotation }),
    ...(contentRetention !== undefined && {
      contentRetention: contentRetention === 'none' ? 0 : contentRetention,
    }),
  }
  const others = [speaksFor, pool, dkim]
  if (others.every((change) => change === undefined) && Object.keys(settings).length === 0) {
    throw new WrongUsage(
      'name at least one change: --from DOMAIN, --no-from, --return-path, --sending, --tls, --pool, --content-retention, --dkim, --dkim-rotation, --open-tracking, --click-tracking or --unsubscribe-tracking',
    )
  }
  await withOperation(async (op) => {
    const changed = await updateDomain(op, { domain: name, settings, ...(speaksFor && { speaksFor }) })
    const pooled = pool === undefined ? changed : await withPool(op, changed, pool)
    const domain =
      dkim === undefined ? pooled : await delegateDkim(op, { domain: pooled.id, delegated: dkim === 'cname' })
    if (json) return printJson(domainJson(op, domain))
    if (pool !== undefined) printLine(assignedLine({ name: domain.name, pool: domain.settings.pool ?? null }))
    if (sending !== undefined) printLine(`Sending from ${domain.name}: ${sendingOf(domain)}.`)
    if (returnPath !== undefined) printLine(`Return path of ${domain.name}: ${returnPathWords(op, domain)}.`)
    if (contentRetention !== undefined) {
      const kept = retentionWords(domain.settings.contentRetention ?? null)
      printLine(`Content of finished emails from ${domain.name} is kept: ${kept}.`)
    }
    if (dkimRotation !== undefined) printLine(`DKIM keys of ${domain.name}: ${rotationOf(op, domain)}.`)
    if (dkim !== undefined) printMoved(op, domain)
    if (tls) printLine(`TLS for mail of ${domain.name}: ${tls} (${TLS_MEANS[tls]}).`)
    if (Object.keys(tracking).length > 0) printLine(`Tracking of ${domain.name}: ${trackingOf(domain)}.`)
    if (speaksFor === undefined) return
    const spoken = spokenFor(op.accounts, domain)
    printLine(
      `Mail for ${domain.name} may use these domains in From: ${[domain.name, ...spoken].join(', ')}.`,
    )
    printInactive(op, domain)
  })
}

/** Prints the records to publish after the DKIM keys of a domain have moved. */
function printMoved(op: Operation, domain: SendingDomain): void {
  const records = dnsRecords(domain, serviceNames(op, domain))
  printLine(`Publish these DKIM records of ${domain.name}:`)
  printRecords(records.filter(({ kind, obsolete }) => kind === 'dkim' && !obsolete))
  if (domain.sending === 'inactive') return
  printLine(
    'Keep the current records in DNS until `postroad domain show` says that they may be removed. Mail is signed as before until DNS has the new ones.',
  )
}

async function withPool(op: Operation, domain: SendingDomain, name: string): Promise<SendingDomain> {
  const { pool } = await assignPool(op, { domain: domain.id, pool: name === 'none' ? null : name })
  const { pool: _, ...others } = domain.settings
  return { ...domain, settings: pool === null ? others : { ...others, pool } }
}

const TLS_MEANS = {
  opportunistic: 'where the next server offers it',
  required: 'always encrypted, with any certificate',
  verified: 'always encrypted, with a valid certificate of the server',
}

function tlsOf({ settings }: SendingDomain): keyof typeof TLS_MEANS {
  return settings.tls ?? 'opportunistic'
}

/** In the settings, an empty text stands for the default host. */
function returnPathIn(text: string): string {
  return text === 'default' ? '' : text
}

function returnPathWords(op: Operation, domain: SendingDomain): string {
  const { host, used, problem } = returnPathState(op, domain)
  if (used) return `${host}, in use`
  if (problem === null) return 'none: bounces go to the address in From'
  return `${host ?? 'none'}, not in use: ${problem}`
}

function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

function sendingOf({ sending, settings }: SendingDomain): string {
  return settings.sendingOff ? `${sending}, but new mail from it is refused (sending is turned off)` : sending
}

function trackingOf({ settings }: SendingDomain): string {
  const { openTracking, clickTracking, unsubscribeTracking = false } = settings
  const word = (isOn: boolean) => (isOn ? 'on' : 'off')
  const words = `opens ${word(openTracking)}, clicks ${word(clickTracking)}, unsubscriptions ${word(unsubscribeTracking)}`
  return openTracking || clickTracking || unsubscribeTracking ? `${words} (${STORED_ONLY})` : words
}

async function remove(name: string, { json }: JsonOption): Promise<void> {
  await withOperation(async (op) => {
    const domain = await removeDomain(op, { domain: name })
    if (json) return printJson({ ...domainJson(op, domain), removed: true })
    printLine(`Removed ${domain.name}. Waiting mail from it fails at its next attempt.`)
  })
}

/** Prints the domains that the domain may use in From but that cannot send now. */
function printInactive({ accounts }: Operation, { speaksFor }: SendingDomain): void {
  for (const { id, name, sending } of accounts.domains) {
    if (!speaksFor.includes(id) || sending === 'active') continue
    const next = sending === 'suspended' ? `domain activate ${name}` : `domain verify ${name}`
    printLine(`Sending from ${name} is ${sending}: no mail leaves until you run \`postroad ${next}\`.`)
  }
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
      const { records } = await look
      for (const line of records.flatMap(zoneLinesOf)) printLine(line)
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

function sending(change: typeof activateDomain): (name: string, options: JsonOption) => Promise<void> {
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
    ['TLS', `${tlsOf(domain)} (${TLS_MEANS[tlsOf(domain)]})`],
    ...lossFields(op, domain),
    ['Tracking', trackingOf(domain)],
    ['Content is kept', retentionWords(domain.settings.contentRetention ?? null)],
    ['From', [domain.name, ...spokenFor(op.accounts, domain)].join(', ')],
    ['Created', formatTime(domain.createdAt)],
  ])
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
