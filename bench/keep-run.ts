/** Keeps a run of `npm run bench`: its JSON, a row in results/history.md, and the page. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { type Run, summary, ways } from './report.ts'
import { keepResult } from './results.ts'

const HISTORY_HEAD = `# Measured runs

Made by \`npm run bench\`; each row is a run, its JSON beside this file. Delivered and accepted are messages a second, CPU is CPU-ms of the
service for each message, latency is from the 200 answer to the arrival. Compare figures only with the RSA column of their own row.

| date | commit | CPUs | messages x rounds | delivered, median (best) | CPU-ms, median (best) | latency median / p99 ms | RSA-2048/s one CPU | ratio | fsync/s | peak RSS MB | accepted/s at 1, 10, 50, 200 |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

/** Keeps the run in results/ and appends a row to results/history.md. Returns the path of the JSON file. */
export function keepRun(run: Run): string {
  const withSummary = { ...run, summary: summary(run) }
  const kept = keepResult('run', withSummary)
  const history = new URL('./results/history.md', import.meta.url)
  if (!existsSync(history)) writeFileSync(history, HISTORY_HEAD)
  const s = summary(run)
  const cells = [
    run.at.slice(0, 16).replace('T', ' '),
    run.commit,
    ways(run) === '' ? run.cpus : `${run.cpus} (${ways(run)})`,
    `${run.rounds[0]?.messages ?? 0} x ${run.rounds.length}`,
    `${s.delivered.toFixed(0)} (${s.deliveredBest.toFixed(0)})`,
    `${s.cpu.toFixed(2)} (${s.cpuBest.toFixed(2)})`,
    `${s.latencyMedian.toFixed(1)} / ${s.latencyP99.toFixed(0)}`,
    s.signatures.toFixed(0),
    s.ratio.toFixed(2),
    s.syncs.toFixed(0),
    (run.peakMemory / 1048576).toFixed(0),
    run.accepting.map(({ accepted }) => accepted.toFixed(0)).join(', '),
  ]
  appendFileSync(history, `| ${cells.join(' | ')} |\n`)
  return kept
}
