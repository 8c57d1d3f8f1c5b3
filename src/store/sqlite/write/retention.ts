import type { StatementSync } from 'node:sqlite'
import { KEY_REMEMBERED_MS } from '../../../email/queued-email.ts'
import { latestDue, periodOf } from '../../shorter-retention.ts'
import type { RetentionRequest, ShorterRetention, ShorterRetentionStep } from '../../store.ts'
import { all, one } from '../rows.ts'
import { WriteOperation } from './parts.ts'
import type { StateCache } from './state-caches.ts'

/** The most emails that one operation looks at, whether or not it removes them, so that it does not hold up commits. */
const LOOKS = 500
/**
 * Emails read at once. A walk ends when this many in a row are too young: a clock may have been set back, so ages may
 * be out of order.
 */
const STRIDE = 100

interface ExpiryCandidate {
  num: number
  createdAt: number
}

interface OwnedContent extends ExpiryCandidate {
  /** Ids. */
  domainId: string
  companyId: string
}

interface WalkResult {
  touched: number
  /** The last number looked at. */
  reached: number
  /** True when no later email is old enough. */
  done: boolean
}

/**
 * Removes expired data in small steps: content first, later the whole email with all its rows. Emails with recipients
 * waiting or being sent are left alone. Emails are numbered in the order of acceptance, so the oldest are found by
 * walking along the numbers.
 */
export class Retention extends WriteOperation implements StateCache {
  /** Where the walks continue: every email before these numbers is unfinished or gone. */
  #contentFrom = 0
  #emailFrom = 0
  readonly #withContent = this.db.prepare(
    'SELECT email AS num, created_at AS createdAt FROM contents WHERE email > ? ORDER BY email LIMIT ?',
  )
  readonly #ownedContent = this.db.prepare(
    `SELECT k.email AS num, k.created_at AS createdAt, e.domain_id AS domainId, c.id AS companyId
     FROM contents k JOIN emails e ON e.num = k.email JOIN companies c ON c.num = e.company
     WHERE k.email > ? ORDER BY k.email LIMIT ?`,
  )
  readonly #emails = this.db.prepare(
    'SELECT num, created_at AS createdAt FROM emails WHERE num > ? ORDER BY num LIMIT ?',
  )
  readonly #live = this.db.prepare(
    "SELECT 1 AS live FROM recipients WHERE email = ? AND state IN ('waiting', 'sending', 'quarantined') LIMIT 1",
  )
  readonly #forgetKeys = this.db.prepare(
    `DELETE FROM idempotency WHERE (company, key) IN
     (SELECT company, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  )
  readonly #forgetCompanyEvents = this.db.prepare(
    'DELETE FROM events WHERE number IN (SELECT number FROM events WHERE email IS NULL AND at < ? LIMIT ?)',
  )
  readonly #deletes = [
    this.db.prepare('DELETE FROM events WHERE email = ?'),
    this.db.prepare('DELETE FROM attempts WHERE email = ?'),
    this.db.prepare('DELETE FROM recipients WHERE email = ?'),
    this.db.prepare('DELETE FROM emails WHERE num = ?'),
  ]

  /** A transaction was rolled back: walk again from the start. */
  forget(): void {
    this.#contentFrom = 0
    this.#emailFrom = 0
  }

  /** `done`: a whole walk has ended, and the next step starts over. */
  step({ contentBefore, emailsBefore, limit }: RetentionRequest): { touched: number; done: boolean } {
    const keys = Number(this.#forgetKeys.run(Date.now() - KEY_REMEMBERED_MS, limit).changes)
    const content = this.#walk(this.#withContent, this.#contentFrom, contentBefore, limit, (num) => {
      this.parts.contents.remove(num)
    })
    this.#contentFrom = content.reached
    let { touched } = content
    const ofCompanies = Number(this.#forgetCompanyEvents.run(Math.round(emailsBefore), limit).changes)
    let done = content.done && keys < limit && ofCompanies < limit
    if (touched < limit && content.done) {
      const gone: number[] = []
      const emails = this.#walk(this.#emails, this.#emailFrom, emailsBefore, limit - touched, (num) => {
        this.#remove(num)
        gone.push(num)
      })
      this.parts.numbers.removed(gone)
      this.#emailFrom = emails.reached
      touched += emails.touched
      done &&= emails.done
    }
    if (done) this.forget()
    return { touched, done }
  }

  /**
   * Removes content that some companies and domains keep for a shorter time. Stops at the first email that is younger
   * than every period, so that the next step continues there. Emails from the future are passed over.
   */
  shorterStep(request: ShorterRetention): ShorterRetentionStep {
    const { now, after, limit } = request
    const latest = latestDue(request)
    let reached = after
    let touched = 0
    const candidates = all<OwnedContent>(this.#ownedContent, Number(after ?? 0), LOOKS)
    for (const { num, createdAt, ...owner } of candidates) {
      if (touched === limit) return { touched, reached, done: false }
      if (createdAt >= latest && createdAt <= now) return { touched, reached, done: true }
      reached = String(num)
      if (createdAt >= now - periodOf(request, owner) || one(this.#live, num) !== undefined) continue
      this.parts.contents.remove(num)
      touched++
    }
    return { touched, reached, done: candidates.length < LOOKS }
  }

  /** Removes emails by their ids, unless they are live; returns the ids of those removed. */
  remove(ids: readonly string[]): string[] {
    const { numbers } = this.parts
    const gone: number[] = []
    const removed = ids.filter((id) => {
      const place = numbers.find(id)
      if (place === undefined || one(this.#live, place.num) !== undefined) return false
      this.#remove(place.num)
      gone.push(place.num)
      return true
    })
    numbers.removed(gone)
    return removed
  }

  #remove(num: number): void {
    this.parts.contents.remove(num)
    for (const statement of this.#deletes) statement.run(num)
  }

  #walk(
    statement: StatementSync,
    from: number,
    before: number,
    limit: number,
    remove: (num: number) => void,
  ): WalkResult {
    const now = Date.now()
    let touched = 0
    let reached = from
    for (let looks = 0; looks < LOOKS; looks += STRIDE) {
      const candidates = all<ExpiryCandidate>(statement, reached, STRIDE)
      let young = 0
      for (const { num, createdAt } of candidates) {
        if (touched === limit) return { touched, reached, done: false }
        reached = num
        if (createdAt >= before) {
          // An email that seems to come from the future does not show that the others are young.
          if (createdAt <= now) young++
        } else if (one(this.#live, num) === undefined) {
          remove(num)
          touched++
        }
      }
      if (candidates.length < STRIDE || young === STRIDE) return { touched, reached, done: true }
    }
    return { touched, reached, done: false }
  }
}
