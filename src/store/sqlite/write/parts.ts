import type { DatabaseSync } from 'node:sqlite'
import { WithParts } from '../connection.ts'
import type { ChangeFlags } from '../protocol.ts'
import { CompanyNumbers } from './companies.ts'
import { Contents } from './contents.ts'
import type { Damage } from './damage.ts'
import { EmailEvents } from './email-events.ts'
import { EmailNumbers } from './email-numbers.ts'
import { LaneChanges } from './lane-changes.ts'
import { Lanes } from './lanes.ts'
import { Quotas } from './quotas.ts'
import { Recipients } from './recipients.ts'
import type { StateCaches } from './state-caches.ts'
import { Suppressions } from './suppressions.ts'

/** The parts of the writer that outlive an operation. */
export interface PermanentParts {
  changes: ChangeFlags
  damage: Damage
  memory: StateCaches
}

export type WriterParts = ReturnType<typeof partsOf>

/** The parts that operations work with. */
export function partsOf(db: DatabaseSync, { changes, damage, memory }: PermanentParts) {
  const companies = memory.keep(new CompanyNumbers(db))
  const contents = new Contents(db)
  const events = memory.keep(new EmailEvents(db))
  const numbers = memory.keep(new EmailNumbers(db))
  const turns = memory.keep(new Lanes(db, { damage }))
  const lanes = memory.keep(new LaneChanges(turns, damage))
  const quotas = new Quotas(db)
  const suppressions = new Suppressions(db, { changes })
  const recipients = new Recipients(db, { events, lanes, suppressions })
  return {
    changes,
    companies,
    contents,
    damage,
    events,
    lanes,
    numbers,
    quotas,
    recipients,
    suppressions,
    turns,
  }
}

/** Base of one or several of the writer's operations. */
export class WriteOperation extends WithParts<WriterParts> {}
