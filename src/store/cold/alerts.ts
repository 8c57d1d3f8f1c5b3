/** Troubles about which alerts are sent. */
import type { Alert } from '../alert-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const COLUMNS = `id, company_id AS "companyId", title, found, advice, since, told_at AS "toldAt",
  ended_at AS "endedAt"`

const ALL = statement<Alert>(`SELECT ${COLUMNS} FROM alerts ORDER BY id`)
const RAISE = statement(`INSERT INTO alerts (id, company_id, title, found, advice, since)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (id) DO UPDATE SET found = excluded.found, advice = excluded.advice, ended_at = NULL
    WHERE alerts.found <> excluded.found OR alerts.ended_at IS NOT NULL`)
const FORGET = statement('DELETE FROM alerts WHERE id = $1 AND told_at IS NULL AND claimed_until <= $2')
const END = statement('UPDATE alerts SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL')

const UNTOLD = '(told_at IS NULL OR ended_at IS NOT NULL) AND claimed_until <= $1'
const SOME_UNTOLD = statement(`SELECT 1 AS untold FROM alerts WHERE ${UNTOLD} LIMIT 1`)
const CLAIM = statement<Alert>(({ isAmong }) => {
  const untold = isAmong('id', `FROM alerts WHERE ${UNTOLD} ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED`)
  return `UPDATE alerts SET claimed_until = $2 WHERE ${untold} RETURNING ${COLUMNS}`
})
const BEGINNING_TOLD = statement(
  'UPDATE alerts SET told_at = $3, claimed_until = 0 WHERE id = $1 AND since = $2 AND told_at IS NULL',
)
const END_TOLD = statement('DELETE FROM alerts WHERE id = $1 AND since = $2 AND ended_at = $3')

/** PostgreSQL refuses NUL, which answers of strangers may contain. */
const without = (text: string) => text.replaceAll('\0', '')

export const alertReads = {
  *alerts(port) {
    return yield* port.read.all(ALL)
  },
} satisfies Operations<ReadPort>

export const alertWrites = {
  *raiseAlert(port, { id, companyId, title, found, advice }, now) {
    const texts = [title, found].map(without) as [string, string]
    yield* port.write.run(RAISE, id, companyId, ...texts, advice === null ? null : without(advice), now)
  },

  *endAlert(port, id, now) {
    if ((yield* port.write.run(FORGET, id, now)) === 0) yield* port.write.run(END, id, now)
  },

  *claimAlerts(port, { now, until, limit }) {
    if ((yield* port.read.one(SOME_UNTOLD, now)) === undefined) return []
    return yield* port.write.all(CLAIM, now, until, limit)
  },

  *alertTold(port, { id, since, toldAt, endedAt }, now) {
    if (toldAt === null) yield* port.write.run(BEGINNING_TOLD, id, since, now)
    else yield* port.write.run(END_TOLD, id, since, endedAt)
  },
} satisfies Operations<Port>
