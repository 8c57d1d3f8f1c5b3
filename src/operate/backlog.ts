/** What waits at the moment, in a few numbers, and the room that is left. */
import { Pauses } from '../queue/pauses.ts'
import type { Backlog, StorageUsed } from '../store/store.ts'
import { companyScope, type OfCompany } from './find.ts'
import type { ShownLane } from './queue.ts'
import { verb } from './verb.ts'

export interface ShownBacklog extends Omit<Backlog, 'lanes'> {
  /** The destinations where most waits, those first, each with its last reply. */
  lanes: ShownLane[]
}

export interface BacklogWanted extends OfCompany {
  /** Destinations, at most. */
  limit?: number | undefined
}

/** Of a company, or of all. */
export const showBacklog = verb(
  'read',
  async (op, { limit = 10, ...of }: BacklogWanted): Promise<ShownBacklog> => {
    const companyId = companyScope(op, of)
    const whose = companyId === null ? {} : { companyId }
    const [backlog, paused] = await Promise.all([
      op.inTurn(companyId, () => op.store.backlog({ ...whose, lanes: limit })),
      op.store.pauses(),
    ])
    const pauses = new Pauses()
    pauses.replace(paused)
    const lanes = backlog.lanes.map((lane) => ({
      ...lane,
      paused: pauses.covers(lane.companyId, lane.domain),
    }))
    return { ...backlog, lanes }
  },
)

/** How large the database is, and the room left beside it. */
export const showStorage = verb(
  'operate',
  (op, _input: object): Promise<StorageUsed> => op.store.storage(),
  null,
)
