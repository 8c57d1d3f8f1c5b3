import { recipientFieldsOf } from '../../../email/fields.ts'
import type { Held } from '../../../email/lifecycle/attempted.ts'
import { ContentDamaged, claimedRecipient } from '../../content-rows.ts'
import { selected } from '../../email-columns.ts'
import { type ClaimedEmail, type ClaimedRecipient, StoreDamaged } from '../../store.ts'
import { loadEmails } from '../contents.ts'
import type { Database } from '../database.ts'
import { isEmailId } from '../rows.ts'

const RECIPIENTS = `SELECT r.position, ${selected(recipientFieldsOf('queue'), () => 'r')}, r.attempts,
    r.preferred_server AS "preferredServer", r.uncertain, r.postponed_since AS "postponedSince", 0 AS suspicion
  FROM recipients r WHERE r.email = $1 ORDER BY r.position`

/** With a column for each field that who claims it reads of a recipient. */
interface RecipientRow extends Held {
  position: number
}

/** The whole item with all recipients, whatever their state; null when unknown or its content was removed. */
export async function readWork(database: Database, id: string): Promise<ClaimedEmail | null> {
  if (!isEmailId(id)) return null
  return await database.snapshot(async (session) => {
    const loaded = (await loadEmails(session, [id])).get(id)
    if (loaded === undefined) return null
    if (loaded instanceof ContentDamaged) throw damaged(id, loaded)
    const rows = await session.run<RecipientRow>(RECIPIENTS, [id])
    return { ...loaded.email, recipients: rows.map((row) => recipientOf(id, row)) }
  })
}

function recipientOf(id: string, row: RecipientRow): ClaimedRecipient {
  const recipient = claimedRecipient(row)
  if (recipient instanceof ContentDamaged) throw damaged(id, recipient)
  return recipient
}

function damaged(id: string, why: ContentDamaged): StoreDamaged {
  return new StoreDamaged(`The stored content of the email ${id} is damaged: ${why.message}`)
}
