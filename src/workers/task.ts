/** A task for a worker, and the messages between the main thread and a worker. */
import { monotonic } from '../common/clock.ts'

export interface Task {
  company: string
  /** See TaskOptions; null: none. */
  party: string | null
  /** Octets of work, roughly. */
  weight: number
  url: string
  input: unknown
  /** Buffers of the input to transfer instead of copying. */
  transfer: ArrayBuffer[]
  /** Milliseconds of processor time that the task may take. */
  deadline: number
  /** Monotonic milliseconds after which the task must not begin. */
  until: number
  /** Whether the task was given to a worker that died before it had begun any task. */
  lost: boolean
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** The tasks of one message, in order. */
export type TaskBatch = { url: string; input: unknown }[]

/** One answer for each task of a batch, in order. A long batch is answered in several messages. */
export type TaskAnswers = ({ output: unknown } | { error: unknown })[]

/** Shared with the worker: the index of the current task (-1: none has begun), and its start by `clock`. */
export const AT = 0
export const SINCE = 1
export const PROGRESS_OCTETS = 8

/** Milliseconds by a clock that all threads of the process share; wraps around. */
export function clock(): number {
  return monotonic() | 0
}
