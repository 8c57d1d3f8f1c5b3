import type { Command } from 'commander'
import { type CompanyFilter, companyName } from '../operate/find.ts'
import { type RetriedMail, type RetryInput, retry, showQueue } from '../operate/queue.ts'
import { laneJson, pauseScopeJson } from '../operate/shapes.ts'
import type { Operation } from '../operate/verb.ts'
import { command, countUpTo, type JsonOption, refuseUnknown } from './command.ts'
import { printDeliveryAdvice } from './delivery-advice.ts'
import { withOperation } from './open.ts'
import { addPause } from './pause.ts'
import {
  clipped,
  formatTime,
  ProgressLine,
  printJson,
  printLine,
  printTable,
  recipientCount,
} from './print.ts'
import { addQuarantine } from './quarantine.ts'

export function addQueue(program: Command): void {
  const shown = command(program, {
    usage: 'queue',
    description:
      'Show the waiting mail by company and destination: until when it waits, and why. Largest first.',
    details:
      'A destination is a recipient domain. Recipients are counted by state:\n\n' +
      '  WAITING      attempted at the time shown (NEXT ATTEMPT), unless paused\n' +
      '  SENDING      a node is delivering to them, or is about to\n' +
      '  QUARANTINED  not attempted until released: postroad queue quarantine\n\n' +
      'With --json every destination is listed, by company and name.',
    examples: ['queue', 'queue --company Acme', 'queue --limit 1000'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--limit <count>', 'at most this many destinations', countUpTo(1_000_000), 50)
    .action(queue)
    .enablePositionalOptions()
    .helpCommand(false)

  command(shown, {
    usage: 'retry [email]',
    description:
      'Try waiting mail now instead of later: all of it, one email, or the mail of a company or to a domain.',
    details:
      'Use it after a relay or a network was repaired: deferred mail can wait for up to a day. Every node ' +
      'starts at once; session limits apply as usual, so a long queue takes a while. Attempts already made still count, and ' +
      'a message whose answer was lost is only attempted at the same server.\n\n' +
      'Not changed: mail that is being sent or already due, paused mail (postroad queue resume), mail held because of its sending domain ' +
      '(postroad domain activate), and mail that its sender scheduled for later.\n\n' +
      'Scheduled mail is sent early only if you give its id.\n\n' +
      '--domain takes a recipient domain, as `postroad queue` lists them, not a site. The log names sites: the mail servers that several ' +
      'domains share, or a relay. Mail for a closed site is sent automatically once the site accepts mail again.',
    examples: [
      'queue retry',
      'queue retry --domain example.com',
      'queue retry --company Acme',
      'queue retry ID',
      'queue retry ID --domain example.com',
    ],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--domain <domain>', 'only what goes to this recipient domain')
    .action(tryAgain)
  addQuarantine(shown)
  addPause(shown)
  // A misspelt subcommand looks like an argument; `refuseUnknown` reports it.
  shown.allowExcessArguments()
}

async function queue(
  { company, limit, json }: JsonOption & CompanyFilter & { limit: number },
  called: Command,
): Promise<void> {
  refuseUnknown(called)
  await withOperation(async (op) => {
    const lanes = await showQueue(op, { company })
    if (json) return printJson(lanes.map(laneJson))
    const shown = lanes.toSorted((a, b) => b.waiting - a.waiting).slice(0, limit)
    printTable(
      ['COMPANY', 'DESTINATION', 'WAITING', 'SENDING', 'QUARANTINED', 'NEXT ATTEMPT', 'LAST ANSWER'],
      shown.map((lane) => [
        companyName(op, lane.companyId),
        lane.domain,
        lane.waiting,
        lane.sending,
        lane.quarantined,
        lane.paused ? 'paused' : formatTime(lane.nextDueAt),
        clipped(lane.lastMessage ?? '', 100),
      ]),
      'No mail is waiting.',
    )
    printSums(lanes, shown.length)
    printDeliveryAdvice(lanes.map(({ lastMessage }) => lastMessage))
  })
}

function printSums(lanes: readonly { waiting: number; quarantined: number }[], shown: number): void {
  if (lanes.length > 1) {
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    printLine()
    printLine(`Waiting in total: ${waiting} recipients at ${lanes.length} destinations.`)
  }
  if (lanes.length > shown) {
    printLine(`The ${shown} largest are shown. To see all: postroad queue --limit ${lanes.length}`)
  }
  if (lanes.some(({ quarantined }) => quarantined > 0)) {
    printLine()
    printLine('To see the mail in quarantine and the reasons: postroad queue quarantine')
  }
}

async function tryAgain(
  email: string | undefined,
  { json, ...of }: JsonOption & Pick<RetryInput, 'company' | 'domain'>,
): Promise<void> {
  await withOperation(async (op) => {
    const result = await withProgress((onStep) => retry(op, { email, ...of, onStep }))
    const { request, ...counts } = result
    if (json) return printJson({ ...pauseScopeJson(request), email_id: request.emailId, ...counts })
    for (const line of describeRetry(result, describeRequest(op, request))) printLine(line)
  })
}

/** Shows the progress, because hundreds of thousands of recipients take a while. */
async function withProgress<Result>(
  work: (onStep: NonNullable<RetryInput['onStep']>) => Promise<Result>,
): Promise<Result> {
  const progress = new ProgressLine()
  try {
    return await work(({ retried }) => progress.show(`${recipientCount(retried)} due now ...`))
  } finally {
    progress.clear()
  }
}

function describeRetry(
  { retried, scheduled, paused, held, delivering }: RetriedMail,
  what: string,
): string[] {
  const lines = [
    retried === 0
      ? `Nothing to retry: no recipient of ${what} is waiting for a later time.`
      : `Due now, of ${what}: ${recipientCount(retried)}.`,
  ]
  if (paused > 0)
    lines.push(`Not retried, because paused: ${recipientCount(paused)}. See: postroad queue pauses`)
  if (held > 0) {
    lines.push(
      `Not retried, because their sending domain may not send: ${recipientCount(held)}. See: postroad domain list`,
    )
  }
  if (scheduled > 0)
    lines.push(`Not retried, because scheduled by their sender: ${recipientCount(scheduled)}.`)
  if (retried > 0 && !delivering) lines.push('No delivery node is running: the mail is sent once one starts.')
  return lines
}

function describeRequest(op: Operation, { companyId, domain, emailId }: RetriedMail['request']): string {
  const mail = emailId === null ? 'all mail' : `the email ${emailId}`
  const whose =
    companyId === null ? mail : `${emailId === null ? 'mail' : mail} of ${companyName(op, companyId)}`
  return domain === null ? whose : `${whose} to ${domain}`
}
