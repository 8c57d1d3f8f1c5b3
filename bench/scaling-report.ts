/** The figures of two set-ups measured in turns. */
import type { Provenance } from '../harness/results.ts'
import type { DeliveryRound } from './measure.ts'
import { median } from './statistics.ts'

export const SCALING_KINDS = ['cpus', 'nodes'] as const
export type ScalingKind = (typeof SCALING_KINDS)[number]

export interface ScaledSetup {
  name: string
  /** Messages a second. */
  delivered: number
  deliveredBest: number
  /** CPU-ms a message, PostgreSQL included. */
  cpu: number
  rounds: DeliveryRound[]
}

export interface ScalingRun extends Provenance {
  kind: ScalingKind
  /** Of both set-ups; older runs had none. */
  settings?: Record<string, string>
  messages: number
  rounds: number
  setups: ScaledSetup[]
  /** The median of the ratios of each round of the second set-up to the neighbouring round of the first. */
  ratio: number
}

export function scaledSetup(name: string, rounds: DeliveryRound[]): ScaledSetup {
  return {
    name,
    delivered: median(rounds.map(({ delivered }) => delivered)),
    deliveredBest: Math.max(...rounds.map(({ delivered }) => delivered)),
    cpu: median(rounds.map(({ cpu, databaseCpu = 0 }) => cpu + databaseCpu)),
    rounds,
  }
}

export function ratioOf([first, second]: DeliveryRound[][]): number {
  return median(second!.map(({ delivered }, index) => delivered / first![index]!.delivered))
}
