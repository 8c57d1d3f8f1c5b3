import type { Operations, ReadPort } from './port.ts'
import { statement } from './statement.ts'

const REQUESTED = statement<{ id: string }>(
  ({ engine }) =>
    engine === 'postgres'
      ? 'SELECT DISTINCT email AS id FROM queue WHERE cancel'
      : `SELECT DISTINCT e.id FROM recipients r INDEXED BY recipients_to_cancel CROSS JOIN emails e ON e.num = r.email
        WHERE r.cancel = 1`,
  'cancel-requests',
)

export const cancelRequestReads = {
  *cancelRequests(port) {
    return (yield* port.look.all(REQUESTED)).map(({ id }) => id)
  },
} satisfies Operations<ReadPort>
