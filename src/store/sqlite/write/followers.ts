import type { DatabaseSync } from 'node:sqlite'
import { followerStatements } from '../../follower-statements.ts'
import type { Writes } from '../protocol.ts'
import { one } from '../rows.ts'

/** The cursors of durable followers of the log. */
export function followers(db: DatabaseSync): Pick<Writes, 'takeFollower' | 'advanceFollower'> {
  const statements = followerStatements((position) => `?${position}`)
  const take = db.prepare(statements.take)
  const advance = db.prepare(statements.advance)
  return {
    takeFollower: (name, token, start) => one<{ cursor: number }>(take, name, start, token)?.cursor ?? null,
    advanceFollower: (name, token, from, to) => one(advance, name, to, token, from) !== undefined,
  }
}
