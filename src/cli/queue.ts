import type { Command } from 'commander'
import { command, countUpTo, type JsonOption, refuseUnknown } from './command.ts'
import { companyFilter, companyName } from './named.ts'
import { withStore } from './open.ts'
import { addPause, isPaused } from './pause.ts'
import { clipped, jsonTime, printJson, printLine, printTable, shownTime } from './print.ts'
import { addQuarantine } from './quarantine.ts'
import { addRetry } from './retry.ts'

export function addQueue(program: Command): void {
  const shown = command(program, {
    usage: 'queue',
    description: 'Show what waits, by company and destination, until when and why; the largest first.',
    details: 'With --json every destination is listed, by company and name.',
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
  const { lanes, pauses, accounts } = await withStore(async ({ store, accounts }) => ({
    lanes: await store.queue(companyFilter(accounts, company)),
    pauses: await store.pauses(),
    accounts,
  }))
  if (json) {
    return printJson(
      lanes.map((lane) => ({
        company_id: lane.companyId,
        domain: lane.domain,
        waiting: lane.waiting,
        sending: lane.sending,
        quarantined: lane.quarantined,
        next_attempt_at: jsonTime(lane.nextDueAt),
        last_answer: lane.lastMessage,
        paused: isPaused(pauses, lane.companyId, lane.domain),
      })),
    )
  }
  const shown = lanes.toSorted((a, b) => b.waiting - a.waiting).slice(0, limit)
  printTable(
    ['COMPANY', 'DESTINATION', 'WAITING', 'SENDING', 'QUARANTINED', 'NEXT ATTEMPT', 'LAST ANSWER'],
    shown.map((lane) => [
      companyName(accounts, lane.companyId),
      lane.domain,
      lane.waiting,
      lane.sending,
      lane.quarantined,
      isPaused(pauses, lane.companyId, lane.domain) ? 'paused' : shownTime(lane.nextDueAt),
      clipped(lane.lastMessage ?? '', 100),
    ]),
    'Nothing waits.',
  )
  if (lanes.length > 1) {
    const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0)
    printLine()
    printLine(`Waiting in all: ${waiting} recipients at ${lanes.length} destinations.`)
  }
  if (lanes.length > shown.length) {
    printLine(`The ${shown.length} largest are shown. All of them: postroad queue --limit ${lanes.length}`)
  }
  if (lanes.some(({ quarantined }) => quarantined > 0)) {
    printLine()
    printLine('What is in quarantine, and why: postroad queue quarantine')
  }
}
