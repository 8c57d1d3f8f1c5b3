import type { FaultKind } from './fault-log.ts'

export interface ChaosOptions {
  database: 'sqlite' | 'postgres'
  /** How long faults strike; the queue is given its own time after them. */
  minutes: number
  seed: number
  /** Requests a second. */
  rate: number
  /** Mean seconds from one fault to the next. */
  every: number
  /** Null: all that are possible here. */
  faults: FaultKind[] | null
  /** Logs of nodes and faults are kept here. */
  keep: string | null
  /** Share of the messages whose signatures are verified. */
  verifyShare: number
  /** Longest wait for the queue to drain, in seconds without anything happening. */
  patience: number
  onProgress: (line: string) => void
}

export const DEFAULTS = {
  minutes: 5,
  rate: 60,
  every: 2.5,
  verifyShare: 0.2,
  patience: 120,
} as const
