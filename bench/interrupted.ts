/** Cleans up when a measurement is interrupted, so that no process and no database of gigabytes is left. */
import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const undoing = new Set<() => Promise<void>>()
let listening = false

/** Runs `undo` when a signal ends the program. Call what is returned once it is undone anyway. */
export function whenInterrupted(undo: () => Promise<void>): () => void {
  undoing.add(undo)
  if (!listening) {
    listening = true
    for (const signal of SIGNALS) process.once(signal, end)
  }
  return () => undoing.delete(undo)
}

function end(signal: (typeof SIGNALS)[number]): void {
  // What is measured fails now that its processes end; nobody asks for that any more.
  process.on('uncaughtException', () => {})
  Promise.allSettled([...undoing].map((undo) => undo())).then(() =>
    process.exit(128 + constants.signals[signal]),
  )
}
