/** Mail that waits although it should not. */

import { type LateMail, lateMail } from '../late-mail.ts'
import { commandFor } from '../problem-command.ts'
import type { Operation } from '../verb.ts'
import { isDue, lanePauses, recentLanes, waitsForPath } from '../waiting-lanes.ts'
import { type CheckFinding, lookAgainIn, ok, type PlannedCheck, problem, unknown, warning } from './check.ts'

const MINUTE = 60_000
/** Ms without an attempt after which due mail is late, and after which that is a problem. */
const LATE_MS = 10 * MINUTE
const TOO_LATE_MS = 60 * MINUTE
/** Companies that are looked at one by one: those with the oldest mail. */
const MAX_COMPANIES = 20

/** Paused mail does not count, nor does mail that takes its turn or waits for a closed path. */
export function oldestMailCheck(op: Operation): PlannedCheck {
  return { id: 'oldest-mail', title: 'Oldest due mail', run: () => oldestMail(op) }
}

async function oldestMail(op: Operation): Promise<CheckFinding> {
  const now = op.now()
  const companies = await overdueCompanies(op, now - LATE_MS)
  const late = companies.length === 0 ? null : await lateMail(op, null, now - LATE_MS)
  // The oldest mail of all may wait for a closed path.
  if (late !== null) return ofInstallation(op, { ...late, dueAt: Math.max(late.dueAt, companies[0]!.dueAt) })
  for (const { companyId } of companies.slice(0, MAX_COMPANIES)) {
    const own = await lateMail(op, companyId, now - TOO_LATE_MS)
    if (own !== null && own.knownAt === null) return ofCompany(op, companyId, own)
  }
  return ok('All due mail is attempted in time, or takes its turn.')
}

interface OverdueCompany {
  companyId: string
  /** Unix ms: when the oldest of its mail became due. */
  dueAt: number
}

/** Companies with mail that became due at `since` or earlier, and does not wait for a closed path: the oldest first. */
async function overdueCompanies(op: Operation, since: number): Promise<OverdueCompany[]> {
  const earliest = await op.store.oldestDue(op.now())
  if (earliest === null || earliest > since) return []
  const present = await op.store.pauses(op.now())
  const { lanes, sites } = await recentLanes(op, undefined, present)
  const { cover } = lanePauses(op, present, sites)
  const overdue = lanes.filter(
    (lane) => isDue(lane, since) && lane.waiting > 0 && !waitsForPath(lane) && !cover(lane),
  )
  const byCompany = Map.groupBy(
    overdue.toSorted((a, b) => a.dueAt! - b.dueAt!),
    ({ companyId }) => companyId,
  )
  return [...byCompany].map(([companyId, [oldest]]) => ({ companyId, dueAt: oldest!.dueAt! }))
}

async function ofInstallation(op: Operation, { dueAt, knownAt }: LateMail): Promise<CheckFinding> {
  const now = op.now()
  const age = minutes(now - dueAt)
  if (knownAt !== null) {
    return unknown(
      `Mail has been due for ${age}, and delivery has only just begun.`,
      lookAgainIn(knownAt - now),
    )
  }
  const found = `Mail has been due for ${age} and is not attempted.`
  const advice = 'Check under “Nodes” on the page Installation that a delivery node runs, and read its log.'
  const isWarning = dueAt > now - TOO_LATE_MS || (await lateMail(op, null, now - TOO_LATE_MS)) === null
  return { ...(isWarning ? warning(found, advice) : problem(found, advice)), code: commandFor('oldest-mail') }
}

/** No more than a warning: the alert about it names the company (`company-waiting.ts`). */
function ofCompany({ accounts, now }: Operation, companyId: string, { dueAt }: LateMail): CheckFinding {
  const name = accounts.companies.find(({ id }) => id === companyId)?.name ?? companyId
  const found = `Mail of ${name} has been due for ${minutes(now() - dueAt)} and is not attempted, while other mail is.`
  const advice =
    'See where it waits under “Waiting mail” on the page Overview of the company, and read the log of a delivery node.'
  return { ...warning(found, advice), code: commandFor(`waiting:${companyId}`) }
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
      return { ...warning(found, advice), code: 'bin/postroad queue quarantine' }
    },
  }
}

function minutes(ms: number): string {
  const whole = Math.floor(ms / MINUTE)
  return whole < 120 ? `${whole} minutes` : `${Math.floor(whole / 60)} hours`
}
