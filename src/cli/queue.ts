import type { Command } from 'commander'
import { companyName } from '../operate/find.ts'
import { showQueue } from '../operate/queue.ts'
import { laneJson } from '../operate/shapes.ts'
import { command, countUpTo, type JsonOption, refuseUnknown } from './command.ts'
import { withOperation } from './open.ts'
import { addPause } from './pause.ts'
import { clipped, printJson, printLine, printTable, shownTime } from './print.ts'
import { addQuarantine } from './quarantine.ts'
import { addRetry } from './retry.ts'

export function addQueue(program: Command): void {
  const shown = command(program, {
    usage: 'queue',
    description: 'Show what waits, by company and destination, until when and why; the largest first.',
    details:
      'A destination is a recipient domain. Recipients are counted by state:\n\n' +
      '  WAITING      tried at the time shown (NEXT ATTEMPT), unless paused\n' +
      '  SENDING      a node has them: ready for a session, or in one\n' +
      '  QUARANTINED  out of reach until released: postroad queue quarantine\n\n' +
      'With --json every destination is listed, by company and name.',
    examples: ['queue', 'queue --company Acme', 'queue --limit 1000'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .option('--limit <count>', 'at most this many destinations', countUpTo(1_000_000), 50)
    .action(queue)
    .enablePositionalOptions()
    .helpCommand(false)
  addRetry(shown)
  addQuarantine(shown)
  addPause(shown)
  // A slip in the name of one of its commands looks like an argument.
  shown.allowExcessArguments()
}

async function queue(
  { company, limit, json }: JsonOption & { company?: string; limit: number },
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
        lane.paused ? 'paused' : shownTime(lane.nextDueAt),
        clipped(lane.lastMessage ?? '', 100),
      ]),
      'Nothing waits.',
    )
    printSums(lanes, shown.length)
  })
}

function printSums(lanes: readonly { waiting: number; quarantined: number }[], shown: number): void {
  if (lanes.length > 1) {
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    printLine()
    printLine(`Waiting in all: ${waiting} recipients at ${lanes.length} destinations.`)
  }
  if (lanes.length > shown) {
    printLine(`The ${shown} largest are shown. All of them: postroad queue --limit ${lanes.length}`)
  }
  if (lanes.some(({ quarantined }) => quarantined > 0)) {
    printLine()
    printLine('What is in quarantine, and why: postroad queue quarantine')
  }
}
