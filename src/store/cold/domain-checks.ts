/** When the records of domains are checked in DNS. Nodes share the work: each takes domains that are due. */
import type { DomainCheckTimes } from '../account-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const DUE = "(sending <> 'inactive' OR lost_since IS NOT NULL) AND check_due_at <= $1"

const SOME_DUE = statement(`SELECT 1 AS due FROM domains WHERE ${DUE} LIMIT 1`)
const CLAIM = statement<{ id: string }>(({ isAmong }) => {
  const due = isAmong('id', `FROM domains WHERE ${DUE} ORDER BY check_due_at LIMIT $3 FOR UPDATE SKIP LOCKED`)
  return `UPDATE domains SET check_due_at = $2 WHERE ${due} RETURNING id`
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
  *claimDomainChecks(port, { now, until, limit }) {
    if ((yield* port.read.one(SOME_DUE, now)) === undefined) return []
    return (yield* port.write.all(CLAIM, now, until, limit)).map(({ id }) => id)
  },

  *noteDomainCheck(port, id, { checkedAt, dueAt }) {
    yield* port.write.run(NOTE, id, checkedAt ?? null, dueAt)
  },
} satisfies Operations<Port>
