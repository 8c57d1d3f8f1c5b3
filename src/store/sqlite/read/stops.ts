import type { NewSuppressions, Pause } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { all, one } from '../rows.ts'

/** What keeps mail from going out, for a node that holds some. */
export class StopReader extends OnConnection {
  readonly #pauses = this.db.prepare(
    `SELECT c.id AS companyId, nullif(p.domain, '') AS domain, p.since
     FROM pauses p LEFT JOIN companies c ON c.num = p.company ORDER BY p.company, p.domain`,
  )
  readonly #latest = this.db.prepare("SELECT value FROM counters WHERE name = 'suppressions'")
  readonly #suppressed = this.db.prepare(
    `SELECT c.id AS companyId, s.address FROM suppressions s INDEXED BY suppressions_by_seq
     CROSS JOIN companies c ON c.num = s.company WHERE s.seq > ?`,
  )

  pauses(): Pause[] {
    return all<Pause>(this.#pauses).map((row) => ({ ...row }))
  }

  suppressionsSince(cursor: string | null): NewSuppressions {
    const latest = one<{ value: number }>(this.#latest)!.value
    const added =
      cursor === null
        ? []
        : all<NewSuppressions['added'][number]>(this.#suppressed, Number(cursor)).map((row) => ({ ...row }))
    return { cursor: String(latest), added }
  }
}
