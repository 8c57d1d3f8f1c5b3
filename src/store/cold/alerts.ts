/** Problems about which alerts are sent. */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import { type Alert, isEndUntold } from '../alert-store.ts'
import { listOf } from '../json-columns.ts'
import { COMPANY } from './companies.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const COLUMNS = `id, company_id AS "companyId", title, found, advice, member_advice AS "memberAdvice", since, told_at AS "toldAt",
  told_to AS "toldTo", ended_at AS "endedAt"`

const ALL = statement<AlertRow>(`SELECT ${COLUMNS} FROM alerts ORDER BY id`)
const BEGIN = statement(`INSERT INTO alerts (id, company_id, title, found, advice, member_advice, since)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`)
/** With a new beginning if some channels know of the end: mail to them needs another key. */
const REOPEN = statement<Pick<Alert, 'since'>>(`UPDATE alerts
  SET ended_at = NULL, since = CASE WHEN told_at IS NULL AND told_to IS NOT NULL THEN $2 ELSE since END
  WHERE id = $1 AND ended_at IS NOT NULL RETURNING since`)
const DESCRIBE = statement(`UPDATE alerts SET found = $2, advice = $3, member_advice = $4
  WHERE id = $1 AND (found <> $2 OR member_advice IS DISTINCT FROM $4)`)
const FORGET = statement<AlertedCompany>(
  `DELETE FROM alerts WHERE id = $1 AND told_at IS NULL AND coalesce(told_to, '[]') = '[]' AND claimed_until <= $2
   RETURNING company_id AS "companyId"`,
)
const END = statement<AlertedCompany>(
  'UPDATE alerts SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL RETURNING company_id AS "companyId"',
)

const UNTOLD = '(told_at IS NULL OR ended_at IS NOT NULL) AND claimed_until <= $1'
const SOME_UNTOLD = statement(`SELECT 1 AS untold FROM alerts WHERE ${UNTOLD} LIMIT 1`)
/** The longest waiting alerts come first: an alert whose channel fails must not hold up the others. */
const CLAIM = statement<AlertRow>(({ isAmong }) => {
  const untold = isAmong(
    'id',
    `FROM alerts WHERE ${UNTOLD} ORDER BY claimed_until, id LIMIT $3 FOR UPDATE SKIP LOCKED`,
  )
  return `UPDATE alerts SET claimed_until = $2 WHERE ${untold} RETURNING ${COLUMNS}`
})
const PARTLY_TOLD = statement('UPDATE alerts SET told_at = NULL, told_to = $3 WHERE id = $1 AND since = $2')
const BEGINNING_TOLD = statement(
  'UPDATE alerts SET told_at = $4, told_to = $3, claimed_until = 0 WHERE id = $1 AND since = $2 AND told_at IS NULL',
)
const END_TOLD = statement('DELETE FROM alerts WHERE id = $1 AND since = $2 AND ended_at = $3')
/** The end was told, but the problem is back. */
const BACK = statement(`UPDATE alerts SET since = $4, told_at = NULL, told_to = $3, claimed_until = 0
  WHERE id = $1 AND since = $2 AND ended_at IS NULL`)
const TELL_MORE = statement(
  'UPDATE alerts SET told_at = NULL WHERE id = $1 AND told_at = $2 AND ended_at IS NULL',
)

type AlertedCompany = Pick<Alert, 'companyId'>

interface AlertRow extends Omit<Alert, 'toldTo'> {
  toldTo: string | null
}

function alertOf({ toldTo, ...row }: AlertRow): Alert {
  return { ...row, toldTo: toldTo === null ? null : listOf<string>(toldTo) }
}

/** PostgreSQL refuses NUL, which answers of strangers may contain. */
function without<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.replaceAll('\0', '')) as Text
}

export const alertReads = {
  *alerts(port) {
    return (yield* port.read.all(ALL)).map(alertOf)
  },
} satisfies Operations<ReadPort>

export const alertWrites = {
  *raiseAlert(port, { id, companyId, title, found, advice, memberAdvice }, now, event) {
    const texts = [without(found), without(advice), without(memberAdvice)]
    return yield* port.transaction(function* (db) {
      if ((yield* db.run(BEGIN, id, companyId, without(title), ...texts, now)) > 0) {
        yield* log(db, companyId, event)
        return true
      }
      const back = yield* db.one(REOPEN, id, now)
      yield* db.run(DESCRIBE, id, ...texts)
      if (back === undefined) return false
      yield* log(db, companyId, event && begunAt(back.since, event))
      return true
    })
  },

  *endAlert(port, id, now, event) {
    return yield* port.transaction(function* (db) {
      const ended = (yield* db.one(FORGET, id, now)) ?? (yield* db.one(END, id, now))
      if (ended === undefined) return false
      yield* log(db, ended.companyId, event)
      return true
    })
  },

  *claimAlerts(port, { now, until, limit }) {
    if ((yield* port.read.one(SOME_UNTOLD, now)) === undefined) return []
    return (yield* port.write.all(CLAIM, now, until, limit)).map(alertOf)
  },

  *alertPartlyTold(port, alert, toldTo, now) {
    const { id, since } = alert
    const isBack = isEndUntold(alert) && (yield* port.write.run(BACK, id, since, toldTo, now)) > 0
    if (!isBack) yield* port.write.run(PARTLY_TOLD, id, since, toldTo)
  },

  *alertTold(port, alert, toldTo, now) {
    const { id, since, endedAt } = alert
    if (!isEndUntold(alert)) {
      yield* port.write.run(BEGINNING_TOLD, id, since, toldTo, now)
    } else if ((yield* port.write.run(END_TOLD, id, since, endedAt)) === 0) {
      yield* port.write.run(BACK, id, since, toldTo, now)
    }
  },

  *tellMore(port, { id, toldAt }) {
    yield* port.write.run(TELL_MORE, id, toldAt)
  },
} satisfies Operations<Port>

function begunAt(since: number, { detail, ...event }: NewCompanyEvent): NewCompanyEvent {
  const { problem } = detail
  return { ...event, detail: { ...detail, ...(problem !== undefined && { problem: { ...problem, since } }) } }
}

/** A company that was removed has no log. */
function* log(
  db: PortTransaction,
  companyId: string | null,
  event: NewCompanyEvent | undefined,
): PortSteps<void> {
  if (companyId === null || event === undefined) return
  const company = yield* db.one(COMPANY, companyId)
  if (company !== undefined) yield* db.tell(company.num, event)
}
