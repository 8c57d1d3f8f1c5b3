import { decide } from '../../../email/lifecycle.ts'
import { RecipientQuery } from '../recipient-rows.ts'
import { all, one } from '../rows.ts'
import { WriteOperation } from './parts.ts'

/** Recipients given back in one operation, so that a long recovery does not hold up commits. */
const CHUNK = 500

/**
 * From this many failed emails on, the damage is blamed on the lane. Fewer may fail beside one damaged page: a row that
 * is given back grows by its due time, SQLite then moves rows between neighbouring pages, and about this many emails
 * fit on two pages.
 */
const NEIGHBOURS = 300

const UNDER_LEASE = 'what is being sent'

interface RecoveryRow {
  email: number
  position: number
}

/** Takes back the leases of nodes that are no longer in service. */
export class Recovery extends WriteOperation {
  readonly #node = this.db.prepare('SELECT 1 AS there FROM nodes WHERE token = ?')
  readonly #tokenAfter = this.db.prepare(
    `SELECT lease AS token FROM recipients INDEXED BY recipients_sending
     WHERE state = 'sending' AND lease > ? ORDER BY lease LIMIT 1`,
  )
  readonly #leased = this.db.prepare(
    `SELECT email, position FROM recipients INDEXED BY recipients_sending
     WHERE state = 'sending' AND lease = ? AND (email, position) > (?, ?) ORDER BY email, position LIMIT ?`,
  )
  readonly #unsuspected = new RecipientQuery(
    this.db,
    "WHERE r.email = ? AND r.state = 'waiting' AND r.suspicion = 0",
  )

  /**
   * Gives back at most a chunk of recipients; 0 when none is left. They are due within `jitterMs` from `now`. Damaged
   * rows stay as they are, and are reported.
   */
  chunk({ now, jitterMs }: { now: number; jitterMs: number }): number {
    const { damage, lanes, changes } = this.parts
    if (damage.index(UNDER_LEASE, now)) return 0
    return damage.inIndex(UNDER_LEASE, now, () => {
      let recovered = 0
      for (
        let token = this.#after(Number.MIN_SAFE_INTEGER);
        token !== undefined;
        token = this.#after(token)
      ) {
        if (recovered >= CHUNK) break
        if (one(this.#node, token) !== undefined) continue
        recovered += this.#giveBackFrom(token, CHUNK - recovered, now, jitterMs)
      }
      lanes.writeAround(now)
      if (recovered > 0) changes.queue = true
      return recovered
    })
  }

  #after(token: number): number | undefined {
    return one<{ token: number }>(this.#tokenAfter, token)?.token
  }

  #giveBackFrom(token: number, limit: number, now: number, jitterMs: number): number {
    let recovered = 0
    let last: RecoveryRow = { email: Number.MIN_SAFE_INTEGER, position: 0 }
    while (recovered < limit) {
      const rows = all<RecoveryRow>(this.#leased, token, last.email, last.position, limit - recovered)
      if (rows.length === 0) break
      last = rows.at(-1)!
      for (const row of rows) if (this.#giveBackOne(row, now, spread(row.email) * jitterMs)) recovered++
      for (const email of new Set(rows.map((row) => row.email))) this.#suspectOthers(email, now)
    }
    return recovered
  }

  /**
   * Marks the email's other recipients as suspect, because the dangerous content may be in all copies and must not
   * crash the next process.
   */
  #suspectOthers(email: number, now: number): void {
    const { damage, recipients } = this.parts
    if (damage.email(email, now)) return
    damage.inEmail(email, now, () => {
      for (const before of this.#unsuspected.all(email)) {
        recipients.apply(before, decide(before, { kind: 'suspect', suspicion: 1 })!, now)
      }
    })
  }

  #giveBackOne({ email, position }: RecoveryRow, now: number, delay: number): boolean {
    const { damage, recipients } = this.parts
    if (damage.email(email, now)) return false
    const before = damage.inEmail(email, now, () => recipients.find(email, position)!)
    if (damage.lane(before.company, before.domain, now)) return false
    const { company, domain } = before
    damage.inRecipient({ email, company, domain, laneAt: NEIGHBOURS }, now, () => {
      recipients.apply(before, decide(before, { kind: 'node-lost', at: now, dueAt: now + delay })!, now)
    })
    return true
  }
}

/**
 * A number from 0 to 1, scattered by Fibonacci hashing; the same for all recipients of an email, so that they may share
 * a transaction.
 */
function spread(email: number): number {
  return (Math.imul(email, 0x9e37_79b9) >>> 0) / 2 ** 32
}
