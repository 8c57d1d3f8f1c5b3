import type { DatabaseSync } from 'node:sqlite'
import { KEY_REMEMBERED_MS } from '../../../email/queued-email.ts'
import { emailsOf, type KeyHolder } from '../../idempotency.ts'
import type { Direct } from '../protocol.ts'
import { one } from '../rows.ts'

export function idempotency(db: DatabaseSync): Direct<'repeated'> {
  const holder = db.prepare(
    `SELECT i.fingerprint, i.email_id AS id, i.message_id AS messageId, i.emails
     FROM companies c JOIN idempotency i ON i.company = c.num
     WHERE c.id = ? AND i.key = ? AND i.fingerprint = ? AND i.created_at > ?`,
  )
  return {
    repeated(companyId, { key, fingerprint }, at) {
      const found = one<KeyHolder>(holder, companyId, key, fingerprint, Math.round(at) - KEY_REMEMBERED_MS)
      return found === undefined ? null : emailsOf(found)
    },
  }
}
