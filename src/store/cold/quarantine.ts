/** Emails that took a process down: claims and retention skip them until the operator releases or cancels them. */
import type { RecipientKey } from '../recipient-decision.ts'
import type { QuarantinedEmail } from '../store.ts'
import { countOf, decideAndWrite } from './decisions.ts'
import { findEmail, live } from './live-recipients.ts'
import type { Operations, Port, PortSteps, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** Recipients released in one step, so that a long list does not hold up commits. */
const CHUNK = 500

const LIST = statement<QuarantinedEmail>(
  (
    dialect,
  ) => `SELECT e.id, c.id AS "companyId", e.header_from AS "from", e.subject, chosen.recipients, chosen.message,
      (SELECT max(v.at) FROM events v WHERE v.email = chosen.email AND v.type = 'delivery_delayed') AS since
    FROM (
      SELECT q.email, count(*) AS recipients, max(r.last_message) AS message
      FROM (SELECT q.email, q.position FROM ${live(dialect, 'quarantined')} AND q.company BETWEEN $1 AND $2) AS q
      CROSS JOIN recipients r WHERE r.email = q.email AND r.position = q.position
      GROUP BY q.email ORDER BY q.email DESC LIMIT $3
    ) AS chosen CROSS JOIN emails e CROSS JOIN companies c
    WHERE e.${dialect.emailKey} = chosen.email AND c.num = e.company ORDER BY chosen.email DESC`,
)
const LOCK = statement<RecipientKey>(
  (dialect) => `SELECT q.email, q.position FROM ${live(dialect, 'quarantined')}
    AND q.company BETWEEN $1 AND $2 LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED`,
)

export const quarantineReads = {
  *quarantined(port, { companyId = null, limit }) {
    const range = yield* companyRange(port, companyId)
    return range === null ? [] : yield* port.read.all(LIST, ...range, limit)
  },
} satisfies Operations<ReadPort>

export const quarantineWrites = {
  *quarantine(port, { emailId, leaseToken, positions, others, at, message }) {
    const email = yield* findEmail(port, emailId)
    if (email === undefined) return 0
    const all = yield* port.transaction(function* (db) {
      return yield* decideAndWrite(
        db,
        yield* db.lockLive(email.key),
        ({ state, position, lease }) => {
          const dangerous =
            state === 'sending'
              ? lease === leaseToken && positions.includes(position)
              : others === 'quarantine'
          return dangerous ? { kind: 'quarantine', at, message } : { kind: 'suspect', suspicion: 2 }
        },
        at,
      )
    })
    port.changed('queue')
    return countOf(all, 'quarantined')
  },
} satisfies Operations<Port>

export const quarantineSteps = {
  *releaseQuarantined(port, { companyId, emailId }, now) {
    const email = emailId === null ? null : yield* findEmail(port, emailId)
    const range = yield* companyRange(port, companyId)
    if (email === undefined || range === null) return 0
    const released = yield* port.transaction(function* (db) {
      const [first, last] = range
      const recipients =
        email === null
          ? yield* db.recipients(yield* db.all(LOCK, first, last))
          : (yield* db.lockLive(email.key)).filter(({ company }) => company >= first && company <= last)
      return yield* decideAndWrite(db, recipients, () => ({ kind: 'quarantine-released', at: now }), now)
    })
    if (released.length > 0) port.changed('queue')
    return released.length
  },
} satisfies Operations<Port>

/** The numbers of the companies, both ends included. Null for an unknown company. */
function* companyRange(port: ReadPort, id: string | null): PortSteps<[number, number] | null> {
  if (id === null) return [0, MAX]
  const number = yield* port.findCompany(id)
  return number === undefined ? null : [number, number]
}

/** The largest number of a company. */
const MAX = 2 ** 31 - 1
