import type { StoreChange } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database, Session } from './database.ts'

/**
 * Runs `work` in a transaction. When it says that something has changed, all who watch are told, here and on other
 * nodes.
 */
export async function noted(
  database: Database,
  changes: ChangeFeed,
  kind: StoreChange,
  work: (session: Session) => Promise<boolean>,
): Promise<boolean> {
  const noting = changes.noting(kind)
  let changed = false
  try {
    changed = await database.transaction(async (session) => {
      const some = await work(session)
      if (some) await noting.note(async (text, values) => ({ rows: await session.run(text, values) }))
      return some
    })
  } finally {
    if (changed) noting.committed()
    else noting.undone()
  }
  if (changed) changes.tell(kind)
  return changed
}
