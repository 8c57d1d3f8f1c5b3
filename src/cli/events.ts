import { type Command, InvalidArgumentError, Option } from 'commander'
import { clip } from '../common/clip.ts'
import { COMPANY_EVENT_TYPES, type CompanyEventType, type LogEntry } from '../email/company-event.ts'
import { EVENT_TYPES, type EventType } from '../email/event.ts'
import { type EventsRequest, followEvents, listEvents } from '../operate/events.ts'
import { companyName } from '../operate/find.ts'
import { loggedEventJson } from '../operate/shapes/event.ts'
import type { Operation } from '../operate/verb.ts'
import { command, countUpTo, type JsonOption } from './command.ts'
import { formatDetail } from './email-history.ts'
import { OUTAGE_NOTES, untilInterrupted } from './interruption.ts'
import { withOperation } from './open.ts'
import { formatTime, printJsonLine, printLine } from './print.ts'

export function addEvents(program: Command): void {
  command(program, {
    usage: 'events',
    description: 'Events of emails and webhooks: the latest ones, or each new one as it happens.',
    details:
      'Events are numbered in the order in which they were recorded, whatever node recorded them; ' +
      'there are gaps between the numbers. Pass the number of the last event you have seen to --after, and you miss none.\n\n' +
      'With --json each event is one JSON object on a line of its own.',
    examples: [
      'events --follow',
      'events --company Acme --type bounced --type complained',
      'events --follow --json --after 4711',
    ],
  })
    .option('--follow', 'keep printing new events until interrupted')
    .option('--company <name or id>', 'only those of this company')
    .addOption(
      new Option('--type <type...>', 'only those of this type; can be repeated').choices([
        ...EVENT_TYPES,
        ...COMPANY_EVENT_TYPES,
      ]),
    )
    .option('--after <number>', 'only events after the one with this number', eventNumber)
    .option('--limit <count>', 'at most this many of the events recorded so far', countUpTo(10_000), 100)
    .action(events)
}

function eventNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the number of an event, or 0.')
  return Number(text)
}

interface EventsOptions extends JsonOption, Omit<EventsRequest, 'types'> {
  follow?: true
  type?: (EventType | CompanyEventType)[]
}

async function events({ follow, json, type: types, ...wanted }: EventsOptions): Promise<void> {
  await withOperation(async (op) => {
    const print = (event: LogEntry) => (json ? printJsonLine(loggedEventJson(event)) : printEvent(op, event))
    if (follow) return await printAsTheyCome(op, { ...wanted, types }, print)
    const found = await listEvents(op, { ...wanted, types })
    for (const event of found) print(event)
    if (!json && found.length === 0) printLine('No event matches.')
  })
}

async function printAsTheyCome(
  op: Operation,
  request: EventsRequest,
  print: (event: LogEntry) => void,
): Promise<void> {
  await untilInterrupted(async (signal) => {
    for await (const bunch of await followEvents(op, { ...request, signal, ...OUTAGE_NOTES })) {
      for (const event of bunch) print(event)
    }
  })
}

/** One line instead of a table, whose columns would depend on events still to come. */
function printEvent(op: Operation, event: LogEntry): void {
  const { number, at, type, companyId, emailId, address, detail } = event
  const fields = [
    String(number).padStart(8),
    formatTime(at),
    type.padEnd(16),
    clip(companyName(op, companyId), 20).padEnd(12),
    emailId ?? '-',
    address ?? '-',
    clip(formatDetail(detail), 200),
  ]
  printLine(fields.join('  ').trimEnd())
}
