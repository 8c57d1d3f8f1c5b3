/** When a failed webhook message is sent again, and when it is given up. */
import type { WebhookDialect } from '../../store/store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Pauses between attempts, in milliseconds. */
export interface WebhookSchedule extends Record<WebhookDialect, readonly number[]> {
  /** The longest pause between two attempts, with any event, to reach a webhook that is down. */
  longestPause: number
}

/** The pauses between attempts for one event, as the original services document them. */
export const WEBHOOK_SCHEDULE: WebhookSchedule = {
  json: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  form: [10 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  longestPause: MINUTE,
}

const SOON = [SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE]
const A_DAY = [...SOON, ...Array.from({ length: 144 }, () => 10 * MINUTE)]

/** The schedule of `listen`: short pauses, because a developer is working on the receiving application. */
export const LISTENING_SCHEDULE: WebhookSchedule = { json: A_DAY, form: A_DAY, longestPause: 5 * SECOND }

/** The response status that means "do not send it again". */
const REJECTED: Readonly<Record<WebhookDialect, number | null>> = { json: null, form: 406 }

/** Milliseconds until the next attempt. `status`: of the last of the `attempts`. Null: there is no next attempt. */
export function waitAfter(
  schedule: WebhookSchedule,
  dialect: WebhookDialect,
  attempts: number,
  status: number | null,
): number | null {
  if (status !== null && status === REJECTED[dialect]) return null
  return schedule[dialect][attempts - 1] ?? null
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
