import { followerStatements } from '../follower-statements.ts'
import type { Advance } from '../follower-store.ts'
import type { FollowerStore } from '../store.ts'
import type { Session } from './database.ts'
import type { Parts } from './parts.ts'

const TYPES = ['text', 'int8', 'int8', 'int8']
const { take, advance: ADVANCE } = followerStatements((position) => `$${position}::${TYPES[position - 1]}`)

/** The cursors of durable followers of the log. */
export function followers({ database }: Parts): FollowerStore {
  return {
    async takeFollower(name, token, start) {
      const [row] = await database.write<{ cursor: number }>(take, [name, start, token])
      return row?.cursor ?? null
    },

    async advanceFollower(name, token, from, to) {
      return (await database.write(ADVANCE, [name, to, token, from])).length > 0
    },

    async followerCursor(name) {
      const [row] = await database.read<{ cursor: number }>('SELECT cursor FROM followers WHERE name = $1', [
        name,
      ])
      return row?.cursor ?? 0
    },
  }
}

/** The same within a transaction, which also stores the follower's results. */
export async function advance(session: Session, { name, token, from, to }: Advance): Promise<boolean> {
  return (await session.run(ADVANCE, [name, to, token, from])).length > 0
}
