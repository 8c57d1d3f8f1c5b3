import { born } from '../../email/lifecycle/birth.ts'
import { type Accepted, type Lease, type NewEmail, StoreConflict, StoreUnavailable } from '../store.ts'
import { insertEmails } from './accept-statement.ts'
import { Batcher } from './batcher.ts'
import { keepFileNames, keepFiles } from './blobs.ts'
import type { ChangeFeed } from './changes.ts'
import type { CompanyNumbers } from './companies.ts'
import type { Database, Session } from './database.ts'
import type { Entry } from './entry.ts'
import { isDuplicate, isRefusedData, OutcomeUnknown } from './faults.ts'
import { judge, noteRepeated, takeKeys } from './idempotency.ts'
import type { Repairs } from './repairs.ts'
import { isEmailId } from './rows.ts'
import { withdraw } from './withdrawals.ts'

/** Bounds of one group: so many emails, and past the first so many octets. */
const MAX_EMAILS = 100
const MAX_OCTETS = 8 * 1024 * 1024
/** What an email and a recipient weigh beside the content, in octets. */
const EMAIL_WEIGHT = 1_000
const RECIPIENT_WEIGHT = 200
const MAX_RUNNING = 3
const WORTHWHILE = 40
/** Milliseconds between two attempts to find out what became of a commit. */
const SEEK_PAUSE_MS = 250

export interface AcceptanceParts {
  database: Database
  companies: CompanyNumbers
  changes: ChangeFeed
  repairs: Repairs
  /** Milliseconds for which a lost commit's outcome is sought before the sender is told that nothing was accepted. */
  seekMs: number
}

/**
 * Makes emails durable in groups. One that fails does so alone. A group whose commit may or may not have taken place
 * (the connection was lost) is entered again under the same ids: what is there already was kept by the first commit.
 */
export class Acceptance {
  readonly #parts: AcceptanceParts
  readonly #batcher: Batcher<Entry>
  #closed = false

  constructor(parts: AcceptanceParts) {
    this.#parts = parts
    this.#batcher = new Batcher({
      maxItems: MAX_EMAILS,
      maxWeight: MAX_OCTETS,
      maxRunning: MAX_RUNNING,
      worthwhile: WORTHWHILE,
      weigh: ({ email }) => EMAIL_WEIGHT + email.size + email.recipients.length * RECIPIENT_WEIGHT,
      run: (entries) => this.#group(entries),
    })
  }

  accept(email: NewEmail, lease: Lease | null): Promise<Accepted> {
    return new Promise((answer, refuse) => {
      if (!isEmailId(email.id)) refuse(new StoreConflict(`The id ${email.id} of an email is not a UUID`))
      else this.#batcher.add({ email, lease, company: 0, answer, refuse })
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#batcher.idle()
  }

  async #group(entries: Entry[]): Promise<void> {
    try {
      const known = await this.#withCompanies(entries)
      if (known.length > 0) await this.#enter(known)
    } catch (error) {
      for (const { refuse } of entries) refuse(error as Error)
    }
  }

  async #withCompanies(entries: Entry[]): Promise<Entry[]> {
    const numbers = await this.#parts.companies.find(entries.map(({ email }) => email.companyId))
    return entries.filter((entry) => {
      const number = numbers.get(entry.email.companyId)
      if (number !== undefined) entry.company = number
      else entry.refuse(new StoreConflict(`There is no company with the id ${entry.email.companyId}`))
      return number !== undefined
    })
  }

  /** Until each is answered. */
  async #enter(entries: Entry[]): Promise<void> {
    const firsts = this.#withoutTwins(entries)
    try {
      await this.#commit(firsts)
    } catch (error) {
      if (error instanceof OutcomeUnknown) await this.#seek(firsts, error)
      else if (isDuplicate(error)) await this.#withoutPresent(firsts)
      else if (isRefusedData(error) && firsts.length > 1) await this.#oneByOne(firsts)
      else for (const { refuse } of firsts) refuse(error as Error)
    }
  }

  /** An id comes once in a statement. */
  #withoutTwins(entries: Entry[]): Entry[] {
    const ids = new Set<string>()
    return entries.filter((entry) => {
      const twin = ids.has(entry.email.id)
      if (twin) entry.refuse(taken(entry))
      ids.add(entry.email.id)
      return !twin
    })
  }

  async #commit(entries: Entry[]): Promise<void> {
    const { database, changes } = this.#parts
    const plain = entries.every(({ email }) => {
      return email.idempotency === null && email.content.attachments.length === 0
    })
    if (plain) {
      const suppressed = await insertEmails((statement, values) => database.write(statement, values), entries)
      for (const entry of entries) entry.answer(accepted(entry, suppressed.get(entry.email.id)))
    } else {
      const answers = await database.transaction((session) => this.#withKeysAndFiles(session, entries))
      for (const [entry, answer] of answers) entry.answer(answer)
    }
    if (entries.some(({ lease, email }) => lease === null || email.scheduledAt !== null))
      changes.queueChanged()
  }

  async #withKeysAndFiles(session: Session, entries: Entry[]): Promise<Map<Entry, Accepted>> {
    const holders = await takeKeys(session, entries)
    const answers = new Map<Entry, Accepted>()
    const fresh: Entry[] = []
    for (const entry of entries) {
      const holder = holders.get(entry)
      if (holder === undefined || holder.id === entry.email.id) fresh.push(entry)
      else answers.set(entry, judge(entry.email, holder))
    }
    await noteRepeated(
      session,
      [...answers].filter(([, { kind }]) => kind === 'repeated').map(([entry]) => entry),
    )
    if (fresh.length === 0) return answers
    const names = await keepFiles(session, fresh)
    const suppressed = await insertEmails((statement, values) => session.run(statement, values), fresh)
    await keepFileNames(session, names)
    for (const entry of fresh) answers.set(entry, accepted(entry, suppressed.get(entry.email.id)))
    return answers
  }

  /** Some ids are taken: by other emails, or by these themselves when an earlier commit took place after all. */
  async #withoutPresent(entries: Entry[]): Promise<void> {
    const present = await this.#present(entries)
    const rest: Entry[] = []
    for (const entry of entries) {
      const leased = present.get(entry.email.id)
      if (leased === undefined) rest.push(entry)
      else if (entry.doubtful === true) entry.answer({ kind: 'accepted', leased })
      else entry.refuse(taken(entry))
    }
    if (rest.length === entries.length) await this.#oneByOne(rest)
    else if (rest.length > 0) await this.#enter(rest)
  }

  /** The ids that are there, with the positions still under the lease they were given in for. */
  async #present(entries: Entry[]): Promise<Map<string, number[]>> {
    const sql = `SELECT e.id::text AS id, q.position, q.lease FROM emails e LEFT JOIN queue q ON q.email = e.id
      WHERE e.id = ANY ($1::uuid[]) ORDER BY e.id, q.position`
    const ids = `{${entries.map(({ email }) => email.id).join()}}`
    const rows = await this.#parts.database.look<{
      id: string
      position: number | null
      lease: number | null
    }>(sql, [ids])
    const tokens = new Map(entries.map(({ email, lease }) => [email.id, lease?.token]))
    const present = new Map<string, number[]>()
    for (const { id, position, lease } of rows) {
      const leased = present.get(id) ?? []
      present.set(id, leased)
      if (position !== null && lease !== null && lease === tokens.get(id)) leased.push(position)
    }
    return present
  }

  async #oneByOne(entries: Entry[]): Promise<void> {
    for (const entry of entries) {
      try {
        await this.#commit([entry])
      } catch (error) {
        if (error instanceof OutcomeUnknown) await this.#seek([entry], error)
        else if (isDuplicate(error)) {
          const leased = (await this.#present([entry])).get(entry.email.id)
          if (leased !== undefined && entry.doubtful === true) entry.answer({ kind: 'accepted', leased })
          else entry.refuse(leased === undefined ? (error as Error) : taken(entry))
        } else entry.refuse(error as Error)
      }
    }
  }

  /**
   * Enters them again until it is known what became of them. When time runs out they are withdrawn as soon as that can
   * be done.
   */
  async #seek(entries: Entry[], lost: OutcomeUnknown): Promise<void> {
    const end = performance.now() + this.#parts.seekMs
    for (const entry of entries) entry.doubtful = true
    let error: Error = lost
    while (performance.now() < end && !this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, SEEK_PAUSE_MS))
      try {
        await this.#commit(entries)
        return
      } catch (again) {
        error = again as Error
        if (isDuplicate(error)) return await this.#withoutPresent(entries)
        if (!(error instanceof StoreUnavailable)) break
      }
    }
    const { database, repairs } = this.#parts
    repairs.add(() => database.transaction((session) => withdraw(session, entries)))
    for (const { refuse } of entries) refuse(error)
  }
}

function accepted({ email, lease }: Entry, suppressed: ReadonlySet<number> | undefined): Accepted {
  if (born(email, lease !== null).state !== 'sending') return { kind: 'accepted', leased: [] }
  const positions = [...email.recipients.keys()]
  return {
    kind: 'accepted',
    leased: suppressed === undefined ? positions : positions.filter((position) => !suppressed.has(position)),
  }
}

function taken({ email }: Entry): StoreConflict {
  return new StoreConflict(`There is already an email with the id ${email.id}`)
}
