/** docs/reliability.md: its words are written by hand, its figures stand between markers and come from chaos/results. */
import { readFileSync, writeFileSync } from 'node:fs'
import { CAUSES } from './doubles.ts'
import { FAULT_KINDS, FAULT_WORDS } from './fault-log.ts'
import type { KeptRun } from './results.ts'

const PAGE = new URL('../docs/reliability.md', import.meta.url)
const BEGIN = '<!-- begin runs: made by chaos/reliability-page.ts -->\n'
const END = '<!-- end runs -->'

/** The page with its runs made anew. Throws when a marker is missing. */
export function madeAnew(page: string, runs: readonly KeptRun[]): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from < 0 || to < from) throw new Error('docs/reliability.md lacks the markers of the section "runs"')
  return `${page.slice(0, from + BEGIN.length)}\n${section(runs)}\n\n${page.slice(to)}`
}

export function readPage(): string {
  return readFileSync(PAGE, 'utf8')
}

export function writePage(runs: readonly KeptRun[]): void {
  writeFileSync(PAGE, madeAnew(readPage(), runs))
}

const figure = (value: number) => value.toLocaleString('en-US')
const sum = (counts: Partial<Record<string, number>>) =>
  Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0)

function section(runs: readonly KeptRun[]): string {
  if (runs.length === 0) return 'No run is kept yet.'
  return [table(runs), faults(runs), doubles(runs), afterFailedSync(runs)].join('\n\n')
}

function table(runs: readonly KeptRun[]): string {
  const head =
    'date, commit | store | seed | minutes | faults | requests | accepted (recipients) | lost | doubled | unexplained | other defects'
  const rows = runs.map((run) =>
    [
      `${run.at.slice(0, 10)}, ${run.commit}`,
      `${run.store}, ${run.nodes} node${run.nodes === 1 ? '' : 's'}`,
      run.seed,
      run.minutes,
      figure(sum(run.faults)),
      figure(run.requests),
      `${figure(run.messages)} (${figure(run.recipients)})`,
      figure(run.lost),
      figure(sum(run.doubled)),
      figure(run.unexplained),
      Object.entries(run.defects)
        .map(([what, count]) => `${what}: ${count}`)
        .join('; ') || 'none',
    ].join(' | '),
  )
  return [head, head.replaceAll(/[^|]+/g, ' --- ').trim(), ...rows].map((row) => `| ${row} |`).join('\n')
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
      : [`| ${FAULT_WORDS[kind]} (\`${kind}\`) | ${counts.map(figure).join(' | ')} |`]
  })
  return [
    `| faults that struck, all runs together | ${stores.join(' | ')} |`,
    `| --- |${' --- |'.repeat(stores.length)}`,
    ...rows,
  ].join('\n')
}

function doubles(runs: readonly KeptRun[]): string {
  const rows = CAUSES.flatMap((cause) => {
    if (cause === 'unexplained') return []
    const count = runs.reduce((all, run) => all + (run.doubled[cause] ?? 0), 0)
    return count === 0 ? [] : [`| \`${cause}\` | ${figure(count)} |`]
  })
  if (rows.length === 0) return 'No recipient got a message twice.'
  return ['| sent again, by cause, all runs together | recipients |', '| --- | --- |', ...rows].join('\n')
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
