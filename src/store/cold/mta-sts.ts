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
} satisfies Operations<Port>
