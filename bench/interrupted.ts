/** Cleans up when a measurement is interrupted, so that no process and no database of gigabytes is left. */
import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const undoing = new Set<() => Promise<void>>()
let listening = false

/** Runs `undo` when a signal ends the program. Returns a function to call when `undo` is no longer needed. */
export function whenInterrupted(undo: () => Promise<void>): () => void {
  undoing.add(undo)
  if (!listening) {
    listening = true
    for (const signal of SIGNALS) process.once(signal, end)
  }
  return () => undoing.delete(undo)
}

function end(signal: (typeof SIGNALS)[number]): void {
  // The measurement fails now, because its processes end. That failure is of no interest any more.
  process.on('uncaughtException', () => {})
  Promise.allSettled([...undoing].map((undo) => undo())).then(() =>
    process.exit(128 + constants.signals[signal]),
  )
}
