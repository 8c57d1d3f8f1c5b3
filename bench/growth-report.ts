/** The figures of a run that measures whether cost grows with what lies in the database. */
import type { HistoryShape } from './history/shape.ts'
import type { AcceptFigure, DeliveryRound } from './measure.ts'
import type { Memory } from './service/process-usage.ts'

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
  /** Median of what each round on the full database has of the one on the empty database beside it. */
  ratio: number
}

export interface GrowthRun {
  at: string
  commit: string
  node: string
  machine: string
  cpus: string
  database: string
  history: HistoryShape
  fillSeconds: number
  messages: number
  acceptMs: number
  summary: Ratio[]
  /** Octets, of the largest node of each service. */
  memory: { empty: Memory; full: Memory }
  rounds: { empty: GrowthRound; full: GrowthRound }[]
}
