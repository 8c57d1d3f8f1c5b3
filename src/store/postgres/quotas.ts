import { utcDay } from '../../common/utc-day.ts'
import { type QuotaUsage, usedAt, usedWith } from '../quota.ts'
import type { NewEmail, OverQuota } from '../store.ts'
import { uuids } from './arrays.ts'
import type { DatabaseSession, Statement } from './database.ts'
import type { DoubtfulEmail, PendingEmail } from './pending-email.ts'

/**
 * Locks the counts of companies, in a fixed order. Other transactions that count for the same company wait for this
 * one.
 */
const HOLD: Statement = {
  name: 'hold-quotas',
  text: `
INSERT INTO quotas (company, day, daily, month, monthly)
SELECT company, '', 0, '', 0 FROM unnest($1::int4[]) AS t (company) ORDER BY company
ON CONFLICT (company) DO UPDATE SET company = excluded.company
RETURNING company, day, daily, month, monthly`,
}

const PUT: Statement = {
  name: 'put-quota',
  text: 'UPDATE quotas SET day = $2, daily = $3, month = $4, monthly = $5 WHERE company = $1',
}

/** Counts of another day or month do not include the email. */
const GIVE_BACK: Statement = {
  name: 'give-back-quota',
  text: `
UPDATE quotas SET daily = CASE day WHEN $2 THEN daily - $3::int4 ELSE daily END,
  monthly = CASE month WHEN left($2, 7) THEN monthly - $3::int4 ELSE monthly END
WHERE company = $1`,
}

interface QuotaRow extends QuotaUsage {
  company: number
}

/**
 * Finds the emails that exist although their commit seemed to fail. Runs after HOLD has locked the counts, because
 * until then the commit may still be under way.
 */
const PRESENT: Statement = {
  name: 'counted-before',
  text: 'SELECT id::text AS id FROM emails WHERE id = ANY ($1::uuid[])',
}

/** Emails that are counted together or not at all: a single email, or those of one request. */
type QuotaGroup = readonly PendingEmail[]

/**
 * Counts emails of companies with a quota, one after the other. Returns those over the quota; all others may be
 * accepted.
 */
export async function takeQuotas(
  session: DatabaseSession,
  all: readonly QuotaGroup[],
): Promise<Map<QuotaGroup, OverQuota>> {
  const over = new Map<QuotaGroup, OverQuota>()
  const counted = all.filter(([first]) => first?.email.quota !== undefined)
  if (counted.length === 0) return over
  const numbers = [...new Set(counted.map(([first]) => first!.company))]
  const rows = await session.run<QuotaRow>(HOLD, [`{${numbers.join()}}`])
  const used = new Map(rows.map((row) => [row.company, row as QuotaUsage]))
  const present = await presentOf(session, counted)
  for (const entries of counted) {
    if (present.has(entries[0]!.email.id)) continue
    const { company, email } = entries[0]!
    const before = usedAt(used.get(company), email.createdAt)
    const after = usedWith(
      before,
      email.quota!,
      entries.map((entry): NewEmail => entry.email),
    )
    if ('kind' in after) over.set(entries, after)
    else used.set(company, after)
  }
  for (const [company, { day, daily, month, monthly }] of used) {
    await session.run(PUT, [company, day, daily, month, monthly])
  }
  return over
}

/**
 * Subtracts emails that were counted but are not stored after all. The counts stay locked until the end of the
 * transaction.
 */
export async function giveBackQuotas(
  session: DatabaseSession,
  entries: readonly DoubtfulEmail[],
): Promise<void> {
  const counted = entries.filter(({ email }) => email.quota !== undefined)
  for (const { company, email } of counted.toSorted((a, b) => a.company - b.company)) {
    await session.run(GIVE_BACK, [company, utcDay(email.createdAt), email.recipients.length])
  }
}

/** The emails that an earlier commit has counted, although it seemed to fail. */
async function presentOf(session: DatabaseSession, counted: readonly QuotaGroup[]): Promise<Set<string>> {
  const doubtful = counted.flatMap(([first]) => (first!.doubtful === true ? [first!.email.id] : []))
  if (doubtful.length === 0) return new Set()
  const rows = await session.run<{ id: string }>(PRESENT, [uuids(doubtful)])
  return new Set(rows.map(({ id }) => id))
}
