import { type ClaimedEmail, type ClaimedRecipient, StoreDamaged } from '../../store.ts'
import { ContentDamaged, loadEmails } from '../contents.ts'
import type { Database } from '../database.ts'
import { isEmailId, mapOf } from '../rows.ts'

const RECIPIENTS = `SELECT position, address, domain, attempts, variables, preferred_server AS "preferredServer", uncertain
  FROM recipients WHERE email = $1 ORDER BY position`

interface RecipientRow extends Omit<ClaimedRecipient, 'variables'> {
  variables: string | null
}

/** The whole item with all recipients, whatever their state; null when unknown or its content was removed. */
export async function readWork(database: Database, id: string): Promise<ClaimedEmail | null> {
  if (!isEmailId(id)) return null
  return await database.snapshot(async (session) => {
    const loaded = (await loadEmails(session, [id])).get(id)
    if (loaded === undefined) return null
    if (loaded instanceof ContentDamaged) {
      throw new StoreDamaged(`The stored content of the email ${id} is damaged: ${loaded.message}`)
    }
    const recipients = await session.run<RecipientRow>(RECIPIENTS, [id])
    return { ...loaded.email, recipients: recipients.map(recipientOf) }
  })
}

function recipientOf(row: RecipientRow): ClaimedRecipient {
  return { ...row, variables: row.variables === null ? null : mapOf<Record<string, string>>(row.variables) }
}
