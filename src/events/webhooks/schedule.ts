/** When a webhook that was not taken is sent again, and when it is given up. */
import type { WebhookDialect } from '../../store/store.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** In milliseconds. */
export interface WebhookSchedule extends Record<WebhookDialect, readonly number[]> {
  /** The longest between two tries of a webhook that is down, whichever event it is tried with. */
  longestPause: number
}

/** Between the tries for one event, as the documents of both services have them. */
export const WEBHOOK_SCHEDULE: WebhookSchedule = {
  json: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  form: [10 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR],
  longestPause: MINUTE,
}

const SOON = [SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE]
const A_DAY = [...SOON, ...Array.from({ length: 144 }, () => 10 * MINUTE)]

/** While somebody sits before it and mends what it is that does not take them. */
export const LISTENING_SCHEDULE: WebhookSchedule = { json: A_DAY, form: A_DAY, longestPause: 5 * SECOND }

/** The status of an answer that says "do not send it again". */
const REJECTED: Readonly<Record<WebhookDialect, number | null>> = { json: null, form: 406 }

/** Milliseconds to the next try after so many, of which the last was answered so; null: there is none. */
export function waitAfter(
  schedule: WebhookSchedule,
  dialect: WebhookDialect,
  attempts: number,
  status: number | null,
): number | null {
  if (status !== null && status === REJECTED[dialect]) return null
  return schedule[dialect][attempts - 1] ?? null
}

export function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
