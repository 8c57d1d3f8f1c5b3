/** The nodes of a run: one with SQLite; on PostgreSQL two that take mail in and two that deliver it. */
import type { Preload } from '../harness/preload/preload.ts'
import { Random, seedFor } from '../harness/random.ts'
import type { Installation, Settings } from '../harness/service/installation.ts'
import { type ChaosDatabase, NODE_TIMEOUT } from './database.ts'
import type { FaultLog } from './fault-log.ts'
import { ChaosNode, hostName } from './node.ts'

export interface FleetParts {
  installation: Installation
  /** Null: the installation's SQLite file. */
  postgres: ChaosDatabase | null
  seed: number
  log: FaultLog
  /** Where logs of nodes are kept. */
  keep: string | null
  preload: Preload | null
  /** Threads of the nodes are struck: they can be reached. */
  inspected: boolean
  /** Addresses that mail leaves from; none: the system chooses. */
  sources: readonly string[]
}

type Role = 'api' | 'delivery'

const SINGLE = 'n1'
const ROLES = { a1: 'api', a2: 'api', d1: 'delivery', d2: 'delivery' } as const

export async function makeNodes(parts: FleetParts): Promise<ChaosNode[]> {
  const { postgres } = parts
  if (postgres === null) return [makeNode(parts, SINGLE, ['api', 'delivery'])]
  const nodes = Object.entries(ROLES).map(async ([name, role]) =>
    makeNode(parts, name, [role], {
      // A way of its own to the database.
      POSTROAD_DATABASE_URL: await postgres.urlFor(name),
      POSTROAD_ROLES: role,
      POSTROAD_NODE_NAME: name,
      POSTROAD_NODE_TIMEOUT: `${NODE_TIMEOUT}ms`,
    }),
  )
  return await Promise.all(nodes)
}

function makeNode(
  { installation, seed, log, keep, preload, inspected, sources }: FleetParts,
  name: string,
  roles: Role[],
  own: Settings = {},
): ChaosNode {
  const random = new Random(seedFor(seed, 'node', name))
  return new ChaosNode({
    name,
    roles,
    sources,
    installation,
    settings: {
      ...own,
      ...(inspected && { NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
      ...preload?.environment(name),
    },
    log,
    keep,
    restartAfter: () => random.between(0, 1_000),
  })
}

/** Lives of one node whose host names have addresses: more than any run has. */
const NAMED_LIVES = 200

/** The address records of the host names under which nodes live. */
export function hostNames(): Record<string, string[]> {
  const names = [SINGLE, ...Object.keys(ROLES)].flatMap((node) =>
    Array.from({ length: NAMED_LIVES }, (_, life) => `${hostName(node, life + 1)}/A`),
  )
  return Object.fromEntries(names.map((name) => [name, ['127.0.0.1']]))
}
