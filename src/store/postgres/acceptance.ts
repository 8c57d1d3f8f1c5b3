import { isEmailId } from '../../email/email-id.ts'
import { initialState } from '../../email/lifecycle/initial-state.ts'
import { judge, judgeAll, listedEmails } from '../idempotency.ts'
import {
  type AcceptAllResult,
  type AcceptResult,
  type Lease,
  type NewEmail,
  type NewEmails,
  type OverQuota,
  StoreConflict,
  StoreUnavailable,
} from '../store.ts'
import { insertEmails } from './accept-statement.ts'
import { uuids } from './arrays.ts'
import { Batcher } from './batcher.ts'
import { keepFileNames, keepFiles } from './blobs.ts'
import type { DatabaseSession } from './database.ts'
import { isDuplicate, isRefusedData, OutcomeUnknown } from './faults.ts'
import { markRepeated, storeEmailsOfKey, takeKeys } from './idempotency.ts'
import type { StoreParts } from './parts.ts'
import type { PendingEmail } from './pending-email.ts'
import { takeQuotas } from './quotas.ts'
import { forgetKeys, withdraw } from './withdrawals.ts'

/** Bounds of one group: emails, and octets, which only the first email may exceed. */
const MAX_EMAILS = 100
const MAX_OCTETS = 8 * 1024 * 1024
/** Weight of an email and of a recipient in octets, in addition to the content. */
const EMAIL_WEIGHT = 1_000
const RECIPIENT_WEIGHT = 200
const MAX_RUNNING = 3
const WORTHWHILE = 40
/** Milliseconds between two attempts to find out whether a commit took place. */
const SEEK_PAUSE_MS = 250

const PRESENT = `SELECT e.id::text AS id, q.position, q.lease FROM emails e LEFT JOIN queue q ON q.email = e.id
  WHERE e.id = ANY ($1::uuid[]) ORDER BY e.id, q.position`

interface PresentRow {
  id: string
  position: number | null
  lease: number | null
}

interface AcceptanceParts extends StoreParts {
  /**
   * Milliseconds for which the outcome of a lost commit is sought before the client is told that nothing was accepted.
   */
  seekMs: number
}

/**
 * Makes emails durable in groups. An email that fails does so alone. A group whose commit may or may not have taken
 * place (the connection was lost) is entered again under the same ids: emails that exist already were stored by the
 * first commit.
 */
export class Acceptance {
  readonly #parts: AcceptanceParts
  readonly #batcher: Batcher<PendingEmail>
  readonly #together = new Set<Promise<AcceptAllResult>>()
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

  accept(email: NewEmail, lease: Lease | null): Promise<AcceptResult> {
    return new Promise((answer, refuse) => {
      if (!isEmailId(email.id)) refuse(new StoreConflict(`The id ${email.id} of an email is not a UUID`))
      else this.#batcher.add({ email, lease, company: 0, answer, refuse })
    })
  }

  /** Stores all or none, in a transaction of their own; the first email carries the key of all. */
  async acceptAll({ emails, idempotency }: NewEmails, lease: Lease | null): Promise<AcceptAllResult> {
    const [first] = emails
    if (first === undefined) return { kind: 'accepted', leased: [] }
    const odd = emails.find(({ id }) => !isEmailId(id))
    if (odd !== undefined) throw new StoreConflict(`The id ${odd.id} of an email is not a UUID`)
    if (emails.some(({ companyId }) => companyId !== first.companyId)) {
      throw new StoreConflict('Emails that are accepted together are of one company')
    }
    const company = await this.#parts.companies.number(first.companyId)
    const [answer, refuse] = [() => {}, () => {}]
    const entries = emails.map((email, index): PendingEmail => {
      return {
        email: { ...email, idempotency: index === 0 ? idempotency : null },
        lease,
        company,
        answer,
        refuse,
      }
    })
    const accepting = this.#enterTogether(entries)
    this.#together.add(accepting)
    return await accepting.finally(() => this.#together.delete(accepting))
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled([this.#batcher.idle(), ...this.#together])
  }

  async #enterTogether(entries: PendingEmail[]): Promise<AcceptAllResult> {
    try {
      return await this.#commitTogether(entries)
    } catch (error) {
      if (error instanceof OutcomeUnknown) return await this.#seekTogether(entries, error)
      throw isDuplicate(error) ? idConflict(entries[0]!) : error
    }
  }

  async #commitTogether(entries: PendingEmail[]): Promise<AcceptAllResult> {
    const { database, changes } = this.#parts
    const [first] = entries as [PendingEmail]
    const { idempotency } = first.email
    const answer = await database.transaction(async (session): Promise<AcceptAllResult> => {
      const holder = (await takeKeys(session, [first])).get(first)
      if (holder !== undefined && holder.id !== first.email.id) {
        const earlier = judgeAll(holder, idempotency!)
        if (earlier.kind === 'repeated') await markRepeated(session, [first])
        return earlier
      }
      const [over] = (await takeQuotas(session, [entries])).values()
      if (over !== undefined) {
        await forgetKeys(session, [first])
        return over
      }
      if (idempotency !== null) {
        const emails = listedEmails(entries.map(({ email }) => email))
        await storeEmailsOfKey(session, first, emails)
      }
      const suppressed = await insertWhole(session, entries)
      const leased = entries.map((entry) => leasedPart(entry, suppressed.get(entry.email.id)).leased)
      return { kind: 'accepted', leased }
    })
    if (answer.kind === 'accepted') changes.queueChanged()
    return answer
  }

  /** Does the same as `#seek` for emails accepted together. */
  async #seekTogether(entries: PendingEmail[], lost: OutcomeUnknown): Promise<AcceptAllResult> {
    const end = performance.now() + this.#parts.seekMs
    for (const entry of entries) entry.doubtful = true
    let error: Error = lost
    while (performance.now() < end && !this.#closed) {
      await new Promise((resolve) => setTimeout(resolve, SEEK_PAUSE_MS))
      try {
        return await this.#commitTogether(entries)
      } catch (again) {
        error = again as Error
        if (isDuplicate(error)) {
          const present = await this.#present(entries)
          const leased = entries.map(({ email }) => present.get(email.id) ?? [])
          if (present.size === entries.length) return { kind: 'accepted', leased }
          throw idConflict(entries[0]!)
        }
        if (!(error instanceof StoreUnavailable)) break
      }
    }
    const { database, repairs } = this.#parts
    repairs.add(() => database.transaction((session) => withdraw(session, entries, { together: true })))
    throw error
  }

  async #group(entries: PendingEmail[]): Promise<void> {
    try {
      const known = await this.#known(entries)
      if (known.length > 0) await this.#enter(known)
    } catch (error) {
      for (const { refuse } of entries) refuse(error as Error)
    }
  }

  /** Refuses emails of unknown companies, and repeated ids: an id may occur only once in a statement. */
  async #known(entries: PendingEmail[]): Promise<PendingEmail[]> {
    const numbers = await this.#parts.companies.find(entries.map(({ email }) => email.companyId))
    const ids = new Set<string>()
    return entries.filter((entry) => {
      const { id, companyId } = entry.email
      const number = numbers.get(companyId)
      if (number === undefined)
        entry.refuse(new StoreConflict(`There is no company with the id ${companyId}`))
      else if (ids.has(id)) entry.refuse(idConflict(entry))
      else {
        entry.company = number
        ids.add(id)
        return true
      }
      return false
    })
  }

  /** Tries until each entry is answered. */
  async #enter(entries: PendingEmail[]): Promise<void> {
    try {
      await this.#commit(entries)
    } catch (error) {
      if (error instanceof OutcomeUnknown) await this.#seek(entries, error)
      else if (isDuplicate(error)) await this.#withoutPresent(entries, error as Error)
      else if (isRefusedData(error) && entries.length > 1) await this.#oneByOne(entries)
      else for (const { refuse } of entries) refuse(error as Error)
    }
  }

  async #oneByOne(entries: PendingEmail[]): Promise<void> {
    for (const entry of entries) await this.#enter([entry])
  }

  async #commit(entries: PendingEmail[]): Promise<void> {
    const { database, changes } = this.#parts
    const plain = entries.every(({ email }) => {
      const { idempotency, quota, content } = email
      return idempotency === null && quota === undefined && content.attachments.length === 0
    })
    if (plain) {
      const suppressed = await insertEmails((statement, values) => database.write(statement, values), entries)
      for (const entry of entries) entry.answer(leasedPart(entry, suppressed.get(entry.email.id)))
    } else {
      const answers = await database.transaction((session) => this.#withKeysAndFiles(session, entries))
      for (const [entry, answer] of answers) entry.answer(answer)
    }
    if (entries.some(({ lease, email }) => lease === null || email.scheduledAt !== null))
      changes.queueChanged()
  }

  async #withKeysAndFiles(
    session: DatabaseSession,
    entries: PendingEmail[],
  ): Promise<Map<PendingEmail, AcceptResult>> {
    const holders = await takeKeys(session, entries)
    const answers = new Map<PendingEmail, AcceptResult>()
    const fresh: PendingEmail[] = []
    for (const entry of entries) {
      const holder = holders.get(entry)
      if (holder === undefined || holder.id === entry.email.id) fresh.push(entry)
      else answers.set(entry, judge(holder, entry.email.idempotency!))
    }
    const refused = await this.#overQuota(session, fresh)
    for (const [entry, over] of refused) answers.set(entry, over)
    for (const entry of answers.keys()) {
      // The key belongs to an email of this group that is refused.
      const over = [...refused].find(([{ email }]) => email.id === holders.get(entry)?.id)?.[1]
      if (over !== undefined) answers.set(entry, over)
    }
    await markRepeated(
      session,
      [...answers].filter(([, { kind }]) => kind === 'repeated').map(([entry]) => entry),
    )
    const kept = fresh.filter((entry) => !refused.has(entry))
    if (kept.length === 0) return answers
    const suppressed = await insertWhole(session, kept)
    for (const entry of kept) answers.set(entry, leasedPart(entry, suppressed.get(entry.email.id)))
    return answers
  }

  /** Entries over the quota of their company: their keys are free again. */
  async #overQuota(
    session: DatabaseSession,
    entries: readonly PendingEmail[],
  ): Promise<Map<PendingEmail, OverQuota>> {
    const refused = await takeQuotas(
      session,
      entries.map((entry) => [entry]),
    )
    const over = new Map([...refused].map(([[entry], why]) => [entry!, why]))
    await forgetKeys(session, [...over.keys()])
    return over
  }

  /** Some ids are taken: by other emails, or by these very emails when an earlier commit took place after all. */
  async #withoutPresent(entries: PendingEmail[], error: Error): Promise<void> {
    const present = await this.#present(entries)
    const rest = entries.filter((entry) => {
      const leased = present.get(entry.email.id)
      if (leased === undefined) return true
      if (entry.doubtful === true) entry.answer({ kind: 'accepted', leased })
      else entry.refuse(idConflict(entry))
      return false
    })
    if (rest.length < entries.length) {
      if (rest.length > 0) await this.#enter(rest)
    } else if (rest.length > 1) await this.#oneByOne(rest)
    else rest[0]!.refuse(error)
  }

  /** The ids that exist, with the positions still under the lease of their entry. */
  async #present(entries: PendingEmail[]): Promise<Map<string, number[]>> {
    const ids = uuids(entries.map(({ email }) => email.id))
    const rows = await this.#parts.database.look<PresentRow>(PRESENT, [ids])
    const tokens = new Map(entries.map(({ email, lease }) => [email.id, lease?.token]))
    const present = new Map<string, number[]>()
    for (const { id, position, lease } of rows) {
      const leased = present.get(id) ?? []
      present.set(id, leased)
      if (position !== null && lease !== null && lease === tokens.get(id)) leased.push(position)
    }
    return present
  }

  /** Enters them again until the outcome is known. When time runs out, they are withdrawn as soon as possible. */
  async #seek(entries: PendingEmail[], lost: OutcomeUnknown): Promise<void> {
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
        if (isDuplicate(error)) return await this.#withoutPresent(entries, error)
        if (!(error instanceof StoreUnavailable)) break
      }
    }
    const { database, repairs } = this.#parts
    repairs.add(() => database.transaction((session) => withdraw(session, entries, { together: false })))
    for (const { refuse } of entries) refuse(error)
  }
}

/** Inserts emails with their files. Returns the suppressed positions, by email. */
async function insertWhole(
  session: DatabaseSession,
  entries: readonly PendingEmail[],
): Promise<Map<string, Set<number>>> {
  const names = await keepFiles(session, entries)
  const suppressed = await insertEmails((statement, values) => session.run(statement, values), entries)
  await keepFileNames(session, names)
  return suppressed
}

function leasedPart(
  { email, lease }: PendingEmail,
  suppressed: ReadonlySet<number> | undefined,
): Extract<AcceptResult, { kind: 'accepted' }> {
  if (initialState(email, lease !== null).state !== 'sending') return { kind: 'accepted', leased: [] }
  const positions = [...email.recipients.keys()]
  return {
    kind: 'accepted',
    leased: suppressed === undefined ? positions : positions.filter((position) => !suppressed.has(position)),
  }
}

function idConflict({ email }: PendingEmail): StoreConflict {
  return new StoreConflict(`There is already an email with the id ${email.id}`)
}
