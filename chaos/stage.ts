/** Everything a fault may lay hands on. */

import type { Preload } from '../harness/preload/preload.ts'
import type { Random } from '../harness/random.ts'
import type { FaultKind, FaultLog } from './fault-log.ts'
import type { Load } from './load.ts'
import type { ChaosNode } from './node.ts'
import type { SinkLink } from './sink-link.ts'
import type { ReceiverLink } from './webhooks/receiver-link.ts'

export interface Stage {
  random: Random
  log: FaultLog
  nodes: readonly ChaosNode[]
  sink: SinkLink
  receiver: ReceiverLink
  load: Load
  /** The library beneath the nodes; null where it cannot be had. */
  preload: Preload | null
  /** Where the file system of the database is mounted, when it has one of its own that can be filled. */
  disk: string | null
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
  /** Called when the faults are over: what would take hours to come to rest comes to rest now. */
  settle?(): void
}

/** Makes strikes wait for nobody: while one of those that it was given is under way, the others do nothing. */
export function oneAtATime(): (strike: () => Promise<void>) => () => Promise<void> {
  let striking = false
  return (strike) => async () => {
    if (striking) return
    striking = true
    try {
      await strike()
    } finally {
      striking = false
    }
  }
}
