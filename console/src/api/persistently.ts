/** Requests of a long run, which outlives a restart of the service. */

import { ApiError, isUnavailable } from './client.ts'
import { sleep } from './sleep.ts'

/** Retries of one request, and milliseconds between them. */
const TRIES = 30
const BETWEEN = 1_000

/** Repeats a request that does no harm twice while the service is unreachable or busy. */
export async function persistently<Answer>(
  request: () => Promise<Answer>,
  isStopped: () => boolean,
): Promise<Answer> {
  for (let left = TRIES; ; left--) {
    try {
      return await request()
    } catch (error) {
      const isBusy = error instanceof ApiError && error.status === 429
      if (!(isUnavailable(error) || isBusy) || left === 0 || isStopped()) throw error
      await sleep(BETWEEN)
    }
  }
}
