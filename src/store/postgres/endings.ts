import type { EventType } from '../../email/event.ts'
import { mapText } from '../json-columns.ts'
import type { RecipientState } from '../store.ts'
import { int4s, int8s, texts, uuids } from './arrays.ts'
import type { Session } from './database.ts'

/** A live recipient that ends without an attempt. */
export interface Ending {
  email: string
  position: number
  state: Exclude<RecipientState, 'waiting' | 'sending'> & EventType
  /** Unix ms. */
  at: number
  /** Shown with the recipient and its event. Without one the recipient keeps its last. */
  message?: string
}

const END = {
  name: 'end',
  text: `
WITH ending AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::int4[], $3::text[], $4::text[], $5::int8[], $6::text[])
    AS t (email, position, state, message, at, detail)
), gone AS (
  DELETE FROM queue q USING ending e WHERE q.email = ANY (ARRAY[e.email]) AND q.position = e.position
  RETURNING e.*, q.company
), known AS (
  UPDATE recipients r SET state = e.state, last_message = coalesce(e.message, r.last_message)
  FROM ending e WHERE r.email = ANY (ARRAY[e.email]) AND r.position = e.position
)
INSERT INTO events (email, company, recipient, type, at, detail)
SELECT email, company, position, state, at, detail FROM gone ORDER BY email, position`,
}

/** The rows in the queue are locked by the transaction already. */
export async function endRecipients(session: Session, endings: readonly Ending[]): Promise<void> {
  if (endings.length === 0) return
  await session.run(END, [
    uuids(endings.map(({ email }) => email)),
    int4s(endings.map(({ position }) => position)),
    texts(endings.map(({ state }) => state)),
    texts(endings.map(({ message }) => message ?? null)),
    int8s(endings.map(({ at }) => Math.round(at))),
    texts(endings.map(({ message }) => mapText(message === undefined ? {} : { message }))),
  ])
}
