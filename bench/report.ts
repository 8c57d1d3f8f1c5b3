/** The figures of a run, and their form on the terminal. */
import type { Provenance } from '../harness/results.ts'
import type { AcceptFigure, DeliveryRound, LatencyFigure } from './measure.ts'
import { type MessageShape, USUAL_SIZE } from './message.ts'
import { type Usage, wholeOf } from './service/process-usage.ts'
import { median } from './statistics.ts'

/** Connections that offer the messages, unless an option says otherwise. */
export const USUAL_CONNECTIONS = 20

export interface Run extends Provenance {
  cpus: string
  /** `sqlite`, or `postgres` with its version. */
  database: string
  /** Delivery nodes; 0: one process for everything. */
  nodes: number
  route: string
  shape: MessageShape
  /** The behaviour of the sink, as in the option. */
  sink: string
  settings: Record<string, string>
  accepting: AcceptFigure[]
  /** Open loop, at half of the best of `accepting`. */
  acceptingAtHalf?: AcceptFigure
  connections: number
  rounds: DeliveryRound[]
  /** Of the idle service, and at half of the best of `rounds`. */
  latencies: LatencyFigure[]
  /** Octets. */
  peakMemory: number
}

function column(rounds: DeliveryRound[], pick: (round: DeliveryRound) => number): number {
  return median(rounds.map(pick))
}

export function summary(run: Run) {
  const { rounds } = run
  return {
    delivered: column(rounds, (round) => round.delivered),
    deliveredBest: Math.max(...rounds.map((round) => round.delivered)),
    accepted: column(rounds, (round) => round.accepted),
    cpu: column(rounds, (round) => round.cpu),
    cpuBest: Math.min(...rounds.map((round) => round.cpu)),
    latencyMedian: column(rounds, (round) => round.latencyMedian),
    latencyP99: column(rounds, (round) => round.latencyP99),
    signatures: column(rounds, (round) => round.limits.signatures),
    syncs: column(rounds, (round) => round.limits.syncs),
    ratio: column(rounds, (round) => round.ratio),
    ratioBest: Math.max(...rounds.map((round) => round.ratio)),
    octets: column(rounds, (round) => round.octets),
    databaseCpu: column(rounds, (round) => round.databaseCpu ?? Number.NaN),
  }
}

/** Its row in results/history.md. */
export function historyRow(run: Run): string[] {
  const s = summary(run)
  return [
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
}

/** CPU-ms of the service for each message, by name of thread, the busiest first; none in runs from before they were kept. */
export function threadsOf({ rounds }: Run): [name: string, usage: Usage][] {
  const names = new Set(rounds.flatMap(({ threads = {} }) => Object.keys(threads)))
  const usages = [...names].map((name): [string, Usage] => {
    const of = (pick: keyof Usage) => median(rounds.map(({ threads }) => threads?.[name]?.[pick] ?? 0))
    return [name, { user: of('user'), system: of('system') }]
  })
  return usages.sort(([, one], [, other]) => wholeOf(other) - wholeOf(one))
}

export function printRun(run: Run): void {
  const s = summary(run)
  console.log(
    `\n${run.machine}; CPUs ${run.cpus} for service, load and sink together; ${run.node}; commit ${run.commit}`,
  )
  const how = ways(run)
  if (how !== '') console.log(how)
  console.log(
    `limits of one CPU: ${s.signatures.toFixed(0)} RSA-2048 signatures/s, ${s.syncs.toFixed(0)} fsync/s of 4 KB\n`,
  )
  console.log('accepting (scheduled far ahead, so nothing is delivered)')
  console.log('  connections   accepted/s     p50 ms     p99 ms   CPU-ms/msg    load    PostgreSQL')
  for (const { connections, accepted, p50, p99, cpu, loadCpu, databaseCpu } of run.accepting) {
    const cells = [
      String(connections),
      accepted.toFixed(0),
      p50.toFixed(2),
      p99.toFixed(2),
      cpu.toFixed(3),
      loadCpu?.toFixed(3) ?? '',
      databaseCpu?.toFixed(3) ?? '',
    ]
    console.log(
      `  ${cells.map((cell, i) => cell.padStart([11, 12, 10, 10, 12, 7, 13][i]!)).join(' ')}`.trimEnd(),
    )
  }
  if (run.acceptingAtHalf) console.log(`  ${acceptingSentence(run.acceptingAtHalf)}`)
  console.log(
    `\nend to end: POST /emails over ${run.connections} connections, DKIM RSA-2048, to the sink; exactly once in every round`,
  )
  console.log(
    '  round   messages   delivered/s   accepted/s   CPU-ms/msg   latency ms med/p99      RSA/s   ratio',
  )
  for (const [index, round] of run.rounds.entries()) {
    const latency = `${round.latencyMedian.toFixed(1)} / ${round.latencyP99.toFixed(0)}`
    const cells = [
      String(index + 1),
      String(round.messages),
      round.delivered.toFixed(0),
      round.accepted.toFixed(0),
      round.cpu.toFixed(3),
      latency,
      round.limits.signatures.toFixed(0),
      round.ratio.toFixed(2),
    ]
    console.log(`  ${cells.map((cell, i) => cell.padStart([5, 10, 13, 12, 12, 20, 10, 7][i]!)).join(' ')}`)
  }
  for (const figure of run.latencies) console.log(`  ${latencySentence(figure)}`)
  const first = run.rounds[0]
  if (first?.loadCpu !== undefined && first.sinkCpu !== undefined) {
    const others = [
      `load ${column(run.rounds, ({ loadCpu }) => loadCpu ?? Number.NaN).toFixed(3)}`,
      `sink ${column(run.rounds, ({ sinkCpu }) => sinkCpu ?? Number.NaN).toFixed(3)}`,
    ]
    if (first.databaseCpu !== undefined)
      others.push(
        `PostgreSQL ${column(run.rounds, ({ databaseCpu }) => databaseCpu ?? Number.NaN).toFixed(3)}`,
      )
    console.log(`  CPU-ms a message beside the service: ${others.join(', ')}`)
  }
  const threads = threadsOf(run).map(([name, usage]) => `${name} ${wholeOf(usage).toFixed(3)}`)
  if (threads.length > 0) console.log(`  CPU-ms a message by thread: ${threads.join(', ')}`)
  console.log(
    `\nmedian (best): ${s.delivered.toFixed(0)} (${s.deliveredBest.toFixed(0)}) delivered/s, ` +
      `${s.cpu.toFixed(3)} (${s.cpuBest.toFixed(3)}) CPU-ms a message, ${s.ratio.toFixed(2)} (${s.ratioBest.toFixed(2)}) of the RSA limit, ` +
      `${s.octets.toFixed(0)} octets a message, peak RSS ${(run.peakMemory / 1048576).toFixed(0)} MB`,
  )
}

function acceptingSentence({ offered, accepted, p50, p99, p999, cpu }: AcceptFigure): string {
  return (
    `at half of the best rate, due at ${offered?.toFixed(0)}/s whatever the answers do: ${accepted.toFixed(0)} accepted/s, ` +
    `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, p99.9 ${p999?.toFixed(2)} ms from when it was due, ${cpu.toFixed(3)} CPU-ms`
  )
}

function latencySentence({ offered, median: middle, p99, wholeMedian, wholeP99 }: LatencyFigure): string {
  const when =
    offered === null ? 'idle, one message at a time' : `half load, ${offered.toFixed(0)} due a second`
  return (
    `${when}: from the 200 to the arrival ${middle.toFixed(1)} ms median, ${p99.toFixed(1)} p99; ` +
    `from the request ${wholeMedian.toFixed(1)} median, ${wholeP99.toFixed(1)} p99`
  )
}

/**
 * What differs from the usual: one process on SQLite with its defaults, messages of 10,240 octets, 20 connections,
 * relayed to a sink that obliges.
 */
export function ways({ database, nodes, route, shape, sink, connections, settings }: Run): string {
  const parts = [
    ...(database === 'sqlite' ? [] : [database]),
    ...(nodes === 0 ? [] : [`an API node and ${nodes} delivery node${nodes === 1 ? '' : 's'}`]),
    ...(route === 'relay' ? [] : [route]),
    ...(shape.size === USUAL_SIZE
      ? []
      : [`${shape.size} octets${shape.attachment ? ' with attachment' : ''}`]),
    ...(shape.domains === 1 ? [] : [`${shape.domains} domains`]),
    ...(connections === USUAL_CONNECTIONS ? [] : [`${connections} connections`]),
    ...(sink === '' ? [] : [`sink ${sink}`]),
    ...listed(settings),
  ]
  return parts.join('; ')
}

/** Settings as in the options. Results from before they were kept have none. */
export function listed(settings: Record<string, string> = {}): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`)
}
