/** The generated section of docs/reliability.md: all runs that are kept. */
import { table } from '../harness/marked-page.ts'
import { CAUSES } from './doubles.ts'
import { FAULT_KINDS, FAULT_WORDS } from './fault-log.ts'
import type { KeptRun } from './kept-run.ts'

const figure = (value: number) => value.toLocaleString('en-US')
const sum = (counts: Partial<Record<string, number>>) =>
  Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0)

export function section(runs: readonly KeptRun[]): string {
  if (runs.length === 0) return 'No run is kept yet.'
  const parts = [
    outcomes(runs),
    webhooks(runs),
    reports(runs),
    faults(runs),
    doubles(runs),
    afterFailedSync(runs),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function outcomes(runs: readonly KeptRun[]): string {
  const head = ['date, commit', 'store', 'seed', 'minutes', 'faults', 'requests', 'accepted (recipients)']
  const rows = runs.map((run) => [
    `${run.at.slice(0, 10)}, ${run.commit}`,
    `${run.store}, ${run.nodes} node${run.nodes === 1 ? '' : 's'}`,
    String(run.seed),
    String(run.minutes),
    figure(sum(run.faults)),
    figure(run.requests),
    `${figure(run.messages)} (${figure(run.recipients)})`,
    figure(run.lost),
    figure(sum(run.doubled)),
    figure(run.unexplained),
    Object.entries(run.defects)
      .map(([what, count]) => `${what}: ${count}`)
      .join('; ') || 'none',
  ])
  return table([...head, 'lost', 'doubled', 'unexplained', 'other defects'], rows)
}

/** Of the runs that had webhooks. */
function webhooks(runs: readonly KeptRun[]): string {
  const rows = runs.flatMap(({ at, commit, store, seed, webhooks }) =>
    webhooks === undefined
      ? []
      : [
          [`${at.slice(0, 10)}, ${commit}`, store, String(seed)].concat(
            [webhooks.wanted, webhooks.requests, webhooks.again, webhooks.lost, webhooks.invented].map(
              figure,
            ),
          ),
        ],
  )
  if (rows.length === 0) return ''
  const head = [
    'webhooks: date, commit',
    'store',
    'seed',
    'events to send',
    'requests',
    'sent more than once',
  ]
  return table([...head, 'never sent', 'sent without an event'], rows)
}

/** Of the runs that had reports. */
function reports(runs: readonly KeptRun[]): string {
  const rows = runs.flatMap(({ at, commit, store, seed, reports }) =>
    reports === undefined
      ? []
      : [
          [`${at.slice(0, 10)}, ${commit}`, store, String(seed)].concat(
            [reports.reports, reports.accepted, reports.lost, reports.doubled].map(figure),
          ),
        ],
  )
  if (rows.length === 0) return ''
  const head = ['reports that came back: date, commit', 'store', 'seed', 'reports', 'times accepted']
  return table([...head, 'lost', 'counted twice'], rows)
}

/** Of all runs together, by store. */
function faults(runs: readonly KeptRun[]): string {
  const stores = [...new Set(runs.map(({ store }) => store))].sort()
  const rows = FAULT_KINDS.flatMap((kind) => {
    const counts = stores.map((store) =>
      runs.filter((run) => run.store === store).reduce((all, run) => all + (run.faults[kind] ?? 0), 0),
    )
    return counts.every((count) => count === 0)
      ? []
      : [[`${FAULT_WORDS[kind]} (\`${kind}\`)`, ...counts.map(figure)]]
  })
  return table(['faults that struck, all runs together', ...stores], rows)
}

function doubles(runs: readonly KeptRun[]): string {
  const rows = CAUSES.flatMap((cause) => {
    if (cause === 'unexplained') return []
    const count = runs.reduce((all, run) => all + (run.doubled[cause] ?? 0), 0)
    return count === 0 ? [] : [[`\`${cause}\``, figure(count)]]
  })
  if (rows.length === 0) return 'No recipient got a message twice.'
  return table(['sent again, by cause, all runs together', 'recipients'], rows)
}

function afterFailedSync(runs: readonly KeptRun[]): string {
  const count = runs.reduce((all, run) => all + run.sentAfterFailedSync, 0)
  const unknown = runs.reduce((all, run) => all + (run.sentAfterLostCommit ?? 0), 0)
  const sentences = [
    `Refused because an fsync failed, found committed by the next start, and sent: ${figure(count)} recipients.`,
  ]
  if (unknown > 0)
    sentences.push(
      `Refused because the fate of their commit could not be learned, and sent by another node: ${figure(unknown)} recipients.`,
    )
  return sentences.join(' ')
}
