/**
 * Milliseconds on a clock that never steps and that all threads of the process share; `performance.now()` counts from
 * the start of its own thread.
 */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

const begunAt = Date.now()
const begunMonotonic = monotonic()

/**
 * Unix ms as they would be without the steps of the wall clock, and the sleeps of the machine, since the process began.
 */
export function steadyNow(): number {
  return begunAt + (monotonic() - begunMonotonic)
}
