/** When the records of domains are checked in DNS. Nodes share the work: each takes domains that are due. */
import type { DomainCheckTimes, DueDomain } from '../account-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/** Values: now, and the ids of companies whose domains are skipped. */
function due({ texts }: Dialect, except: string): string {
  return `(sending <> 'inactive' OR lost_since IS NOT NULL) AND check_due_at <= $1
    AND company NOT IN (SELECT num FROM companies WHERE id IN (${texts(except)}))`
}

const SOME_DUE = statement((dialect) => `SELECT 1 AS due FROM domains WHERE ${due(dialect, '$2')} LIMIT 1`)
const CLAIM = statement<DueDomain>((dialect) => {
  const some = `FROM domains WHERE ${due(dialect, '$4')} ORDER BY check_due_at LIMIT $3 FOR UPDATE SKIP LOCKED`
  return `UPDATE domains SET check_due_at = $2 WHERE ${dialect.isAmong('id', some)}
    RETURNING id, (SELECT c.id FROM companies c WHERE c.num = domains.company) AS "companyId"`
})
const NOTE = statement(`UPDATE domains SET checked_at = coalesce($2::int8, checked_at),
    check_due_at = CASE WHEN $2::int8 IS NULL AND check_due_at < $3 THEN check_due_at ELSE $3 END
  WHERE id = $1`)
const TIMES = statement<DomainCheckTimes>(
  'SELECT checked_at AS "checkedAt", check_due_at AS "dueAt" FROM domains WHERE id = $1',
)

export const domainCheckReads = {
  *domainCheckTimes(port, id) {
    return (yield* port.read.one(TIMES, id)) ?? null
  },
} satisfies Operations<ReadPort>

export const domainCheckWrites = {
  *claimDomainChecks(port, { now, until, limit, except }) {
    const others = JSON.stringify(except)
    if ((yield* port.read.one(SOME_DUE, now, others)) === undefined) return []
    return yield* port.write.all(CLAIM, now, until, limit, others)
  },

  *noteDomainCheck(port, id, { checkedAt, dueAt }) {
    yield* port.write.run(NOTE, id, checkedAt ?? null, dueAt)
  },
} satisfies Operations<Port>
