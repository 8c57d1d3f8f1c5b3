/** The figures of a run that measures whether cost grows with the size of the database. */
import type { Provenance } from '../harness/results.ts'
import type { Memory } from '../harness/service/process-memory.ts'
import type { HistoryShape } from './history/shape.ts'
import type { AcceptFigure, DeliveryRound } from './measure.ts'

export interface GrowthRound {
  accepting: AcceptFigure
  delivering: DeliveryRound
}

export interface Figures {
  acceptedPerSecond: number
  acceptCpu: number
  deliveredPerSecond: number
  deliverCpu: number
  latencyMedian: number
}

export function figures({ accepting, delivering }: GrowthRound): Figures {
  return {
    acceptedPerSecond: accepting.accepted,
    acceptCpu: accepting.cpu + (accepting.databaseCpu ?? 0),
    deliveredPerSecond: delivering.delivered,
    deliverCpu: delivering.cpu + (delivering.databaseCpu ?? 0),
    latencyMedian: delivering.latencyMedian,
  }
}

export interface Ratio {
  name: keyof Figures
  empty: number
  full: number
  /** The median of the ratios of each round on the full database to the neighbouring round on the empty one. */
  ratio: number
  /** The lowest and the highest of these ratios: their spread is the noise of the machine. */
  lowest?: number
  highest?: number
}

/** Results from before the spread was kept have none. */
export function ratioWithSpread({ ratio, lowest, highest }: Ratio): string {
  if (lowest === undefined || highest === undefined) return ratio.toFixed(2)
  return `${ratio.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`
}

export interface GrowthRun extends Provenance {
  cpus: string
  database: string
  history: HistoryShape
  settings?: Record<string, string>
  fillSeconds: number
  messages: number
  acceptMs: number
  summary: Ratio[]
  /** Octets, of the largest node of each service. */
  memory: { empty: Memory; full: Memory }
  rounds: { empty: GrowthRound; full: GrowthRound }[]
}
