import { type Used, usedAt, usedWith } from '../quota.ts'
import type { NewEmail, OverQuota } from '../store.ts'
import { uuids } from './arrays.ts'
import type { Session, Statement } from './database.ts'
import type { Entry } from './entry.ts'

/** Locked from here on: whoever counts for the same company waits for the end of the transaction. In one order. */
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

interface Row extends Used {
  company: number
}

/**
 * Of emails whose commit may have taken place. Asked when the rows above are locked: until then it may be under way.
 */
const PRESENT: Statement = {
  name: 'counted-before',
  text: 'SELECT id::text AS id FROM emails WHERE id = ANY ($1::uuid[])',
}

/** Emails that are counted together, all or none: those of an entry, or of several that came in one request. */
export type Counted = readonly Entry[]

/** Counts those whose companies have a quota, one after the other. Those that are not there may be accepted. */
export async function takeQuotas(
  session: Session,
  all: readonly Counted[],
): Promise<Map<Counted, OverQuota>> {
  const over = new Map<Counted, OverQuota>()
  const counted = all.filter(([first]) => first?.email.quota !== undefined)
  if (counted.length === 0) return over
  const numbers = [...new Set(counted.map(([first]) => first!.company))]
  const rows = await session.run<Row>(HOLD, [`{${numbers.join()}}`])
  const used = new Map(rows.map((row) => [row.company, row as Used]))
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

/** Those that were counted with the commit that took place after all. */
async function presentOf(session: Session, counted: readonly Counted[]): Promise<Set<string>> {
  const doubtful = counted.flatMap(([first]) => (first!.doubtful === true ? [first!.email.id] : []))
  if (doubtful.length === 0) return new Set()
  const rows = await session.run<{ id: string }>(PRESENT, [uuids(doubtful)])
  return new Set(rows.map(({ id }) => id))
}
