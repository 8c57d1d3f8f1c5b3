/** When the records of domains are checked in DNS. Nodes share the work: each takes domains that are due. */
import type { DomainCheckTimes, DueDomain } from '../account-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { type Dialect, statement } from './statement.ts'

/** The time of a check that only a request makes due. The column has no NULL, and an index by it finds no such row. */
const NEVER = Number.MAX_SAFE_INTEGER

const SENDING = "(sending <> 'inactive' OR lost_since IS NOT NULL)"
const BEING_SET_UP = "sending = 'inactive' AND lost_since IS NULL"

/** Values: now, and the ids of companies whose domains are skipped. */
function due({ texts }: Dialect, kind: string, except: string): string {
  return `${kind} AND check_due_at <= $1
    AND company NOT IN (SELECT num FROM companies WHERE id IN (${texts(except)}))`
}

const someDue = (kind: string) =>
  statement((dialect) => `SELECT 1 AS due FROM domains WHERE ${due(dialect, kind, '$2')} LIMIT 1`)
const claim = (dialect: Dialect, some: string) => `UPDATE domains SET check_due_at = $2
  WHERE ${dialect.isAmong('id', `${some} FOR UPDATE SKIP LOCKED`)}
  RETURNING id, (SELECT c.id FROM companies c WHERE c.num = domains.company) AS "companyId"`

const SOME_DUE = someDue(SENDING)
const CLAIM = statement<DueDomain>((dialect) =>
  claim(dialect, `FROM domains WHERE ${due(dialect, SENDING, '$4')} ORDER BY check_due_at LIMIT $3`),
)
const SOME_SETUP_DUE = someDue(BEING_SET_UP)
/** First one domain of each company, then the second of each, so that many domains of one delay none of another. */
const CLAIM_SETUP = statement<DueDomain>((dialect) => {
  const turns = `SELECT id, check_due_at, row_number() OVER (PARTITION BY company ORDER BY check_due_at) AS turn
    FROM domains WHERE ${due(dialect, BEING_SET_UP, '$5')}`
  const some = `FROM (${turns}) AS turns WHERE turn <= $4 ORDER BY turn, check_due_at LIMIT $3`
  // Another node may have claimed some meanwhile.
  const still = `${BEING_SET_UP} AND check_due_at <= $1`
  return claim(dialect, `FROM domains WHERE ${dialect.isAmong('id', some)} AND ${still}`)
})
const NOTE = statement(`UPDATE domains SET checked_at = coalesce($2::int8, checked_at),
    check_due_at = CASE WHEN $2::int8 IS NULL AND check_due_at < $3 THEN check_due_at ELSE $3 END
  WHERE id = $1`)
const TIMES = statement<DomainCheckTimes>(
  `SELECT checked_at AS "checkedAt", nullif(check_due_at, ${NEVER}) AS "dueAt" FROM domains WHERE id = $1`,
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

  *claimSetupChecks(port, { now, until, limit, ofOne, except }) {
    const others = JSON.stringify(except)
    if ((yield* port.read.one(SOME_SETUP_DUE, now, others)) === undefined) return []
    return yield* port.write.all(CLAIM_SETUP, now, until, limit, ofOne, others)
  },

  *noteDomainCheck(port, id, { checkedAt, dueAt }) {
    yield* port.write.run(NOTE, id, checkedAt ?? null, dueAt ?? NEVER)
  },
} satisfies Operations<Port>
