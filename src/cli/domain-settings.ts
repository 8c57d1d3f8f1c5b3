/** `domain update`, and the settings of a domain in words. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { DomainSettings, SendingDomain } from '../accounts/account.ts'
import { dnsRecords } from '../accounts/dns-records.ts'
import { retentionWords } from '../operate/content-retention.ts'
import { delegateDkim } from '../operate/dkim-delegation.ts'
import { updateDomain } from '../operate/domains.ts'
import { type AssignedPool, assignPool } from '../operate/pools.ts'
import { returnPathState } from '../operate/return-path.ts'
import { serviceNames } from '../operate/service-names.ts'
import { domainJson, spokenFor } from '../operate/shapes/domain.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption } from './command.ts'
import { printRecords } from './dns-records.ts'
import { DKIM_BY, type DkimBy } from './domain-delegation.ts'
import { rotationOf } from './domain-rotation.ts'
import { WrongUsage } from './failure.ts'
import { withOperation } from './open.ts'
import { assignedLine, warnIfUnusable } from './pool.ts'
import { printJson, printLine } from './print.ts'
import { retentionOf, rotatedOf } from './when.ts'

export const RETURN_PATH =
  'host that bounces come back to: a label below the domain, or a whole name; `default`: bounces.<domain>'
export const SPEAKS_FOR = 'other domains of the company that its mail may use in From'
/** The settings of tracking have no effect yet: clients of both APIs set them and read them back. */
const STORED_ONLY = 'stored for clients of the APIs; nothing is tracked yet'

export function addUpdateCommand(domain: Command): void {
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
      ).argParser(retentionOf),
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
      new Option(
        '--unsubscribe-tracking <on|off>',
        `whether unsubscriptions are tracked: ${STORED_ONLY}`,
      ).argParser(onOrOff),
    )
    .action(update)
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
    const assigned =
      pool === undefined
        ? null
        : await assignPool(op, { domain: changed.id, pool: pool === 'none' ? null : pool })
    const pooled = assigned === null ? changed : withPool(changed, assigned)
    const domain =
      dkim === undefined ? pooled : await delegateDkim(op, { domain: pooled.id, delegated: dkim === 'cname' })
    if (assigned !== null) warnIfUnusable(assigned)
    if (json) return printJson(domainJson(op, domain))
    if (assigned !== null) printLine(assignedLine(assigned))
    if (sending !== undefined) printLine(`Sending from ${domain.name}: ${sendingOf(domain)}.`)
    if (returnPath !== undefined) printLine(`Return path of ${domain.name}: ${returnPathWords(op, domain)}.`)
    if (contentRetention !== undefined) {
      const kept = retentionWords(domain.settings.contentRetention ?? null)
      printLine(`Content of finished emails from ${domain.name} is kept: ${kept}.`)
    }
    if (dkimRotation !== undefined) printLine(`DKIM keys of ${domain.name}: ${rotationOf(op, domain)}.`)
    if (dkim !== undefined) printMoved(op, domain)
    if (tls) printLine(`TLS for mail of ${domain.name}: ${tlsWords(domain)}.`)
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

function withPool(domain: SendingDomain, { pool }: AssignedPool): SendingDomain {
  const { pool: _, ...others } = domain.settings
  return { ...domain, settings: pool === null ? others : { ...others, pool } }
}

const TLS_MEANS = {
  opportunistic: 'where the next server offers it',
  required: 'always encrypted, with any certificate',
  verified: 'always encrypted, with a valid certificate of the server',
}

export function tlsWords({ settings: { tls = 'opportunistic' } }: SendingDomain): string {
  return `${tls} (${TLS_MEANS[tls]})`
}

/** The host for the settings, where an empty text means the default one. */
export function returnPathIn(text: string): string {
  return text === 'default' ? '' : text
}

export function returnPathWords(op: Operation, domain: SendingDomain): string {
  const { host, used, problem } = returnPathState(op, domain)
  if (used) return `${host}, in use`
  if (problem === null) return 'none: bounces go to the address in From'
  return `${host ?? 'none'}, not in use: ${problem}`
}

function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

export function sendingOf({ sending, settings }: SendingDomain): string {
  return settings.sendingOff ? `${sending}, but new mail from it is refused (sending is turned off)` : sending
}

export function trackingOf({ settings }: SendingDomain): string {
  const { openTracking, clickTracking, unsubscribeTracking = false } = settings
  const word = (isOn: boolean) => (isOn ? 'on' : 'off')
  const words = `opens ${word(openTracking)}, clicks ${word(clickTracking)}, unsubscriptions ${word(unsubscribeTracking)}`
  return openTracking || clickTracking || unsubscribeTracking ? `${words} (${STORED_ONLY})` : words
}

/** Prints the domains that the domain may use in From but that cannot send now. */
export function printInactive({ accounts }: Operation, { speaksFor }: SendingDomain): void {
  for (const { id, name, sending } of accounts.domains) {
    if (!speaksFor.includes(id) || sending === 'active') continue
    const next = sending === 'suspended' ? `domain activate ${name}` : `domain verify ${name}`
    printLine(`Sending from ${name} is ${sending}: no mail leaves until you run \`postroad ${next}\`.`)
  }
}
