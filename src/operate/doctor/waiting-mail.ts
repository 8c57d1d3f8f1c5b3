/** Mail that waits although it should not. */
import { lateMail, START_MS } from '../late-mail.ts'
import type { Operation } from '../verb.ts'
import { type CheckFinding, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

const MINUTE = 60_000
/** Ms without an attempt after which due mail is late, and after which that is a problem. */
const LATE_MS = 10 * MINUTE
const TOO_LATE_MS = 60 * MINUTE

/** Paused mail does not count, nor does mail that takes its turn. */
export function oldestMailCheck(op: Operation): PlannedCheck {
  return { id: 'oldest-mail', title: 'Oldest due mail', run: () => oldestMail(op) }
}

async function oldestMail(op: Operation): Promise<CheckFinding> {
  const now = op.now()
  const late = await lateMail(op, null, now - LATE_MS)
  if (late === null) return ok('All due mail is attempted in time, or takes its turn.')
  const age = minutes(now - late.dueAt)
  if (late.isEarly) {
    return unknown(
      `Mail has been due for ${age}, and delivery has only just begun.`,
      `Look again in ${minutes(START_MS)}.`,
    )
  }
  const found = `Mail has been due for ${age} and is not attempted.`
  const advice = 'Check under “Nodes” on the page Installation that a delivery node runs, and read its log.'
  const isWarning = (await lateMail(op, null, now - TOO_LATE_MS)) === null
  return { ...(isWarning ? warning(found, advice) : problem(found, advice)), code: 'postroad node list' }
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
