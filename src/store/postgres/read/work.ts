import { ContentDamaged, claimedRecipient } from '../../content-rows.ts'
import { type ClaimedEmail, type ClaimedRecipient, StoreDamaged } from '../../store.ts'
import { loadEmails } from '../contents.ts'
import type { Database } from '../database.ts'
import { isEmailId } from '../rows.ts'

const RECIPIENTS = `SELECT position, address, domain, attempts, variables, preferred_server AS "preferredServer", uncertain,
    postponed_since AS "postponedSince", 0 AS suspicion
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
    if (loaded instanceof ContentDamaged) throw damaged(id, loaded)
    const rows = await session.run<RecipientRow>(RECIPIENTS, [id])
    return { ...loaded.email, recipients: rows.map((row) => recipientOf(id, row)) }
  })
}

function recipientOf(id: string, row: RecipientRow): ClaimedRecipient {
  const recipient = claimedRecipient(row, row.variables)
  if (recipient instanceof ContentDamaged) throw damaged(id, recipient)
  return recipient
}

function damaged(id: string, why: ContentDamaged): StoreDamaged {
  return new StoreDamaged(`The stored content of the email ${id} is damaged: ${why.message}`)
}
