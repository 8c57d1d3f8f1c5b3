/** The results of a run with returned bounces, as they are stored and printed. */
import type { Provenance } from '../../harness/results.ts'
import type { DeliveryRound } from '../measure.ts'
import { type Usage, wholeOf } from '../service/process-usage.ts'

export interface ReportsFigure {
  /** Bounces accepted a second; beside sending: while it went on. */
  accepted: number
  /** Ms from when a bounce was due to the answer after its commit. */
  p50: number
  p99: number
  /** CPU-ms of the service for each. */
  cpu: number
  /** CPU-ms per bounce of the program that sends them. */
  loadCpu: number
}

export interface ReturnedRun extends Provenance {
  cpus: string
  database: string
  settings: Record<string, string>
  /** Bounces due per second. */
  rate: number
  messages: number
  /** Medians of the messages delivered per second, and the median of the ratios of neighbouring rounds. */
  without: number
  with: number
  ratio: number
  /** CPU-ms of the service for each message, without bounces. */
  cpu: number
  /** Bounces while nothing is sent, and the CPU-ms of each by name of thread. */
  alone: ReportsFigure & { threads: Record<string, Usage> }
  reports: ReportsFigure
  rounds: { without: DeliveryRound; with: DeliveryRound; reports: ReportsFigure }[]
}

export function printReturned(run: ReturnedRun): void {
  const { machine, node, database, commit, cpus, rate, cpu, alone, reports } = run
  const lines = [
    `\n${machine}; ${node}; ${database}; commit ${commit}; CPUs ${cpus} for service, load, sink and bounces together`,
    `${rate} bounces due a second`,
    `alone: ${acceptedIn(alone)}; ${threadsIn(alone.threads)}`,
    `beside sending: ${acceptedIn(reports)}`,
    `delivered ${run.without.toFixed(0)}/s without them, ${run.with.toFixed(0)}/s with them, ratio ${run.ratio.toFixed(3)}; ` +
      `CPU-ms of the service for a message: ${cpu.toFixed(3)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const [index, round] of run.rounds.entries()) {
    process.stdout.write(
      `  round ${index + 1}: ${round.without.delivered.toFixed(0)} / ${round.with.delivered.toFixed(0)} delivered/s, ` +
        `${acceptedIn(round.reports)}\n` +
        `    CPU-ms a message without: ${threadsIn(round.without.threads)}\n    with: ${threadsIn(round.with.threads)}\n`,
    )
  }
}

function acceptedIn({ accepted, p50, p99, cpu, loadCpu }: ReportsFigure): string {
  return (
    `${accepted.toFixed(0)} bounces accepted/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, ` +
    `CPU-ms for each: ${cpu.toFixed(3)}, and ${loadCpu.toFixed(3)} to hand it in`
  )
}

function threadsIn(threads: DeliveryRound['threads'] = {}): string {
  return Object.entries(threads)
    .map(([name, usage]) => `${name} ${wholeOf(usage).toFixed(3)}`)
    .join(', ')
}
