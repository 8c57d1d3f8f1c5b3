/** Mail that waits although it should not. */
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, problem, warning } from './check.ts'

const MINUTE = 60_000
/** Ms after which due mail that nobody attempts is late, and after which it is a problem. */
const LATE_MS = 10 * MINUTE
export const TOO_LATE_MS = 60 * MINUTE

/** Paused mail does not count. */
export function oldestMailCheck({ store, now }: Operation): PlannedCheck {
  return {
    id: 'oldest-mail',
    title: 'Oldest due mail',
    async run() {
      const dueAt = await store.oldestDue(now())
      const age = dueAt === null ? 0 : now() - dueAt
      if (age < LATE_MS) return ok('All due mail is attempted in time.')
      const found = `Mail has been due for ${minutes(age)} and is not attempted.`
      const advice =
        'Check under “Nodes” on the page Installation that a delivery node runs, and read its log.'
      const result = age < TOO_LATE_MS ? warning(found, advice) : problem(found, advice)
      return { ...result, code: 'postroad node list' }
    },
  }
}

export function quarantineCheck({ store, now }: Operation): PlannedCheck {
  return {
    id: 'quarantine',
    title: 'Quarantine',
    async run() {
      const { quarantined } = await store.counts(now())
      if (quarantined === 0) return ok('No mail is in quarantine.')
      const found = `${quarantined} ${quarantined === 1 ? 'recipient is' : 'recipients are'} in quarantine.`
      const advice =
        'Read the reasons under “Quarantine” on the page Overview, then release or cancel the mail.'
      return { ...warning(found, advice), code: 'postroad queue quarantine' }
    },
  }
}

function minutes(ms: number): string {
  const whole = Math.floor(ms / MINUTE)
  return whole < 120 ? `${whole} minutes` : `${Math.floor(whole / 60)} hours`
}
