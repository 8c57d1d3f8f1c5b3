import type { Command } from 'commander'
import { clip } from '../common/clip.ts'
import {
  type DialectEvent,
  type EventForwarding,
  type ForwardTry,
  forwardEvents,
  type ListenRequest,
  listen,
} from '../operate/listen.ts'
import { loggedEventJson } from '../operate/shapes/event.ts'
import { webhookAttemptJson } from '../operate/shapes/webhook.ts'
import type { Operation } from '../operate/verb.ts'
import { hasOwnSecret } from '../operate/webhook-secrets.ts'
import { checkedWebhookUrl } from '../operate/webhook-url.ts'
import { version } from '../version.ts'
import { command, type JsonOption, parser } from './command.ts'
import { formatDetail } from './email-history.ts'
import { OUTAGE_NOTES, untilInterrupted } from './interruption.ts'
import { withOperation } from './open.ts'
import { formatTime, printJsonLine, printLine, printNote } from './print.ts'
import { dialectOption, webhookEventsDescribed } from './webhook.ts'
import { sinceOf } from './when.ts'

export function addListen(program: Command): void {
  command(program, {
    usage: 'listen',
    description: 'Develop against webhooks without a tunnel: forward events to a URL as they happen.',
    details:
      'Run it on your development machine, with the settings of the installation to follow ' +
      '(POSTROAD_DATABASE_URL, POSTROAD_SECRET_KEY). It does not affect the service or its webhooks. ' +
      'Several listeners can run at once.\n\n' +
      'With --forward, each event is sent like a webhook of the dialect, with its headers and its signature. The signing secret ' +
      'is printed at the start and stays the same; for the form dialect it is the signing key of the ' +
      'company. Message ids stay the same too when an event is forwarded again. Any URL ' +
      'is allowed, including localhost and private networks.\n\n' +
      'If the answer is not 2xx, or none comes within 15 seconds, this is printed, and the event is forwarded again after 1, 2, 5, ' +
      '10 and 30 seconds, 1, 2 and 5 minutes, and then every 10 minutes for a day: sooner than to webhooks. In the form dialect, a 406 answer stops the retries. While ' +
      'nothing listens at the URL, events wait, and are sent as soon as something does. Ctrl-C stops the command and prints a summary.\n\n' +
      'Without --forward, events are printed. With --json, each line is one JSON object: the event in the format of the ' +
      'dialect, as its webhooks send it, or the result of an attempt to forward it.\n\n' +
      webhookEventsDescribed(),
    examples: [
      'listen --forward http://localhost:3000/hook',
      'listen --forward http://localhost:3000/hook --event email.bounced --event email.complained',
      'listen --forward http://localhost:3000/mailgun --dialect form --company Acme --since 10m',
      'listen --json',
    ],
    json: 'print JSON instead of text, one object per line',
  })
    .option('--forward <url>', 'post each event to this URL', parser(checkedWebhookUrl))
    .addOption(dialectOption())
    .option('--company <name or id>', 'whose events; required with --forward if there are several companies')
    .option('--event <event...>', 'only these; can be repeated')
    .option(
      '--since <time>',
      'also events since then: like 2026-01-01T12:00:00Z, or 10m for the last ten minutes',
      sinceOf,
    )
    .action(listenTo)
}

interface ListenOptions extends JsonOption, Omit<ListenRequest, 'events'> {
  forward?: string
  event?: string[]
}

async function listenTo({ json, forward, event: events, ...rest }: ListenOptions): Promise<void> {
  const wanted = { ...rest, events }
  await withOperation(async (op) => {
    if (forward === undefined) await untilInterrupted((signal) => print(op, wanted, signal, json))
    else await forwardTo(op, forward, wanted, json)
  })
}

async function print(op: Operation, request: ListenRequest, signal: AbortSignal, json?: true): Promise<void> {
  const bunches = await listen(op, { ...request, signal, ...OUTAGE_NOTES })
  if (!json) printLine(`Listening for events of ${request.company ?? 'all companies'}. Press Ctrl-C to stop.`)
  for await (const bunch of bunches) {
    for (const event of bunch) json ? printJsonLine(event.body) : printEvent(event)
  }
}

function printEvent({ event, word }: DialectEvent): void {
  const { at, emailId, address, detail } = event
  const fields = [
    formatTime(at)!,
    word.padEnd(WORD),
    emailId ?? '-',
    address ?? '-',
    clip(formatDetail(detail), 200),
  ]
  printLine(fields.join('  ').trimEnd())
}

async function forwardTo(op: Operation, url: string, request: ListenRequest, json?: true): Promise<void> {
  const forwarding = await forwardEvents(op, {
    ...request,
    url,
    userAgent: `Postroad/${version()}`,
    onTried: json ? printTryJson : printTry,
    onUnreachable: (why) => printNote(`postroad: ${why}. Events wait until something listens there`),
    onReachable: () => printNote('postroad: connected; sending the waiting events'),
    ...OUTAGE_NOTES,
  })
  const { company, secret } = forwarding
  if (json)
    printJsonLine({ forwarding_to: forwarding.url, dialect: request.dialect, company_id: company.id, secret })
  else {
    const named = hasOwnSecret(request.dialect) ? 'secret' : 'signing key'
    printLine(`Forwarding events of ${company.name} to ${forwarding.url}, signed with the ${named} ${secret}`)
    printLine('Press Ctrl-C to stop.')
    printLine()
  }
  const summary = await untilInterrupted((signal) => forwarding.run(signal))
  printSummary(summary, json)
}

/** Characters of the longest event name of either dialect, and of a status. */
const WORD = 22
const STATUS = 9

function printTry({ event, attempt, word, messageId }: ForwardTry): void {
  const { at, status, error, duration, response, nextAt, succeeded } = attempt
  const fields = [
    formatTime(at)!,
    String(status ?? 'no answer').padEnd(STATUS),
    `${Math.round(duration)} ms`.padStart(8),
    word.padEnd(WORD),
    event.address ?? event.emailId ?? event.detail.domain ?? '-',
    messageId,
    succeeded
      ? ''
      : clip([error ?? onOneLine(response), next(at + duration, nextAt)].filter(Boolean).join('; '), 200),
  ]
  printLine(fields.join('  ').trimEnd())
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Times in Unix ms. */
function next(now: number, nextAt: number | null): string {
  return nextAt === null ? 'not tried again' : `again in ${Math.round((nextAt - now) / 1000)} s`
}

function printTryJson({ event, attempt, messageId }: ForwardTry): void {
  const { webhook_id: _, id: __, ...tried } = webhookAttemptJson(attempt)
  printJsonLine({ ...tried, message_id: messageId, event: loggedEventJson(event) })
}

function printSummary(
  { taken, givenUp, waiting, waitingSince }: Awaited<ReturnType<EventForwarding['run']>>,
  json?: true,
): void {
  if (json) {
    const since = waitingSince === null ? null : new Date(waitingSince).toISOString()
    printJsonLine({ taken, given_up: givenUp, waiting, waiting_since: since })
    return
  }
  printLine()
  const parts = [`${taken} ${taken === 1 ? 'event' : 'events'} forwarded`]
  if (givenUp > 0) parts.push(`${givenUp} given up`)
  if (waiting > 0) parts.push(`${waiting} still waiting`)
  printLine(`${parts.join(', ')}.`)
  if (waitingSince === null) return
  printLine(`To start with the events still waiting: --since ${new Date(waitingSince).toISOString()}`)
}
