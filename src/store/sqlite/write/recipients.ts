import type { Decision, Facts } from '../../../email/lifecycle.ts'
import { WithParts } from '../connection.ts'
import { RecipientQuery, type SqliteRecipient } from '../recipient-rows.ts'
import type { EmailEvents } from './email-events.ts'
import type { NumberedEmail } from './email-numbers.ts'
import type { LaneChanges } from './lane-changes.ts'
import type { Suppressions } from './suppressions.ts'

interface RecipientParts {
  events: EmailEvents
  lanes: LaneChanges
  suppressions: Suppressions
}

/** Reads the facts that decisions rest on, and writes the decisions. It decides nothing itself. */
export class Recipients extends WithParts<RecipientParts> {
  readonly #one = new RecipientQuery(this.db, 'WHERE r.email = ? AND r.position = ?')
  readonly #live = new RecipientQuery(
    this.db,
    "WHERE r.email = ? AND r.state IN ('waiting', 'sending', 'quarantined') ORDER BY r.position",
  )
  readonly #update = this.db.prepare(
    `UPDATE recipients SET state = ?, due_at = ?, lease = ?, attempts = ?, uncertain = ?, preferred_server = ?,
       postponed_since = ?, suspicion = ?, server = ?, last_code = ?, last_message = ?
     WHERE email = ? AND position = ?`,
  )
  readonly #end = this.db.prepare(
    `UPDATE recipients SET state = ?, lease = NULL, attempts = ?, uncertain = ?, preferred_server = ?, postponed_since = ?,
       suspicion = ?, server = ?, last_code = ?, last_message = ?
     WHERE email = ? AND position = ? AND state = 'sending' AND lease = ? AND cancel = 0`,
  )
  // Columns that rarely change have separate statements, so that other changes leave their indexes alone.
  readonly #hold = this.db.prepare(
    `UPDATE recipients SET held_for = ?1, held_domain = iif(?1 IS NULL, NULL, (SELECT domain_id FROM emails WHERE num = ?2))
     WHERE email = ?2 AND position = ?3`,
  )
  readonly #requestCancel = this.db.prepare(
    'UPDATE recipients SET cancel = ? WHERE email = ? AND position = ?',
  )

  find(email: number, position: number): SqliteRecipient | undefined {
    return this.#one.one(email, position)
  }

  /** The recipients of an email that wait, are being sent or in quarantine. */
  live(email: number): SqliteRecipient[] {
    return this.#live.all(email)
  }

  /**
   * Writes a decision about a recipient: its row, its events, and its address on the suppression list. Notes the change
   * of its lane (`LaneChanges`). A recipient that is being sent after the decision is leased under `token`. Returns its
   * present state. `at` in Unix ms.
   */
  apply(
    before: SqliteRecipient,
    { change, events, suppress }: Decision,
    at: number,
    token: number | null = before.lease,
  ): Facts {
    const after = change === null ? before : { ...before, ...change }
    const { email, company, position } = before
    if (change !== null) this.#write(before, after, token)
    for (const event of events) this.parts.events.append(email, company, position, event)
    if (suppress !== null) {
      this.parts.suppressions.addOf(before, suppress, at)
    }
    return after
  }

  /**
   * Writes the usual end of an attempt without reading the row first, because such a decision does not depend on it.
   * False, and nothing is written, when the decision is of another kind, or the recipient is not being sent under
   * `token`, or its cancellation was requested.
   */
  end(
    email: NumberedEmail,
    position: number,
    { change, events, suppress, tried }: Decision,
    token: number,
  ): boolean {
    if (!tried || change === null || suppress !== null || change.state === 'waiting') return false
    const ended = this.#end.run(
      change.state!,
      change.attempts!,
      change.uncertain ? 1 : 0,
      change.preferredServer!,
      change.postponedSince!,
      change.suspicion!,
      change.server!,
      change.lastCode!,
      change.lastMessage!,
      email.num,
      position,
      token,
    )
    if (ended.changes === 0) return false
    for (const event of events) this.parts.events.append(email.num, email.company, position, event)
    return true
  }

  #write(before: SqliteRecipient, after: SqliteRecipient, token: number | null): void {
    const { email, position } = before
    this.#update.run(
      after.state,
      after.dueAt === null ? null : Math.round(after.dueAt),
      after.state === 'sending' ? token : null,
      after.attempts,
      after.uncertain ? 1 : 0,
      after.preferredServer,
      after.postponedSince,
      after.suspicion,
      after.server,
      after.lastCode,
      after.lastMessage,
      email,
      position,
    )
    if (after.heldFor !== before.heldFor) this.#hold.run(after.heldFor, email, position)
    if (after.cancelRequested !== before.cancelRequested) {
      this.#requestCancel.run(after.cancelRequested ? 1 : 0, email, position)
    }
    this.parts.lanes.note(before, before, after)
  }
}
