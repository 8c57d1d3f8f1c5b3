import type { StoreChange } from '../store.ts'
import type { ChangeFeed } from './changes.ts'
import type { Database, Session } from './database.ts'

/**
 * Runs `work` in a transaction. When it says that something has changed, all who watch are told, here and on other
 * nodes.
 */
export async function withNotice(
  database: Database,
  changes: ChangeFeed,
  kind: StoreChange,
  work: (session: Session) => Promise<boolean>,
): Promise<boolean> {
  const notice = changes.notice(kind)
  let changed = false
  try {
    changed = await database.transaction(async (session) => {
      const some = await work(session)
      if (some) await notice.write(async (text, values) => ({ rows: await session.run(text, values) }))
      return some
    })
  } finally {
    if (changed) notice.committed()
    else notice.undone()
  }
  if (changed) changes.tell(kind)
  return changed
}
