/** Problems, and what channels know of them. */
import type { NewCompanyEvent } from '../../email/company-event.ts'
import type { Alert, Announcement } from '../alert-store.ts'
import { COMPANY } from './companies.ts'
import type { Operations, Port, PortSteps, PortTransaction, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const ALL = statement<Alert>(
  `SELECT id, company_id AS "companyId", title, found, advice, member_advice AS "memberAdvice", since,
    ended_at AS "endedAt" FROM alerts ORDER BY id`,
)
const BEGIN = statement(`INSERT INTO alerts (id, company_id, title, found, advice, member_advice, since)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING`)
const REOPEN = statement<Pick<Alert, 'since'>>(`UPDATE alerts SET ended_at = NULL,
  since = CASE WHEN EXISTS (SELECT 1 FROM announcements WHERE alert_id = $1 AND knows = 'end') THEN $2 ELSE since END
  WHERE id = $1 AND ended_at IS NOT NULL RETURNING since`)
const DESCRIBE = statement(`UPDATE alerts SET found = $2, advice = $3, member_advice = $4
  WHERE id = $1 AND (found <> $2 OR member_advice IS DISTINCT FROM $4)`)
/** Locked, the problem neither ends nor comes back, and no announcement of it begins. */
const LOCK = statement<Pick<Alert, 'endedAt'>>(
  'SELECT ended_at AS "endedAt" FROM alerts WHERE id = $1 FOR UPDATE',
)
const FORGET_UNKNOWN = statement<AlertCompany>(`DELETE FROM alerts WHERE id = $1 AND ended_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM announcements WHERE alert_id = $1 AND (knows <> 'nothing' OR claimed_until > $2))
  RETURNING company_id AS "companyId"`)
const END = statement<AlertCompany>(
  'UPDATE alerts SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL RETURNING company_id AS "companyId"',
)
const NEEDS_NO_ANNOUNCEMENT = `ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM announcements WHERE alert_id = alerts.id
  AND (claimed_until > $1 OR knows = 'beginning' AND coalesce(tried_since, alerts.ended_at) > $2))`
const FORGET_ONE = statement(`DELETE FROM alerts WHERE ${NEEDS_NO_ANNOUNCEMENT} AND id = $3`)
/** Without those that another transaction has locked: two that forget all would wait for each other. */
const FORGET_ENDED = statement(
  ({ isAmong }) =>
    `DELETE FROM alerts WHERE ${isAmong('id', `FROM alerts WHERE ${NEEDS_NO_ANNOUNCEMENT} FOR UPDATE SKIP LOCKED`)}`,
)

const ANNOUNCEMENTS = statement<Announcement>(
  `SELECT alert_id AS "alertId", channel, knows, tried_since AS "triedSince", claimed_until AS "claimedUntil"
    FROM announcements ORDER BY alert_id, channel`,
)
const CLAIM_BEGINNING = statement<FirstTry>(
  `INSERT INTO announcements (alert_id, channel, knows, tried_since, claimed_until)
    SELECT id, $2::text, 'nothing', $4::bigint, $5::bigint FROM alerts
    WHERE id = $1 AND since = $3 AND ended_at IS NULL FOR SHARE
  ON CONFLICT (alert_id, channel) DO UPDATE
    SET tried_since = coalesce(announcements.tried_since, excluded.tried_since), claimed_until = excluded.claimed_until
    WHERE announcements.knows = 'nothing' AND announcements.claimed_until <= $4
  RETURNING tried_since AS "triedSince"`,
)
const CLAIM_END = statement<FirstTry>(
  `UPDATE announcements SET tried_since = coalesce(tried_since, $4), claimed_until = $5
    WHERE alert_id = $1 AND channel = $2 AND knows = 'beginning' AND claimed_until <= $4
      AND EXISTS (SELECT 1 FROM alerts WHERE id = $1 AND since = $3 AND ended_at IS NOT NULL)
    RETURNING tried_since AS "triedSince"`,
)
const KNOWN = statement(`UPDATE announcements SET knows = $5, tried_since = NULL, claimed_until = 0
  WHERE alert_id = $1 AND channel = $2 AND knows = $3 AND claimed_until = $4`)
const FORGET_KNOWN = statement(
  "DELETE FROM announcements WHERE alert_id = $1 AND channel = $2 AND knows = 'beginning' AND claimed_until = $3",
)
const BEGIN_ANEW = statement('UPDATE alerts SET since = $2 WHERE id = $1')
const FORGET_ENDS = statement("DELETE FROM announcements WHERE alert_id = $1 AND knows = 'end'")
const FORGET_TRIES = statement('UPDATE announcements SET tried_since = NULL WHERE alert_id = $1')

type AlertCompany = Pick<Alert, 'companyId'>
type FirstTry = Pick<Announcement, 'triedSince'>

/** PostgreSQL refuses NUL, which answers of strangers may contain. */
function without<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.replaceAll('\0', '')) as Text
}

export const alertReads = {
  *alerts(port) {
    return yield* port.read.all(ALL)
  },

  *announcements(port) {
    return yield* port.read.all(ANNOUNCEMENTS)
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
      yield* db.run(FORGET_ENDS, id)
      yield* db.run(FORGET_TRIES, id)
      yield* log(db, companyId, event && begunAt(back.since, event))
      return true
    })
  },

  *endAlert(port, id, now, event) {
    return yield* port.transaction(function* (db) {
      yield* db.one(LOCK, id)
      const ended = (yield* db.one(FORGET_UNKNOWN, id, now)) ?? (yield* db.one(END, id, now))
      if (ended === undefined) return false
      yield* log(db, ended.companyId, event)
      return true
    })
  },

  *claimAnnouncement(port, { alertId, since, channel, isEnd, now, until }) {
    const claim = isEnd ? CLAIM_END : CLAIM_BEGINNING
    const claimed = yield* port.write.all(claim, alertId, channel, since, now, until)
    return claimed[0]?.triedSince ?? null
  },

  *endAnnouncement(port, { alertId, channel, isEnd, until }, now) {
    yield* port.transaction(function* (db) {
      const alert = yield* db.one(LOCK, alertId)
      if (!isEnd) {
        yield* db.run(KNOWN, alertId, channel, 'nothing', until, 'beginning')
      } else if (alert?.endedAt != null) {
        yield* db.run(KNOWN, alertId, channel, 'beginning', until, 'end')
        yield* db.run(FORGET_ONE, now, 0, alertId)
      } else if ((yield* db.run(FORGET_KNOWN, alertId, channel, until)) > 0) {
        // The end was announced, but the problem is back.
        yield* db.run(BEGIN_ANEW, alertId, now)
      }
    })
  },

  *forgetAlerts(port, now, before) {
    yield* port.write.run(FORGET_ENDED, now, before)
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
