/**
 * Pools that mail cannot leave from: an address is misspelt, or its machine is gone. The mail waits, and nothing else
 * tells.
 */

import { namedFew } from '../../common/named-few.ts'
import { commandFor } from '../problem-command.ts'
import { type UnusablePool, unusablePools } from '../unusable-pools.ts'
import type { Operation } from '../verb.ts'
import { type DoctorCheck, ok, type PlannedCheck, problem } from './check.ts'

/** Pools that have a check of their own: each begins and ends by itself. */
const MAX_POOLS = 10

const ID = 'pools'
const TITLE = 'Pools'

export function poolsCheck(op: Operation): PlannedCheck[] {
  if (op.setup.delivery.kind !== 'direct') return []
  return [
    {
      id: ID,
      title: TITLE,
      async run() {
        const unusable = await unusablePools(op)
        const parts: DoctorCheck[] = unusable.slice(0, MAX_POOLS).map((pool) => ({
          id: `${ID}:${pool.name}`,
          title: `Pool ${pool.name}`,
          code: commandFor(`${ID}:${pool.name}`),
          ...problem(
            foundOf(pool),
            'Correct the addresses of the pool, or add them to POSTROAD_SOURCE_ADDRESSES of a node that has them.',
          ),
        }))
        const others = unusable.slice(MAX_POOLS).map(({ name }) => name)
        if (others.length > 0) {
          const found = `Mail cannot leave from these pools either: ${namedFew(others, 'and')}.`
          const advice = 'Correct the addresses of the pools.'
          parts.push({ id: ID, title: TITLE, ...problem(found, advice), code: commandFor(ID) })
        }
        return { ...ok('Every pool that mail leaves from has a usable address.'), parts }
      },
    },
  ]
}

function foundOf({ companies, domains, takesOtherMail, why }: UnusablePool): string {
  const users = [...domains, ...companies.map((name) => `the company ${name}`)]
  const whose = [
    ...(takesOtherMail ? ['Mail without an assigned pool'] : []),
    ...(users.length > 0 ? [`${takesOtherMail ? 'mail' : 'Mail'} of ${namedFew(users, 'and')}`] : []),
  ]
  return `${whose.join(', and ')} waits: ${why}.`
}
