/** `domain rotate`: the next DKIM key of a domain. */
import type { Command } from 'commander'
import type { DkimIdentity, SendingDomain } from '../accounts/account.ts'
import { dkimRecordName, dnsRecords } from '../accounts/dns-records.ts'
import { cancelDkimRotation, finishDkimRotation, keysIn, rotateDkimKey } from '../operate/dkim-rotation.ts'
import { retiresAt } from '../operate/domain-schedule.ts'
import { serviceNames } from '../operate/service-names.ts'
import { wholeDomainJson } from '../operate/shapes.ts'
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
      'Makes the next key and prints its record. Publish the record: the running service checks DNS, and signs with the ' +
      'next key as soon as DNS has it. The record of the previous key must stay in DNS for seven days, because receivers ' +
      'still verify mail that is under way. `domain show` says how far the rotation is.',
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
    if (json) return printJson(wholeDomainJson(op.accounts, domain, records))
    if (cancel) return printLine(`Cancelled. Mail from ${domain.name} is signed with ${signersOf(domain)}.`)
    if (finish) {
      printLine(`Mail from ${domain.name} is now signed with ${signersOf(domain)}.`)
      for (const key of keysIn(domain, 'retiring')) printLine(`${key.selector}: ${placeOf(key)}.`)
      return
    }
    const waiting = keysIn(domain, 'next').map((key) => dkimRecordName(key, domain))
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
export function dkimFields({ dkim }: SendingDomain): [string, string][] {
  return dkim.map((key) => {
    const found = key.seen === null ? 'not checked yet' : `in DNS: ${key.seen}`
    return ['DKIM key', `${key.selector}, ${placeOf(key)} (${found})`]
  })
}

/** The use of a key, in a few words. */
function placeOf({ active, rotation }: DkimIdentity): string {
  if (rotation === null) return active ? 'signs mail' : 'not in use'
  if (rotation.stage === 'next') return `waits for its record in DNS since ${formatTime(rotation.since)}`
  if (rotation.stage === 'retired') return 'retired; its record may be removed from DNS'
  return `retiring; keep its record in DNS until ${formatTime(retiresAt(rotation))}`
}
