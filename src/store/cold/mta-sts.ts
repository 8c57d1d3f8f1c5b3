/** Policies of MTA-STS. */
import { listOf } from '../json-columns.ts'
import type { StoredMtaStsPolicy } from '../mta-sts-store.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

type PolicyRow = Omit<StoredMtaStsPolicy, 'mx'> & { mx: string }

const FIND = statement<PolicyRow>(
  `SELECT domain, id, mode, mx, fetched_at AS "fetchedAt", expires_at AS "expiresAt"
  FROM mta_sts_policies WHERE domain = $1 AND expires_at > $2`,
)
const KEEP =
  statement(`INSERT INTO mta_sts_policies (domain, id, mode, mx, fetched_at, expires_at, organization)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (domain) DO UPDATE SET id = excluded.id, mode = excluded.mode, mx = excluded.mx,
    fetched_at = excluded.fetched_at, expires_at = excluded.expires_at,
    organization = excluded.organization
  WHERE mta_sts_policies.fetched_at < excluded.fetched_at`)
/** The most policies of one organization: a zone that floods the table displaces only its own. */
const MAX_OF_ORGANIZATION = 1_000
/** The most policies removed at once: more than are added at the same time, so that none is left over. */
const STEP = 100
const FORGET_OF_ORGANIZATION = statement(({ isAmong }) => {
  const beyond = `FROM mta_sts_policies WHERE organization = $1
    ORDER BY fetched_at DESC LIMIT ${STEP} OFFSET ${MAX_OF_ORGANIZATION}`
  return `DELETE FROM mta_sts_policies WHERE ${isAmong('domain', beyond)}`
})
/**
 * Those fetched longest ago: a policy is fetched again each day while its domain gets mail. The time for which a policy
 * wants to be kept does not count, because whoever floods the table chooses it.
 */
const FORGET = statement(({ isAmong }) => {
  const beyond = 'FROM mta_sts_policies ORDER BY fetched_at DESC LIMIT $1 OFFSET $2'
  return `DELETE FROM mta_sts_policies WHERE ${isAmong('domain', beyond)}`
})

export const mtaStsReads = {
  *mtaStsPolicy(port, domain, now) {
    const row = yield* port.read.one(FIND, domain, now)
    return row === undefined ? null : { ...row, mx: listOf<string>(row.mx) }
  },
} satisfies Operations<ReadPort>

export const mtaStsWrites = {
  *keepMtaStsPolicy(port, { domain, id, mode, mx, fetchedAt, expiresAt }, organization) {
    yield* port.write.run(KEEP, domain, id, mode, JSON.stringify(mx), fetchedAt, expiresAt, organization)
    yield* port.write.run(FORGET_OF_ORGANIZATION, organization)
  },

  *forgetMtaStsPolicies(port, most, limit) {
    return yield* port.write.run(FORGET, limit, most)
  },
} satisfies Operations<Port>
