/** Everything a fault may lay hands on. */
import type { FaultKind, FaultLog } from './fault-log.ts'
import type { Load } from './load.ts'
import type { ChaosNode } from './node.ts'
import type { Random } from './random.ts'
import type { SinkLink } from './sink-link.ts'

export interface Stage {
  random: Random
  log: FaultLog
  nodes: readonly ChaosNode[]
  sink: SinkLink
  load: Load
  /** Ms after which a silent node is given up; null with a single node, which nobody takes over from. */
  nodeTimeout: number | null
  /** Resolves after `ms`, earlier when the faults come to their end. */
  wait(ms: number): Promise<void>
  over(): boolean
}

/** A kind of fault, ready to strike. */
export interface FaultMaker {
  kind: FaultKind
  /** How often, beside the others. */
  weight: number
  /** Strikes once; resolves when what it did has been undone. */
  strike(): Promise<void>
}
