import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ClaimedEmail, ClaimRequest } from '../../store.ts'
import { isCorruption } from '../database.ts'
import { ContentDamaged, claimedRecipient, type RecipientRow, type Work, WorkReader } from '../read/work.ts'
import { all, one } from '../rows.ts'
import { suppressedEvent } from './accept.ts'
import type { CompanyNumbers } from './companies.ts'
import type { EmailEvents, NewEvent } from './email-events.ts'
import type { Lanes } from './lanes.ts'
import type { Leases } from './leases.ts'
import type { Suppressions } from './suppressions.ts'

/** Lanes looked into in one turn of a company before the turn passes on; bounds the time a claim takes. */
const LOOKS_PER_TURN = 100

export interface ClaimParts {
  companies: CompanyNumbers
  events: EmailEvents
  lanes: Lanes
  leases: Leases
  suppressions: Suppressions
}

/** What one claim has gathered so far. */
interface Gathering {
  request: ClaimRequest
  skip: ReadonlySet<string>
  works: Map<number, Work>
  recipients: number
  bytes: number
}

/**
 * Takes due work under a lease. Companies take turns, each turn brings recipients of one email; the lanes of a company take
 * turns too. So a company or a destination with a million waiting recipients is one among others.
 */
export class Claim {
  readonly #parts: ClaimParts
  readonly #works: WorkReader
  readonly #firstDue: StatementSync
  readonly #due: StatementSync
  readonly #lease: StatementSync
  readonly #end: StatementSync
  readonly #markSent: StatementSync

  constructor(db: DatabaseSync, parts: ClaimParts) {
    this.#parts = parts
    this.#works = new WorkReader(db)
    this.#firstDue = db.prepare(
      `SELECT email FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'waiting' AND company = ? AND domain = ? AND due_at <= ? ORDER BY due_at LIMIT 1`,
    )
    this.#due = db.prepare(
      `SELECT position, address, domain, attempts, variables, preferred_server AS preferredServer,
              uncertain
       FROM recipients WHERE email = ? AND state = 'waiting' AND due_at <= ? ORDER BY domain <> ?, position`,
    )
    this.#lease = db.prepare(
      `UPDATE recipients SET state = 'leased', lease = ?, due_at = NULL WHERE email = ? AND position = ?`,
    )
    this.#end = db.prepare(
      `UPDATE recipients SET state = ?, due_at = NULL, last_message = ? WHERE email = ? AND position = ?`,
    )
    this.#markSent = db.prepare('UPDATE emails SET sent = 1 WHERE num = ?')
  }

  claim(request: ClaimRequest): ClaimedEmail[] {
    const { lanes, leases } = this.#parts
    const gathering: Gathering = {
      request,
      skip: new Set(request.skip),
      works: new Map(),
      recipients: 0,
      bytes: 0,
    }
    const full = new Set(request.skipCompanies)
    let active = lanes
      .due(request.now)
      .filter((company) => !full.has(this.#parts.companies.id(company)))
      .map((company) => ({ company, taken: 0 }))
    while (active.length > 0 && gathering.recipients < request.maxRecipients) {
      active = active.filter((entry, index) => {
        const left = request.maxRecipients - gathering.recipients
        if (left <= 0) return false
        const share = Math.max(1, Math.floor(left / (active.length - index)))
        const taken = this.#turn(
          gathering,
          entry.company,
          Math.min(share, request.maxPerCompany - entry.taken),
        )
        if (taken > 0) lanes.served(entry.company)
        entry.taken += taken
        return taken > 0 && entry.taken < request.maxPerCompany
      })
    }
    if (gathering.works.size > 0) leases.hold(request.lease)
    return [...gathering.works.values()].map(({ email }) => email)
  }

  /** Takes at most `room` recipients of one email of the company's next lane. Returns how many; 0 ends its turns. */
  #turn(gathering: Gathering, company: number, room: number): number {
    const { lanes } = this.#parts
    const { request, skip } = gathering
    if (room <= 0) return 0
    const companyId = this.#parts.companies.id(company)
    let looks = 0
    for (let ready = lanes.ready(company); ready > 0 && looks < LOOKS_PER_TURN; ready--) {
      const domain = lanes.take(company)
      if (domain === undefined) break
      if (skip.has(laneName(companyId, domain))) {
        lanes.putBack(company, domain)
        continue
      }
      looks++
      const first = one<{ email: number }>(this.#firstDue, company, domain, request.now)
      if (first === undefined) {
        lanes.refresh(company, domain)
        continue
      }
      const work = this.#open(gathering, first.email)
      if (work === 'no room') {
        lanes.keepFirst(company, domain)
        return 0
      }
      const due = all<RecipientRow>(this.#due, first.email, request.now, domain)
      const taken =
        work instanceof ContentDamaged
          ? this.#fail(first.email, due, request.now, work.message)
          : this.#take(gathering, work, due, room)
      for (const touched of new Set([domain, ...due.map((row) => row.domain)]))
        lanes.refresh(company, touched)
      if (taken > 0) return taken
    }
    return 0
  }

  #open(gathering: Gathering, num: number): Work | 'no room' | ContentDamaged {
    const known = gathering.works.get(num)
    if (known !== undefined) return known
    const row = this.#works.head(num)
    if (row === undefined) return new ContentDamaged('the email itself is missing')
    const { works, bytes, request } = gathering
    if (works.size > 0 && bytes + row.size > request.maxBytes) return 'no room'
    try {
      return this.#works.load(row)
    } catch (error) {
      if (error instanceof ContentDamaged) return error
      if (isCorruption(error)) return new ContentDamaged('its pages in the database are damaged')
      throw error
    }
  }

  #take(gathering: Gathering, work: Work, due: readonly RecipientRow[], room: number): number {
    const { request, skip, works } = gathering
    const { num, company, email } = work
    const events: NewEvent[] = []
    let taken = 0
    for (const row of due) {
      if (taken === room) break
      if (skip.has(laneName(email.companyId, row.domain))) continue
      const reason = this.#parts.suppressions.reason(company, email.testMode, row)
      if (reason !== null) {
        const event = suppressedEvent(row.position, request.now, reason)
        this.#end.run('suppressed', event.detail.message ?? null, num, row.position)
        events.push(event)
        continue
      }
      const recipient = claimedRecipient(row)
      if (recipient instanceof ContentDamaged) {
        this.#fail(num, [row], request.now, recipient.message)
        continue
      }
      this.#lease.run(request.lease.token, num, row.position)
      email.recipients.push(recipient)
      taken++
    }
    if (taken > 0 && !work.sent) {
      work.sent = true
      this.#markSent.run(num)
      events.unshift({ recipient: null, type: 'sent', at: request.now, detail: {} })
    }
    this.#parts.events.append(num, events)
    if (taken > 0 && !works.has(num)) {
      works.set(num, work)
      gathering.bytes += email.size
    }
    gathering.recipients += taken
    return taken
  }

  /** What cannot be read back ends with a visible event instead of holding up the rest. Returns 0: nothing was taken. */
  #fail(num: number, due: readonly RecipientRow[], at: number, why: string): 0 {
    const message = `Not sent: ${why}. Restore it from a backup, or have the sender hand it in again`
    for (const { position } of due) this.#end.run('failed', message, num, position)
    const events = due.map(({ position }): NewEvent => {
      return { recipient: position, type: 'failed', at, detail: { message } }
    })
    this.#parts.events.append(num, events)
    return 0
  }
}

function laneName(companyId: string, domain: string): string {
  return `${companyId}\0${domain}`
}
