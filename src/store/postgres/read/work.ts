import { isEmailId } from '../../../email/email-id.ts'
import { recipientFieldsOf } from '../../../email/fields.ts'
import type { LeaseFacts } from '../../../email/lifecycle/attempt.ts'
import { ContentDamaged, claimedRecipient, damagedEmail } from '../../content-rows.ts'
import { selected } from '../../email-columns.ts'
import type { EmailStore } from '../../store.ts'
import { loadEmails } from '../contents.ts'
import type { StoreParts } from '../parts.ts'

const RECIPIENTS = `SELECT r.position, ${selected(recipientFieldsOf('queue'), () => 'r')}, r.attempts,
    r.preferred_server AS "preferredServer", r.uncertain, r.postponed_since AS "postponedSince", 0 AS suspicion
  FROM recipients r WHERE r.email = $1 AND ($2::integer IS NULL OR r.position = $2) ORDER BY r.position`

/** Has a column for each field of a claimed recipient. */
interface WorkRow extends LeaseFacts {
  position: number
}

/** Reads whole work items with recipients in any state. */
export function work({ database }: StoreParts): Pick<EmailStore, 'readWork'> {
  return {
    async readWork(id, copy) {
      if (!isEmailId(id)) return null
      return await database.snapshot(async (session) => {
        const loaded = (await loadEmails(session, [id])).get(id)
        if (loaded === undefined) return null
        const { email } = unlessDamaged(id, loaded)
        const rows = await session.run<WorkRow>(RECIPIENTS, [id, email.individual ? (copy ?? null) : null])
        return { ...email, recipients: rows.map((row) => unlessDamaged(id, claimedRecipient(row))) }
      })
    },
  }
}

function unlessDamaged<T>(id: string, found: T | ContentDamaged): T {
  if (found instanceof ContentDamaged) throw damagedEmail(id, found)
  return found
}
