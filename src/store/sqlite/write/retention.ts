import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RetentionRequest } from '../../store.ts'
import { all, one } from '../rows.ts'
import { IDEMPOTENCY_MS } from './accept.ts'
import type { Contents } from './contents.ts'

/** Emails looked at in one operation at most, touched or not, so that it does not hold up commits. */
const LOOKS = 500

const START: Candidate = { createdAt: Number.MIN_SAFE_INTEGER, num: 0 }

interface Candidate {
  num: number
  createdAt: number
}

/**
 * Removes what is older than it needs to be, in small steps: content first, later the email with all that hangs on it.
 * Emails with recipients still waiting or under way are left alone.
 */
export class Retention {
  readonly #contents: Contents
  /** Where the walks over the ages go on: everything before is unfinished or gone. */
  #contentFrom = START
  #emailFrom = START
  readonly #withContent: StatementSync
  readonly #emails: StatementSync
  readonly #live: StatementSync
  readonly #forgetKeys: StatementSync
  readonly #deletes: StatementSync[]

  constructor(db: DatabaseSync, contents: Contents) {
    this.#contents = contents
    this.#withContent = db.prepare(
      `SELECT email AS num, created_at AS createdAt FROM contents INDEXED BY contents_by_age
       WHERE (created_at, email) > (?, ?) AND created_at < ? ORDER BY created_at, email LIMIT ?`,
    )
    this.#emails = db.prepare(
      `SELECT num, created_at AS createdAt FROM emails INDEXED BY emails_by_age
       WHERE (created_at, num) > (?, ?) AND created_at < ? ORDER BY created_at, num LIMIT ?`,
    )
    this.#live = db.prepare(
      "SELECT 1 AS live FROM recipients WHERE email = ? AND state IN ('waiting', 'leased') LIMIT 1",
    )
    this.#forgetKeys = db.prepare(
      `DELETE FROM idempotency WHERE (company, key) IN
       (SELECT company, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
    )
    this.#deletes = [
      db.prepare('DELETE FROM events WHERE email = ?'),
      db.prepare('DELETE FROM attempts WHERE email = ?'),
      db.prepare('DELETE FROM held_recipients WHERE email = ?'),
      db.prepare('DELETE FROM cancel_requests WHERE email = ?'),
      db.prepare('DELETE FROM recipients WHERE email = ?'),
      db.prepare('DELETE FROM emails WHERE num = ?'),
    ]
  }

  /** A transaction was undone: walk again from the start. */
  forget(): void {
    this.#contentFrom = START
    this.#emailFrom = START
  }

  /** `done`: a whole walk has ended, and the next step starts over. */
  step({ contentBefore, emailsBefore, limit }: RetentionRequest): { touched: number; done: boolean } {
    const keys = Number(this.#forgetKeys.run(Date.now() - IDEMPOTENCY_MS, limit).changes)
    const content = this.#walk(this.#withContent, this.#contentFrom, contentBefore, limit, (num) => {
      this.#contents.remove(num)
    })
    this.#contentFrom = content.reached
    let { touched } = content
    let done = content.done && keys < limit
    if (touched < limit && content.done) {
      const emails = this.#walk(this.#emails, this.#emailFrom, emailsBefore, limit - touched, (num) => {
        this.#contents.remove(num)
        for (const statement of this.#deletes) statement.run(num)
      })
      this.#emailFrom = emails.reached
      touched += emails.touched
      done &&= emails.done
    }
    if (done) this.forget()
    return { touched, done }
  }

  #walk(
    statement: StatementSync,
    from: Candidate,
    before: number,
    limit: number,
    remove: (num: number) => void,
  ): { touched: number; reached: Candidate; done: boolean } {
    const candidates = all<Candidate>(statement, from.createdAt, from.num, before, LOOKS)
    let touched = 0
    let reached = from
    for (const candidate of candidates) {
      if (touched === limit) return { touched, reached, done: false }
      reached = candidate
      if (one(this.#live, candidate.num) !== undefined) continue
      remove(candidate.num)
      touched++
    }
    return { touched, reached, done: candidates.length < LOOKS }
  }
}
