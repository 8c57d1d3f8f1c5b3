import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { HeldRelease } from '../../store.ts'
import type { HeldChunk, HeldPlace } from '../protocol.ts'
import { all, one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { Lanes } from './lanes.ts'

/** Recipients released in one operation, so that a long list does not hold up commits. */
const CHUNK = 500

/** Recipients that wait only because their sending domain may not send. */
export class Holds {
  readonly #lanes: Lanes
  readonly #changes: Changes
  readonly #hold: StatementSync
  readonly #held: StatementSync
  readonly #drop: StatementSync
  readonly #due: StatementSync

  constructor(db: DatabaseSync, { lanes, changes }: { lanes: Lanes; changes: Changes }) {
    this.#lanes = lanes
    this.#changes = changes
    this.#hold = db.prepare(
      'INSERT OR REPLACE INTO held_recipients (domain_id, email, position, due_at) VALUES (?, ?, ?, ?)',
    )
    this.#held = db.prepare(
      `SELECT email, position, due_at AS dueAt FROM held_recipients
       WHERE domain_id = ? AND (email, position) > (?, ?) AND due_at < ? ORDER BY email, position LIMIT ?`,
    )
    this.#drop = db.prepare('DELETE FROM held_recipients WHERE domain_id = ? AND email = ? AND position = ?')
    this.#due = db.prepare(
      `UPDATE recipients SET due_at = ? WHERE email = ? AND position = ? AND state = 'waiting' AND due_at = ?
       RETURNING company, domain`,
    )
  }

  hold(domainId: string, email: number, position: number, dueAt: number): void {
    this.#hold.run(domainId, email, position, dueAt)
  }

  /** Makes at most a chunk of the domain's held recipients due now, after the place that the chunk before came to. */
  releaseChunk(domainId: string, { now, dueBefore }: HeldRelease, place: HeldPlace | null): HeldChunk {
    const { email: after, position: behind } = place ?? { email: -1, position: -1 }
    const held = all<HeldPlace & { dueAt: number }>(this.#held, domainId, after, behind, dueBefore, CHUNK)
    for (const { email, position, dueAt } of held) {
      this.#drop.run(domainId, email, position)
      const place = one<{ company: number; domain: string }>(this.#due, now, email, position, dueAt)
      if (place !== undefined) this.#lanes.refresh(place.company, place.domain, 0)
    }
    if (held.length > 0) this.#changes.queue = true
    const last = held.length < CHUNK ? undefined : held.at(-1)
    return { released: held.length, next: last === undefined ? null : last }
  }
}
