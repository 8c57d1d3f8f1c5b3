/** The figures of `npm run bench:webhooks`, and their form on the terminal. */
import type { Provenance } from '../../harness/results.ts'
import type { DeliveryRound } from '../measure.ts'
import { median, percentile } from '../statistics.ts'
import type { ReceiverReport } from './order.ts'

/** The figures of one round with mail: its delivery, and how far the webhooks of one endpoint were behind their events. */
export interface BesideRound {
  delivery: DeliveryRound
  /** Null: without webhooks. */
  told: (Omit<ReceiverReport, 'lags'> & { lagMedian: number; lagP99: number }) | null
}

/** The figures of one round without mail: the service sends webhooks for the events that are in the log already. */
export interface TellingRound {
  webhooks: number
  /** Webhooks a second, from the first to the last. */
  rate: number
  /** CPU-ms of the service per webhook. */
  cpu: number
  receiverCpu: number
  verified: number
}

export interface WebhooksRun extends Provenance {
  cpus: string
  database: string
  settings: Record<string, string>
  /** Messages offered per second; null: as many as possible. */
  rate: number | null
  messages: number
  events: string[]
  telling: { rate: number; best: number; cpu: number; rounds: TellingRound[] }
  beside: {
    /** Messages delivered per second, without and with webhooks. */
    without: number
    with: number
    /** The median of the ratios of neighbouring rounds. */
    ratio: number
    /** CPU-ms of the service per message. */
    cpuWithout: number
    cpuWith: number
    /** Ms from the event to its webhook. */
    lagMedian: number
    lagP99: number
    rounds: { without: BesideRound; with: BesideRound }[]
  }
}

export function lagsOf({ lags, ...report }: ReceiverReport): BesideRound['told'] {
  return { ...report, lagMedian: median(lags), lagP99: percentile(lags, 99) }
}

export function besideOf(without: BesideRound[], withWebhooks: BesideRound[]): WebhooksRun['beside'] {
  const rounds = without.map((round, index) => ({ without: round, with: withWebhooks[index]! }))
  const of = (side: 'without' | 'with', pick: (round: BesideRound) => number) =>
    median(rounds.map((round) => pick(round[side])))
  return {
    without: of('without', ({ delivery }) => delivery.delivered),
    with: of('with', ({ delivery }) => delivery.delivered),
    ratio: median(rounds.map((round) => round.with.delivery.delivered / round.without.delivery.delivered)),
    cpuWithout: of('without', ({ delivery }) => delivery.cpu),
    cpuWith: of('with', ({ delivery }) => delivery.cpu),
    lagMedian: of('with', ({ told }) => told!.lagMedian),
    lagP99: of('with', ({ told }) => told!.lagP99),
    rounds,
  }
}

export function tellingOf(rounds: TellingRound[]): WebhooksRun['telling'] {
  return {
    rate: median(rounds.map(({ rate }) => rate)),
    best: Math.max(...rounds.map(({ rate }) => rate)),
    cpu: median(rounds.map(({ cpu }) => cpu)),
    rounds,
  }
}

export function printWebhooks({
  machine,
  node,
  database,
  commit,
  cpus,
  rate,
  beside,
  telling,
}: WebhooksRun): void {
  const offered = rate === null ? 'as many messages as possible' : `${rate} messages offered a second`
  const lines = [
    `\n${machine}; ${node}; ${database}; commit ${commit}; CPUs ${cpus} for service, load, sink and receivers together`,
    `webhooks alone: ${telling.rate.toFixed(0)} webhooks/s (best ${telling.best.toFixed(0)}), ${telling.cpu.toFixed(3)} CPU-ms each`,
    `${offered}, with a healthy endpoint and one that hangs:`,
    `  delivered ${beside.without.toFixed(0)}/s without webhooks, ${beside.with.toFixed(0)}/s with, ratio ${beside.ratio.toFixed(3)}`,
    `  CPU-ms a message ${beside.cpuWithout.toFixed(3)} without, ${beside.cpuWith.toFixed(3)} with`,
    `  webhooks of the healthy endpoint ${beside.lagMedian.toFixed(0)} ms behind their events, p99 ${beside.lagP99.toFixed(0)} ms`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const [index, round] of beside.rounds.entries()) {
    const { delivery, told } = round.with
    const threads = Object.entries(delivery.threads ?? {}).map(
      ([name, { user, system }]) => `${name} ${(user + system).toFixed(3)}`,
    )
    process.stdout.write(
      `  round ${index + 1}: ${round.without.delivery.delivered.toFixed(0)} / ${delivery.delivered.toFixed(0)} delivered/s, ` +
        `${told!.arrived} webhooks, ${told!.doubled} doubled, p99 ${told!.lagP99.toFixed(0)} ms; CPU-ms a message ${threads.join(', ')}\n`,
    )
  }
}
