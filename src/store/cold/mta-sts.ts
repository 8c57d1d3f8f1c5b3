/** Policies of MTA-STS. */
import { listOf } from '../json-columns.ts'
import type { KeptMtaStsPolicy } from '../mta-sts-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type PolicyRow = Omit<KeptMtaStsPolicy, 'mx'> & { mx: string }

const FIND = statement<PolicyRow>(
  `SELECT domain, id, mode, mx, fetched_at AS "fetchedAt", expires_at AS "expiresAt"
  FROM mta_sts_policies WHERE domain = $1 AND expires_at > $2`,
)
const KEEP = statement(`INSERT INTO mta_sts_policies (domain, id, mode, mx, fetched_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (domain) DO UPDATE SET id = excluded.id, mode = excluded.mode, mx = excluded.mx,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
  WHERE mta_sts_policies.fetched_at < excluded.fetched_at`)
/**
 * Of those beyond the most, the ones that would be kept for longest: a zone that floods the table with policies for a
 * year displaces its own, and the others stay.
 */
const FORGET = statement(({ isAmong }) => {
  const beyond = 'FROM mta_sts_policies ORDER BY expires_at LIMIT $1 OFFSET $2'
  return `DELETE FROM mta_sts_policies WHERE ${isAmong('domain', beyond)}`
})

export const mtaStsReads = {
  *mtaStsPolicy(port, domain, now) {
    const row = yield* port.read.one(FIND, domain, now)
    return row === undefined ? null : { ...row, mx: listOf<string>(row.mx) }
  },
} satisfies Operations<ReadPort>

export const mtaStsWrites = {
  *keepMtaStsPolicy(port, { domain, id, mode, mx, fetchedAt, expiresAt }) {
    yield* port.write.run(KEEP, domain, id, mode, JSON.stringify(mx), fetchedAt, expiresAt)
  },

  *forgetMtaStsPolicies(port, most, limit) {
    return yield* port.write.run(FORGET, limit, most)
  },
} satisfies Operations<Port>
