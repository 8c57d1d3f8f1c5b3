import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds. */
const PATIENCE = 60_000

/**
 * Polls for results that no event reports; returns the result, and fails without one in `patience` milliseconds.
 */
export async function until<T>(
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  what: string,
  patience = PATIENCE,
): Promise<T> {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await ask()
    if (found !== false && found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await pause(20)
  }
}
