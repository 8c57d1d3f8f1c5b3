import { followerStatements } from '../follower-statements.ts'
import type { FollowerStore } from '../store.ts'
import type { Parts } from './parts.ts'

const TYPES = ['text', 'int8', 'int8', 'int8']
const { take, advance } = followerStatements((position) => `$${position}::${TYPES[position - 1]}`)

/** How far those who follow the log durably have come. */
export function followers({ database }: Parts): FollowerStore {
  return {
    async takeFollower(name, token, start) {
      const [row] = await database.write<{ cursor: number }>(take, [name, start, token])
      return row?.cursor ?? null
    },

    async advanceFollower(name, token, from, to) {
      return (await database.write(advance, [name, to, token, from])).length > 0
    },
  }
}
