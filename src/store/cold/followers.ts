/** The cursors of durable followers of the log. */
import type { Operations, Port, ReadPort } from './port.ts'
import { statement } from './statement.ts'

interface CursorRow {
  cursor: number
}

/** Values: name, start, token. A node that was given up takes nothing. */
const TAKE = statement<CursorRow>(`INSERT INTO followers AS f (name, cursor, lease)
  SELECT n.name, n.cursor, n.token FROM (SELECT $1::text AS name, $2::int8 AS cursor, $3::int8 AS token) AS n
  WHERE EXISTS (SELECT 1 FROM nodes WHERE token = n.token)
  ON CONFLICT (name) DO UPDATE SET lease = excluded.lease
  WHERE f.lease = excluded.lease OR NOT EXISTS (SELECT 1 FROM nodes WHERE token = f.lease)
  RETURNING cursor`)
/** No node has the token 0. */
const LEAVE = statement('UPDATE followers SET lease = 0 WHERE name = $1 AND lease = $2')
/** Values: name, token, from, to. Also part of the transaction that stores the follower's results. */
export const ADVANCE = statement(
  'UPDATE followers SET cursor = $4::int8 WHERE name = $1 AND lease = $2 AND cursor = $3',
)
const CURSOR = statement<CursorRow>('SELECT cursor FROM followers WHERE name = $1')

export const followerReads = {
  *followerCursor(port, name) {
    return (yield* port.read.one(CURSOR, name))?.cursor ?? 0
  },
} satisfies Operations<ReadPort>

export const followerWrites = {
  *takeFollower(port, name, token, start) {
    return (yield* port.write.one(TAKE, name, start, token))?.cursor ?? null
  },

  *leaveFollower(port, name, token) {
    yield* port.write.run(LEAVE, name, token)
  },

  *advanceFollower(port, name, token, from, to) {
    return (yield* port.write.run(ADVANCE, name, token, from, to)) > 0
  },
} satisfies Operations<Port>
