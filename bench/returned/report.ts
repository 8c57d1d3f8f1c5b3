/** What is kept and printed of a run with bounces that come back. */
import type { Provenance } from '../../harness/results.ts'
import type { DeliveryRound } from '../measure.ts'

export interface ReportsFigure {
  /** Bounces accepted a second. */
  accepted: number
  /** Ms from when a bounce was due to the answer after its commit. */
  p50: number
  p99: number
  /** CPU-ms of the service for each. */
  cpu: number
  /** CPU-ms of the program that hands the bounces in, for each. */
  loadCpu: number
}

export interface ReturnedRun extends Provenance {
  cpus: string
  database: string
  settings: Record<string, string>
  /** Bounces that were due a second. */
  rate: number
  messages: number
  /** Messages delivered a second, medians, and the median of the ratios of rounds that followed each other. */
  without: number
  with: number
  ratio: number
  /** CPU-ms of the service for each message, without bounces. */
  cpu: number
  reports: ReportsFigure
  rounds: { without: DeliveryRound; with: DeliveryRound; reports: ReportsFigure }[]
}

export function printReturned(run: ReturnedRun): void {
  const { machine, node, database, commit, cpus, rate, cpu, reports } = run
  const lines = [
    `\n${machine}; ${node}; ${database}; commit ${commit}; CPUs ${cpus} for service, load, sink and bounces together`,
    `${rate} bounces due a second: ${reports.accepted.toFixed(0)}/s accepted, p50 ${reports.p50.toFixed(1)} ms, ` +
      `p99 ${reports.p99.toFixed(0)} ms`,
    `delivered ${run.without.toFixed(0)}/s without them, ${run.with.toFixed(0)}/s with them, ratio ${run.ratio.toFixed(3)}`,
    `CPU-ms of the service: ${cpu.toFixed(3)} for a message, ${reports.cpu.toFixed(3)} for a bounce; ${reports.loadCpu.toFixed(3)} to hand a bounce in`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const [index, round] of run.rounds.entries()) {
    const threads = (of: DeliveryRound) =>
      Object.entries(of.threads ?? {})
        .map(([name, { user, system }]) => `${name} ${(user + system).toFixed(3)}`)
        .join(', ')
    process.stdout.write(
      `  round ${index + 1}: ${round.without.delivered.toFixed(0)} / ${round.with.delivered.toFixed(0)} delivered/s\n` +
        `    CPU-ms a message without: ${threads(round.without)}\n    with: ${threads(round.with)}\n`,
    )
  }
}
