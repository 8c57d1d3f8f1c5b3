/** `domain rotate`: the next DKIM key of a domain. */
import type { Command } from 'commander'
import type { DkimIdentity, SendingDomain } from '../accounts/account.ts'
import { isDelegated, isInReserve } from '../accounts/dkim-delegation.ts'
import { dkimRecordName, dnsRecords } from '../accounts/dns-records.ts'
import { retentionWords } from '../operate/content-retention.ts'
import {
  cancelDkimRotation,
  finishDkimRotation,
  keysIn,
  rotateDkimKey,
  rotatedEvery,
} from '../operate/dkim-rotation.ts'
import { retiresAt } from '../operate/domain-schedule.ts'
import { serviceNames } from '../operate/service-names.ts'
import { wholeDomainJson } from '../operate/shapes/domain.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption } from './command.ts'
import { printRecords } from './dns-records.ts'
import { WrongUsage } from './failure.ts'
import { withOperation } from './open.ts'
import { formatTime, printJson, printLine } from './print.ts'

export function addRotateCommand(domain: Command): void {
  command(domain, {
    usage: 'rotate <domain>',
    description: 'Replace the DKIM key of a domain without interrupting its mail.',
    details:
      'Creates the next key and prints its record. Publish the record: the running service checks DNS, and signs with the ' +
      'next key as soon as DNS has it. Keep the record of the previous key in DNS for seven more days, because receivers ' +
      'still verify mail that is on its way. `domain show` shows the progress of the rotation.\n\n' +
      'For a domain with keys in the zone of POSTROAD_DKIM_ZONE, there is nothing to publish: the reserve key becomes the next key.',
    examples: [
      'domain rotate example.com',
      'domain rotate example.com --cancel',
      'domain rotate example.com --finish',
      'domain rotate example.com --finish --force',
    ],
  })
    .option('--cancel', 'end a rotation that waits for DNS; mail is signed as before')
    .option('--finish', 'sign with the next key now, if DNS has its record')
    .option('--force', 'with --finish: also if DNS lacks the record')
    .action(rotate)
}

interface RotateOptions extends JsonOption {
  cancel?: true
  finish?: true
  force?: true
}

async function rotate(name: string, { cancel, finish, force, json }: RotateOptions): Promise<void> {
  if (cancel && finish) throw new WrongUsage('name --cancel or --finish, not both')
  if (force && !finish) throw new WrongUsage('--force belongs to --finish')
  await withOperation(async (op) => {
    const domain = cancel
      ? await cancelDkimRotation(op, { domain: name })
      : finish
        ? await finishDkimRotation(op, { domain: name, force: force === true })
        : await rotateDkimKey(op, { domain: name })
    const records = dnsRecords(domain, serviceNames(op, domain))
    if (json) return printJson(wholeDomainJson(op, domain, records))
    if (cancel) return printLine(`Cancelled. Mail from ${domain.name} is signed with ${signersOf(domain)}.`)
    if (finish) {
      printLine(`Mail from ${domain.name} is now signed with ${signersOf(domain)}.`)
      for (const key of keysIn(domain, 'retiring')) printLine(`${key.selector}: ${placeOf(key)}.`)
      return
    }
    const next = keysIn(domain, 'next')
    if (next.every(({ delegated }) => delegated)) {
      const selectors = next.map(({ selector }) => selector).join(' and ')
      printLine(
        `${selectors} is next for ${domain.name}. It signs mail once DNS has had its record for an hour, which the running service ` +
          `checks. Until then mail is signed with ${signersOf(domain)}.`,
      )
      return
    }
    const waiting = next.map((key) => dkimRecordName(key, domain))
    printLine(`Publish this record of ${domain.name}:`)
    printRecords(records.filter((record) => waiting.includes(record.name)))
    printLine(
      `Until DNS has it, mail is signed with ${signersOf(domain)}. The running service checks DNS and switches by ` +
        `itself; to check now: postroad domain verify ${domain.name}`,
    )
  })
}

function signersOf({ dkim }: SendingDomain): string {
  return dkim
    .filter(({ active }) => active)
    .map(({ selector }) => selector)
    .join(' and ')
}

/** Each DKIM key of a domain, for `domain show`. */
export function dkimFields(op: Pick<Operation, 'setup'>, domain: SendingDomain): [string, string][] {
  const keys = domain.dkim.map((key): [string, string] => {
    const found = key.seen === null ? 'not checked yet' : `in DNS: ${key.seen}`
    return ['DKIM key', `${key.selector}, ${placeOf(key)} (${found})`]
  })
  return isDelegated(domain, op.setup.dkimZone) ? [...keys, ['DKIM rotation', rotationOf(op, domain)]] : keys
}

/** How often the delegated keys of a domain are replaced, in a few words. */
export function rotationOf({ setup }: Pick<Operation, 'setup'>, domain: SendingDomain): string {
  const every = rotatedEvery(domain, setup.dkimRotation)
  return every === null ? 'not rotated by themselves' : `rotated every ${retentionWords(every)}`
}

/** The use of a key, in a few words. */
function placeOf(key: DkimIdentity): string {
  const { active, rotation } = key
  if (isInReserve(key)) return 'in reserve for the next rotation'
  if (rotation === null) return active ? 'signs mail' : 'not in use'
  if (rotation.stage === 'next') return `waits for its record in DNS since ${formatTime(rotation.since)}`
  if (rotation.stage === 'retired') return 'retired; its record may be removed from DNS'
  const until = formatTime(retiresAt(rotation))
  return key.delegated ? `retiring; replaced at ${until}` : `retiring; keep its record in DNS until ${until}`
}
