import type { Database, Statement } from './database.ts'

/** Two looks at the left edge of an index. */
const NEXT_DUE: Statement = {
  name: 'next-due',
  text: `
SELECT least(
  (SELECT due_at FROM queue WHERE lease IS NULL AND ready ORDER BY due_at + 0 LIMIT 1),
  (SELECT due_at FROM queue WHERE lease IS NULL AND NOT ready ORDER BY due_at + 0 LIMIT 1)
) AS due`,
}

/** Unix ms of the earliest due recipient, null when nothing waits. */
export async function nextDue(database: Database): Promise<number | null> {
  const [row] = await database.look<{ due: number | null }>(NEXT_DUE)
  return row!.due
}
