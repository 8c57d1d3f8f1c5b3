/** The last use of each API key. */
import type { KeyUse } from '../../accounts/account.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

/** A use that another node noted later stays. */
const NOTE = statement(
  ({ rows }) => `INSERT INTO key_uses (key_id, at, address, client)
    SELECT k.id, j.at, j.address, j.client
    FROM ${rows('$1', { keyId: 'text', at: 'bigint', address: 'text', client: 'text' })}
      JOIN api_keys k ON k.id = j."keyId"
    WHERE true
    ON CONFLICT (key_id) DO UPDATE SET at = excluded.at, address = excluded.address, client = excluded.client
    WHERE key_uses.at < excluded.at`,
)
const LAST = statement<KeyUse>(
  ({ texts }) =>
    `SELECT key_id AS "keyId", at, address, client FROM key_uses WHERE key_id IN (${texts('$1')})`,
)

export const keyUseReads = {
  *lastKeyUses(port, keyIds) {
    return keyIds.length === 0 ? [] : yield* port.read.all(LAST, keyIds)
  },
} satisfies Operations<ReadPort>

export const keyUseWrites = {
  *noteKeyUses(port, uses) {
    yield* port.write.run(NOTE, uses)
  },
} satisfies Operations<Port>
