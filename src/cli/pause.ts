/** `queue pause`, `queue resume` and `queue pauses`: pausing and resuming waiting mail. */
import type { Command } from 'commander'
import { companyName } from '../operate/find.ts'
import {
  listPauses,
  type NewPauseInput,
  type PauseInput,
  pause,
  resume,
  scopeText,
} from '../operate/pauses.ts'
import { pauseJson, pauseScopeJson, pauseText } from '../operate/shapes/pause.ts'
import type { Operation } from '../operate/verb.ts'
import { command, type JsonOption } from './command.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import { formatTime, printJson, printLine } from './print.ts'
import { endOf } from './when.ts'

interface PauseOptions extends JsonOption, Omit<NewPauseInput, 'until'> {
  until?: number | 'none'
}

export function addPause(queue: Command): void {
  const scoped = (parent: Command) =>
    parent
      .option('--company <name or id>', 'only what this company sent')
      .option('--domain <domain>', 'only what goes to this recipient domain')
      .option('--site <site>', 'only what goes to this site, named as for postroad site show')

  scoped(
    command(queue, {
      usage: 'pause',
      description:
        'Hold waiting mail: all of it, or only that of one company, to one recipient domain, or to one site.',
      details:
        'Mail is still accepted. Waiting mail stays in the queue and uses up no attempts; open SMTP sessions go on. Every node applies the pause ' +
        'within a second. Pauses can overlap: mail waits as long as at least one of them covers it.\n\n' +
        '--site does not hold mail that goes to the same recipient domains by another route, such as the own route of a company.\n\n' +
        'To change the end or the reason of a pause, pause the same mail again. Options that you leave out keep their values; --until none and --reason "" remove them.',
      examples: [
        'queue pause',
        'queue pause --company Acme',
        'queue pause --domain example.com',
        'queue pause --site Google --until 4h --reason "their support is working on it"',
      ],
    }),
  )
    .option('--until <time>', 'when the pause ends by itself: a time, how long from now, or none', endOf)
    .option('--reason <text>', 'the reason, shown to everybody whose mail waits')
    .action(begin)

  scoped(
    command(queue, {
      usage: 'resume',
      description: 'End a pause. Give the same --company, --domain and --site with which it was set.',
      examples: [
        'queue resume',
        'queue resume --company Acme --domain example.com',
        'queue resume --site Google',
      ],
    }),
  ).action(end)

  command(queue, {
    usage: 'pauses',
    description: 'List the pauses.',
    examples: ['queue pauses', 'queue pauses --json'],
  }).action(list)
}

async function begin({ json, until, ...what }: PauseOptions): Promise<void> {
  await withOperation(async (op) => {
    const made = await pause(
      op,
      until === undefined ? what : { ...what, until: until === 'none' ? null : until },
    )
    if (json) return printJson({ ...pauseJson(made), paused: true })
    const end = made.until === null ? '' : ` until ${formatTime(made.until)}`
    printLine(`Paused: ${scopeText(op, made)}${end}.`)
  })
}

async function end({ json, ...what }: JsonOption & PauseInput): Promise<void> {
  await withOperation(async (op) => {
    const scope = await resume(op, what)
    if (json) return printJson({ ...pauseScopeJson(scope), paused: false })
    printLine(`Ended the pause of ${scopeText(op, scope)}.`)
    // A wider or a narrower one may go on.
    await printPausesInForce(op)
  })
}

/** Prints the pauses, because nothing else explains why mail that is due does not leave. */
export async function printPausesInForce(
  op: Operation,
  isShown = (_pause: { site?: object }) => true,
): Promise<void> {
  const pauses = (await listPauses(op, {})).filter(isShown)
  if (pauses.length === 0) return
  printLine()
  for (const each of pauses) printLine(`Paused: ${scopeText(op, each)}, ${pauseText(each)}.`)
}

const list = listing({
  verb: listPauses,
  json: pauseJson,
  titles: ['COMPANY', 'DESTINATION', 'SINCE', 'UNTIL', 'REASON'],
  row: ({ companyId, domain, site, since, until, reason }, op) => {
    const where = site === undefined ? (domain ?? 'all') : `site ${site.name}`
    return [
      companyId === null ? 'all' : companyName(op, companyId),
      where,
      formatTime(since),
      formatTime(until),
      reason,
    ]
  },
  nothing: 'Nothing is paused.',
})
