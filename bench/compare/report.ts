/** The figures of a comparison, and their layout side by side. */
import type { Provenance } from '../../harness/results.ts'
import type { Limits } from '../service/limits-process.ts'
import { median } from '../statistics.ts'

export interface SystemRound {
  /** Messages a second from the start of the load to the last arrival. */
  delivered: number
  /** Messages a second from the start of the load to the last acceptance. */
  accepted: number
  /** CPU-ms per message, of all processes of the system together. */
  cpu: number
  loadCpu: number
  sinkCpu: number
  /** Octets of a message at the sink. */
  octets: number
  limits: Limits
}

export interface ComparedSystem {
  name: string
  version: string
  setup: string
  /** The result of a verifier for the DKIM signature of one message. */
  signature: string
  rounds: SystemRound[]
}

export interface Comparison extends Provenance {
  cpus: string
  messages: number
  connections: number
  /** Messages per second from the load generator to the sink, without a system between them. */
  straight: number
  systems: ComparedSystem[]
}

export interface Compared {
  name: string
  delivered: number
  deliveredBest: number
  cpu: number
  cpuBest: number
  /**
   * Medians of the ratios in each round: our rate divided by theirs, and their CPU time divided by ours. Null for Postroad
   * itself.
   */
  timesFaster: number | null
  timesCheaper: number | null
}

export function compared({ systems }: Comparison): Compared[] {
  const ours = systems.find(({ name }) => name === 'postroad')?.rounds
  return systems.map(({ name, rounds }) => {
    const against = name === 'postroad' || ours === undefined ? null : ours
    const ratio = (pick: (our: SystemRound, their: SystemRound) => number) =>
      against === null ? null : median(rounds.map((their, index) => pick(against[index]!, their)))
    return {
      name,
      delivered: median(rounds.map(({ delivered }) => delivered)),
      deliveredBest: Math.max(...rounds.map(({ delivered }) => delivered)),
      cpu: median(rounds.map(({ cpu }) => cpu)),
      cpuBest: Math.min(...rounds.map(({ cpu }) => cpu)),
      timesFaster: ratio((our, their) => our.delivered / their.delivered),
      timesCheaper: ratio((our, their) => their.cpu / our.cpu),
    }
  })
}

export function printComparison(comparison: Comparison): void {
  const { machine, cpus, node, commit, messages, connections, systems } = comparison
  console.log(`\n${machine}; CPUs ${cpus} for everything together; ${node}; commit ${commit}`)
  console.log(
    `rounds of ${messages} messages over ${connections} connections; the systems take turns; every message arrived exactly once`,
  )
  for (const { name, version, setup, signature } of systems)
    console.log(`  ${name}: ${version}; ${setup}; ${signature}`)
  console.log(
    '\n  system               delivered/s med (best)   CPU-ms/msg med (best)   we are faster   and cheaper',
  )
  for (const row of compared(comparison)) {
    const times = (ratio: number | null) => (ratio === null ? '' : `${ratio.toFixed(1)} x`)
    const cells = [
      row.name.padEnd(18),
      `${row.delivered.toFixed(0)} (${row.deliveredBest.toFixed(0)})`,
      `${row.cpu.toFixed(2)} (${row.cpuBest.toFixed(2)})`,
      times(row.timesFaster),
      times(row.timesCheaper),
    ]
    console.log(
      `  ${cells.map((cell, index) => cell.padStart([18, 25, 23, 15, 13][index]!)).join(' ')}`.trimEnd(),
    )
  }
  const rounds = systems.flatMap((system) => system.rounds)
  console.log(
    `\nlimits of one CPU: ${median(rounds.map(({ limits }) => limits.signatures)).toFixed(0)} RSA-2048 signatures/s, ` +
      `${median(rounds.map(({ limits }) => limits.syncs)).toFixed(0)} fsync/s of 4 KB; ` +
      `load generator straight into the sink: ${comparison.straight.toFixed(0)} messages/s`,
  )
}
