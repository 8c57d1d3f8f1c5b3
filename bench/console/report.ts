/** The figures of `npm run bench:console`, and their form on the terminal. */
import type { Provenance } from '../../harness/results.ts'
import type { DeliveryRound } from '../measure.ts'
import { median } from '../statistics.ts'
import type { WatchersReport } from './order.ts'

export interface ConsoleRound {
  delivery: DeliveryRound
  /** Null: no page was open. */
  watched: WatchersReport | null
}

export interface ConsoleRun extends Provenance {
  cpus: string
  database: string
  settings: Record<string, string>
  pages: number
  messages: number
  /** Messages offered per second; null: as many as possible. */
  rate: number | null
  /** Messages delivered per second, without and with open pages. */
  without: number
  with: number
  /** Medians of the ratios of neighbouring rounds: of the rates, and of the CPU time per message. */
  ratio: number
  cpuRatio: number
  rounds: { without: ConsoleRound; with: ConsoleRound }[]
}

export function compared(
  without: ConsoleRound[],
  watched: ConsoleRound[],
): Pick<ConsoleRun, 'without' | 'with' | 'ratio' | 'cpuRatio' | 'rounds'> {
  const rounds = without.map((round, index) => ({ without: round, with: watched[index]! }))
  const rate = ({ delivery }: ConsoleRound) => delivery.delivered
  const cpu = ({ delivery }: ConsoleRound) => delivery.cpu
  return {
    without: median(rounds.map((round) => rate(round.without))),
    with: median(rounds.map((round) => rate(round.with))),
    ratio: median(rounds.map((round) => rate(round.with) / rate(round.without))),
    cpuRatio: median(rounds.map((round) => cpu(round.with) / cpu(round.without))),
    rounds,
  }
}

export function printConsole(run: ConsoleRun): void {
  const { machine, node, database, commit, cpus, pages, rounds } = run
  const lines = [
    `\n${machine}; ${node}; ${database}; commit ${commit}; CPUs ${cpus} for service, load, sink and pages together`,
    `delivered ${run.without.toFixed(0)}/s with no page open, ${run.with.toFixed(0)}/s with ${pages} pages open: ` +
      `ratio ${run.ratio.toFixed(3)}, CPU per message ${run.cpuRatio.toFixed(3)}`,
    ...rounds.map((round, index) => {
      const { ticks, lists, octets } = round.with.watched!
      return (
        `  round ${index + 1}: ${round.without.delivery.delivered.toFixed(0)} / ${round.with.delivery.delivered.toFixed(0)} delivered/s, ` +
        `${ticks} ticks of ${Math.round(octets / Math.max(1, ticks))} octets, ${lists} lists`
      )
    }),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
