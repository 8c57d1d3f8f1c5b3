import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Lease } from '../../store.ts'
import { all, one } from '../rows.ts'
import type { Changes } from './changes.ts'
import type { Lanes } from './lanes.ts'

/** Recipients given back in one operation, so that a long recovery does not hold up commits. */
const CHUNK = 500

/** Fencing tokens, the ends of their leases, and taking back what an ended lease held. */
export class Leases {
  readonly #lanes: Lanes
  readonly #changes: Changes
  /** Written in this transaction already: most emails of a group commit come under one lease. */
  #held: Lease | null = null
  readonly #reserve: StatementSync
  readonly #hold: StatementSync
  readonly #renew: StatementSync
  readonly #until: StatementSync
  readonly #tokenAfter: StatementSync
  readonly #leased: StatementSync
  readonly #giveBack: StatementSync
  readonly #dropEnded: StatementSync

  constructor(db: DatabaseSync, lanes: Lanes, changes: Changes) {
    this.#lanes = lanes
    this.#changes = changes
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
      `SELECT email, position, company, domain FROM recipients INDEXED BY recipients_leased
       WHERE state = 'leased' AND lease = ? LIMIT ?`,
    )
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

  /** Gives back at most a chunk of recipients; 0 when none is left. They are due within `jitterMs` from `now`. */
  recoverChunk({ now, all: any, jitterMs }: { now: number; all: boolean; jitterMs: number }): number {
    let token = Number.MIN_SAFE_INTEGER
    let recovered = 0
    while (recovered < CHUNK) {
      const next = one<{ token: number }>(this.#tokenAfter, token)
      if (next === undefined) break
      token = next.token
      const until = one<{ until: number }>(this.#until, token)?.until
      if (!any && until !== undefined && until >= now) continue
      recovered += this.#giveBackFrom(token, CHUNK - recovered, now, jitterMs)
    }
    if (recovered > 0) this.#changes.queue = true
    else this.#dropEnded.run(now)
    return recovered
  }

  #giveBackFrom(token: number, limit: number, now: number, jitterMs: number): number {
    const rows = all<{ email: number; position: number; company: number; domain: string }>(
      this.#leased,
      token,
      limit,
    )
    for (const { email, position, company, domain } of rows) {
      const dueAt = Math.round(now + Math.random() * jitterMs)
      this.#giveBack.run(dueAt, email, position)
      this.#lanes.add(company, domain, dueAt)
    }
    return rows.length
  }
}
