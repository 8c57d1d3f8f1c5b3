import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Lease } from '../../store.ts'
import { all, one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { Damage } from './damage.ts'
import type { Lanes } from './lanes.ts'

/** Recipients given back in one operation, so that a long recovery does not hold up commits. */
const CHUNK = 500

const UNDER_WAY = 'what is under way'

interface Row {
  email: number
  position: number
}

export interface LeaseParts {
  lanes: Lanes
  damage: Damage
  changes: Changes
}

/** Fencing tokens, the ends of their leases, and taking back what an ended lease held. */
export class Leases {
  readonly #parts: LeaseParts
  /** Written in this transaction already: most emails of a group commit come under one lease. */
  #held: Lease | null = null
  readonly #reserve: StatementSync
  readonly #hold: StatementSync
  readonly #renew: StatementSync
  readonly #until: StatementSync
  readonly #tokenAfter: StatementSync
  readonly #leased: StatementSync
  readonly #lane: StatementSync
  readonly #giveBack: StatementSync
  readonly #dropEnded: StatementSync

  constructor(db: DatabaseSync, parts: LeaseParts) {
    this.#parts = parts
    this.#reserve = db.prepare("UPDATE counters SET value = value + ? WHERE name = 'lease' RETURNING value")
    this.#hold = db.prepare(
      `INSERT INTO leases (token, until) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET until = excluded.until WHERE excluded.until > until`,
    )
    this.#renew = db.prepare('UPDATE leases SET until = max(until, ?) WHERE token = ?')
    this.#until = db.prepare('SELECT until FROM leases WHERE token = ?')
    this.#tokenAfter = db.prepare(
      `SELECT lease AS token FROM recipients INDEXED BY recipients_leased
       WHERE state = 'leased' AND lease > ? ORDER BY lease LIMIT 1`,
    )
    this.#leased = db.prepare(
      `SELECT email, position FROM recipients INDEXED BY recipients_leased
       WHERE state = 'leased' AND lease = ? AND (email, position) > (?, ?) ORDER BY email, position LIMIT ?`,
    )
    this.#lane = db.prepare('SELECT company, domain FROM recipients WHERE email = ? AND position = ?')
    this.#giveBack = db.prepare(
      "UPDATE recipients SET state = 'waiting', lease = NULL, due_at = ? WHERE email = ? AND position = ?",
    )
    this.#dropEnded = db.prepare(
      `DELETE FROM leases WHERE until < ?
       AND NOT EXISTS (SELECT 1 FROM recipients WHERE state = 'leased' AND lease = token)`,
    )
  }

  /** A new transaction: nothing has been written in it. */
  begin(): void {
    this.#held = null
  }

  /** Sets `count` tokens aside; the answer is the highest of them. */
  reserveTokens(count: number): number {
    return one<{ value: number }>(this.#reserve, count)!.value
  }

  /** The lease now holds recipients. */
  hold(lease: Lease): void {
    if (this.#held?.token === lease.token && this.#held.until === lease.until) return
    this.#hold.run(lease.token, Math.round(lease.until))
    this.#held = lease
  }

  renew(tokens: number[], until: number): void {
    for (const token of tokens) this.#renew.run(Math.round(until), token)
  }

  /**
   * Gives back at most a chunk of recipients; 0 when none is left. They are due within `jitterMs` from `now`. What is damaged
   * stays as it is, and is told.
   */
  recoverChunk({ now, all: any, jitterMs }: { now: number; all: boolean; jitterMs: number }): number {
    const { damage, changes } = this.#parts
    if (!damage.none && damage.index(UNDER_WAY, now)) return 0
    return damage.inIndex(UNDER_WAY, now, () => {
      let recovered = 0
      for (
        let token = this.#after(Number.MIN_SAFE_INTEGER);
        token !== undefined;
        token = this.#after(token)
      ) {
        if (recovered >= CHUNK) break
        const until = one<{ until: number }>(this.#until, token)?.until
        if (!any && until !== undefined && until >= now) continue
        recovered += this.#giveBackFrom(token, CHUNK - recovered, now, jitterMs)
      }
      if (recovered > 0) changes.queue = true
      else this.#dropEnded.run(now)
      return recovered
    })
  }

  #after(token: number): number | undefined {
    return one<{ token: number }>(this.#tokenAfter, token)?.token
  }

  #giveBackFrom(token: number, limit: number, now: number, jitterMs: number): number {
    let recovered = 0
    let last: Row = { email: Number.MIN_SAFE_INTEGER, position: 0 }
    while (recovered < limit) {
      const rows = all<Row>(this.#leased, token, last.email, last.position, limit - recovered)
      if (rows.length === 0) break
      last = rows.at(-1)!
      for (const row of rows) if (this.#giveBackOne(row, now, Math.random() * jitterMs)) recovered++
    }
    return recovered
  }

  #giveBackOne({ email, position }: Row, now: number, delay: number): boolean {
    const { damage } = this.#parts
    if (!damage.none && damage.email(email, now)) return false
    const { company, domain } = damage.inEmail(email, now, () => {
      return one<{ company: number; domain: string }>(this.#lane, email, position)!
    })
    if (!damage.none && damage.lane(company, domain, now)) return false
    const dueAt = Math.round(now + delay)
    damage.inRecipient(email, company, domain, now, () => {
      this.#giveBack.run(dueAt, email, position)
      this.#parts.lanes.add(company, domain, dueAt)
    })
    return true
  }
}
