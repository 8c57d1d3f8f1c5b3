import { type Command, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { type CompanyFilter, companyName } from '../operate/find.ts'
import { type RetryInput, type RetryResult, retry, showQueue } from '../operate/queue.ts'
import { type LaneFigures, showQueueByCompany, showQueueBySite } from '../operate/queue-sums.ts'
import { lastReplyText } from '../operate/reply-text.ts'
import { pauseScopeJson } from '../operate/shapes/pause.ts'
import { companySumJson, laneJson, siteSumJson } from '../operate/shapes/queue.ts'
import type { Operation } from '../operate/verb.ts'
import { command, countUpTo, type JsonOption, refuseUnknown } from './command.ts'
import { isRelayed, printDeliveryAdvice } from './delivery-advice.ts'
import { withOperation } from './open.ts'
import { addPause, printPausesInForce } from './pause.ts'
import {
  type Cell,
  formatDue,
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
      'Show how much mail waits for each company and destination, until when, and why. Largest first.',
    details:
      'A destination is a recipient domain; with --by site, it is the mail servers of one or more domains, which are then looked up. ' +
      'OLDEST is the time when the oldest waiting email was accepted. Recipients are counted by state:\n\n' +
      '  WAITING      attempted at the time shown (NEXT ATTEMPT), unless paused\n' +
      '  SENDING      in a session of a node, or next in turn in its memory\n' +
      '  QUARANTINED  not attempted until released: postroad queue quarantine\n\n' +
      'With --by site, SESSIONS counts the open sessions with the site for all companies. SENDING mail that has no session yet waits for its turn.\n\n' +
      'For mail to a paused site, NEXT ATTEMPT is the time at which the service checks the pause again. With --json all lines are listed.',
    examples: ['queue', 'queue --company Acme', 'queue --by site', 'queue --limit 1000'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .addOption(
      new Option('--by <what>', 'a line for each')
        .choices(['destination', 'site', 'company'])
        .default('destination'),
    )
    .option('--limit <count>', 'at most this many lines', countUpTo(1_000_000), 50)
    .action(queue)
    .enablePositionalOptions()
    .helpCommand(false)

  command(shown, {
    usage: 'retry [email]',
    description:
      'Try waiting mail now instead of later: all of it, one email, or the mail of a company, to a domain or to a site.',
    details:
      'Use it after a relay or a network was repaired: deferred mail can wait for up to a day. Every node ' +
      'starts at once; session limits apply as usual, so a long queue takes a while. Attempts already made still count. ' +
      'A retry that a server defers counts as an attempt, too; while the server takes no mail at all, it does not. A message whose answer was lost is only attempted at the same server.\n\n' +
      'Not changed: mail that is being sent or already due, paused mail (postroad queue resume), mail held because of its sending domain ' +
      '(postroad domain activate), and mail that its sender scheduled for later.\n\n' +
      'Scheduled mail is sent early only if you give its id.\n\n' +
      '--domain takes a recipient domain, --site the mail servers that one or more domains share, as in: postroad site show. ' +
      'It includes all waiting mail to the domains of the site, whatever its route. ' +
      'Mail for a closed site is sent automatically once the site accepts mail again; a retry tries the site at once.',
    examples: [
      'queue retry',
      'queue retry --domain example.com',
      'queue retry --site Google',
      'queue retry --company Acme',
      'queue retry ID',
      'queue retry ID --domain example.com',
    ],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--domain <domain>', 'only what goes to this recipient domain')
    .option('--site <site>', 'only what goes to the recipient domains of this site')
    .action(tryAgain)
  addQuarantine(shown)
  addPause(shown)
  // A misspelt subcommand looks like an argument; `refuseUnknown` reports it.
  shown.allowExcessArguments()
}

type QueueOptions = JsonOption & CompanyFilter & { limit: number }

async function queue(
  { by, ...options }: QueueOptions & { by: 'destination' | 'site' | 'company' },
  called: Command,
): Promise<void> {
  refuseUnknown(called)
  await withOperation(async (op) => {
    const of = { company: options.company }
    const name = ({ companyId }: { companyId: string }) => companyName(op, companyId)
    if (by === 'site') {
      printQueue(await showQueueBySite(op, of), options, {
        by: 'site',
        total: 'at %s sites',
        json: siteSumJson,
        titles: ['SITE', 'DOMAINS', 'SESSIONS'],
        cells: ({ site, domains, sessions }) => [site.name, domains.length, sessions],
      })
    } else if (by === 'company') {
      printQueue((await showQueueByCompany(op, of)).sums, options, {
        by: 'company',
        total: 'of %s companies',
        json: companySumJson,
        titles: ['COMPANY'],
        cells: (sum) => [name(sum)],
      })
    } else {
      const lanes = await showQueue(op, of)
      printQueue(lanes, options, {
        by: 'destination',
        total: 'at %s destinations',
        json: laneJson,
        titles: ['COMPANY', 'DESTINATION'],
        cells: (lane) => [name(lane), lane.domain],
      })
      if (!options.json) {
        const messages = lanes.map(({ lastMessage }) => lastMessage)
        printDeliveryAdvice(messages, { relayed: isRelayed(op) })
      }
    }
    if (!options.json) await printPausesInForce(op)
  })
}

interface QueueTable<Sum> {
  by: 'destination' | 'site' | 'company'
  /** The recipients of several lines; `%s` is the number of lines. */
  total: string
  json(sum: Sum): object
  /** The columns before the sums. */
  titles: string[]
  cells(sum: Sum): Cell[]
}

function printQueue<Sum extends LaneFigures>(
  sums: readonly Sum[],
  { json, limit, company }: QueueOptions,
  table: QueueTable<Sum>,
): void {
  if (json) {
    printJson(sums.map(table.json))
    return
  }
  const shown = sums.toSorted((a, b) => b.waiting - a.waiting).slice(0, limit)
  printTable(
    [...table.titles, ...SUM_TITLES],
    shown.map((sum) => [...table.cells(sum), ...sumCells(sum)]),
    'No mail is waiting.',
  )
  printSums(sums, shown.length, table, company)
}

const SUM_TITLES = ['WAITING', 'SENDING', 'QUARANTINED', 'OLDEST', 'NEXT ATTEMPT', 'LAST ANSWER']

function sumCells(sum: LaneFigures): Cell[] {
  return [
    sum.waiting,
    sum.sending,
    sum.quarantined,
    formatTime(sum.oldestAt),
    sum.paused ? 'paused' : formatDue(sum.nextDueAt),
    clip(lastReplyText(sum.lastMessage), 100),
  ]
}

function printSums(
  lanes: readonly { waiting: number; quarantined: number }[],
  shown: number,
  { by, total }: Pick<QueueTable<never>, 'by' | 'total'>,
  company: string | undefined,
): void {
  if (lanes.length > 1) {
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    printLine()
    printLine(`Waiting in total: ${recipientCount(waiting)} ${total.replace('%s', String(lanes.length))}.`)
  }
  if (lanes.length > shown) {
    const which = by === 'destination' ? '' : ` --by ${by}`
    const of = company === undefined ? '' : ` --company "${company}"`
    printLine(
      `Only the first ${shown} of ${lanes.length} lines are shown. To see all: postroad queue${which}${of} --limit ${lanes.length}`,
    )
  }
  if (lanes.some(({ quarantined }) => quarantined > 0)) {
    printLine()
    printLine('To see the mail in quarantine and the reasons: postroad queue quarantine')
  }
}

async function tryAgain(
  email: string | undefined,
  { json, ...of }: JsonOption & Pick<RetryInput, 'company' | 'domain' | 'site'>,
): Promise<void> {
  await withOperation(async (op) => {
    const result = await withProgress((onStep) => retry(op, { email, ...of, onStep }))
    const { request, scope, ...counts } = result
    if (json) return printJson({ ...pauseScopeJson(scope), email_id: request.emailId, ...counts })
    for (const line of describeRetry(result, describeRequest(op, result))) printLine(line)
    // The counts of a retry do not include pauses of sites.
    await printPausesInForce(op, ({ site }) => site !== undefined)
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
  { retried, scheduled, paused, held, delivering }: RetryResult,
  what: string,
): string[] {
  const waits = paused + held + scheduled > 0
  const none = waits
    ? 'Nothing was retried.'
    : `Nothing to retry: no recipient of ${what} is waiting for a later time.`
  const lines = [retried === 0 ? none : `Due now, of ${what}: ${recipientCount(retried)}.`]
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

function describeRequest(op: Operation, { scope, request: { emailId } }: RetryResult): string {
  const { companyId, domain, site } = scope
  const mail = emailId === null ? 'all mail' : `the email ${emailId}`
  const whose =
    companyId === null ? mail : `${emailId === null ? 'mail' : mail} of ${companyName(op, companyId)}`
  if (site !== undefined) return `${whose} to the site ${site.name}`
  return domain === null ? whose : `${whose} to ${domain}`
}
