import type { Command } from 'commander'
import { command, type JsonOption, refuseUnknown } from './command.ts'
import { companyFilter, companyName } from './named.ts'
import { withStore } from './open.ts'
import { addPause, isPaused } from './pause.ts'
import { clipped, jsonTime, printJson, printLine, printTable, shownTime } from './print.ts'
import { addQuarantine } from './quarantine.ts'
import { addRetry } from './retry.ts'

export function addQueue(program: Command): void {
  const shown = command(program, {
    usage: 'queue',
    description: 'Show what waits, by company and destination, until when and why.',
    examples: ['queue', 'queue --company Acme'],
  })
    .option('--company <name or id>', 'only what this company sent')
    .action(queue)
    .enablePositionalOptions()
    .helpCommand(false)
  addRetry(shown)
  addQuarantine(shown)
  addPause(shown)
  // A slip in the name of one of its commands looks like an argument.
  shown.allowExcessArguments()
}

async function queue({ company, json }: JsonOption & { company?: string }, called: Command): Promise<void> {
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
        on_the_way: lane.leased,
        quarantined: lane.quarantined,
        next_attempt_at: jsonTime(lane.nextDueAt),
        last_answer: lane.lastMessage,
        paused: isPaused(pauses, lane.companyId, lane.domain),
      })),
    )
  }
  printTable(
    ['COMPANY', 'DESTINATION', 'WAITING', 'ON THE WAY', 'QUARANTINED', 'NEXT ATTEMPT', 'LAST ANSWER'],
    lanes.map((lane) => [
      companyName(accounts, lane.companyId),
      lane.domain,
      lane.waiting,
      lane.leased,
      lane.quarantined,
      isPaused(pauses, lane.companyId, lane.domain) ? 'paused' : shownTime(lane.nextDueAt),
      clipped(lane.lastMessage ?? '', 100),
    ]),
    'Nothing waits.',
  )
  if (lanes.some(({ quarantined }) => quarantined > 0)) {
    printLine('\nWhat is in quarantine, and why: postroad queue quarantine')
  }
}
