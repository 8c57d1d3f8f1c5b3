import type { StoreChange } from '../store.ts'
import type { Session } from './database.ts'
import type { Parts } from './parts.ts'

/**
 * Runs `work` in a transaction. When it says that something has changed, all who watch are told, here and on other
 * nodes.
 */
export async function withNotice(
  { database, changes }: Parts,
  kind: StoreChange,
  work: (session: Session) => Promise<boolean>,
): Promise<boolean> {
  const changed = await changes.noticed(kind, (write) =>
    database.transaction(async (session) => {
      const some = await work(session)
      if (some) await write(async (text, values) => ({ rows: await session.run(text, values) }))
      return some
    }),
  )
  if (changed) changes.tell(kind)
  return changed
}
