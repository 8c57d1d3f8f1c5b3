import type { StoreChange } from '../store.ts'
import type { DatabaseSession } from './database.ts'
import type { StoreParts } from './parts.ts'

/**
 * Runs `work` in a transaction. When it returns true, all watchers are notified of the change, on this node and on
 * others.
 *
 * @param note runs last in the transaction, with the version of the change
 * @param company the company whose turn it takes (see Database.change); null: the turn of its kind, whose version only
 * one transaction at a time can raise
 */
export async function withNotice(
  { database, changes }: StoreParts,
  kind: StoreChange,
  work: (session: DatabaseSession) => Promise<boolean>,
  note?: (session: DatabaseSession, version: number) => Promise<void>,
  company: number | null = null,
): Promise<boolean> {
  const change = (write: Parameters<Parameters<typeof changes.noticed>[1]>[0]) =>
    database.transaction(async (session) => {
      const some = await work(session)
      if (!some) return false
      await write(async (text, values) => {
        const rows = await session.run<{ value: number }>(text, values)
        await note?.(session, Number(rows[0]!.value))
        return { rows }
      })
      return true
    })
  const noticed = () => changes.noticed(kind, change)
  const changed = await database.inTurn(company ?? kind, noticed)
  if (changed) changes.tell(kind)
  return changed
}
