import { isCorruption } from '../database.ts'

/** How long what was met damaged is left alone before it is looked at again. Milliseconds. */
const ASIDE_MS = 5 * 60_000
/** Each further thing set aside is left alone so much longer: all at once would hold up a claim. Milliseconds. */
const STAGGER_MS = 500
/** So many steps longer at most. */
const STAGGER_STEPS = ASIDE_MS / STAGGER_MS
/** Emails of a lane that could be read and not written, from which on the fault is looked for in the lane. */
const LANE_AT = 3

/** Of a recipient. Company and email by number. */
interface Place {
  email: number
  company: number
  domain: string
  laneAt?: number
}

/**
 * Thrown by an operation that met damage and has set aside where. SQLite takes nothing more in a transaction that has
 * met damage, not even what has no part in it: all of it is to be rolled back and run again.
 */
export class RunAgain extends Error {
  override name = 'RunAgain'
}

/**
 * What was met damaged, so that everything else goes on without it. Only in memory: after a repair, a restart or some
 * minutes it is looked at again. Times are those of the operations, Unix ms.
 */
export class Damage {
  readonly #aside = new Map<string, { since: number; until: number }>()
  readonly #told = new Set<string>()
  readonly #hits = new Map<string, number>()
  #news: string[] = []

  email(num: number, now: number): boolean {
    return this.#any && this.#isAside(`email ${num}`, now)
  }

  lane(company: number, domain: string, now: number): boolean {
    return this.#any && this.#isAside(`lane ${company} ${domain}`, now)
  }

  content(num: number, now: number): boolean {
    return this.#any && this.#isAside(`content ${num}`, now)
  }

  company(num: number, now: number): boolean {
    return this.#any && this.#isAside(`company ${num}`, now)
  }

  index(name: string, now: number): boolean {
    return this.#any && this.#isAside(`index ${name}`, now)
  }

  /** What is read and written belongs to this email: damage sets it aside. Throws RunAgain then; other errors pass. */
  inEmail<T>(num: number, now: number, step: () => T): T {
    return this.#watch(step, (error) => this.#putEmail(num, now, error))
  }

  inContent<T>(num: number, now: number, step: () => T): T {
    const what = `The content of the email with the number ${num}`
    return this.#watch(step, (error) => this.#put(`content ${num}`, now, what, error))
  }

  inLane<T>(company: number, domain: string, now: number, step: () => T): T {
    return this.#watch(step, (error) => this.#putLane(company, domain, now, error))
  }

  inCompany<T>(num: number, now: number, step: () => T): T {
    const what = `The lanes of the company number ${num}`
    return this.#watch(step, (error) => this.#put(`company ${num}`, now, what, error))
  }

  inIndex<T>(name: string, now: number, step: () => T): T {
    return this.#watch(step, (error) => this.#put(`index ${name}`, now, `The index of ${name}`, error))
  }

  /**
   * A recipient that could be read is written: the email is at fault at first, and the lane when it goes on like that,
   * with the email that is `laneAt` in number.
   */
  inRecipient<T>({ email, company, domain, laneAt = LANE_AT }: Place, now: number, step: () => T): T {
    return this.#watch(step, (error) => {
      this.#putEmail(email, now, error)
      const lane = `${company} ${domain}`
      const hits = (this.#hits.get(lane) ?? 0) + 1
      this.#hits.set(lane, hits >= laneAt ? 0 : hits)
      if (hits >= laneAt) this.#putLane(company, domain, now, error)
    })
  }

  /** What is to be told to the operator; each thing once. */
  takeNews(): string[] {
    const news = this.#news
    this.#news = []
    return news
  }

  /** Usually nothing is set aside: then no name is made to ask for it. */
  get #any(): boolean {
    return this.#aside.size > 0
  }

  #isAside(name: string, now: number): boolean {
    const aside = this.#aside.get(name)
    if (aside === undefined) return false
    if (now >= aside.since && now < aside.until) return true
    this.#aside.delete(name)
    return false
  }

  #watch<T>(step: () => T, aside: (error: Error) => void): T {
    try {
      return step()
    } catch (error) {
      if (!isCorruption(error)) throw error
      aside(error)
      throw new RunAgain('Damage was met', { cause: error })
    }
  }

  #putEmail(num: number, now: number, error: Error): void {
    this.#put(`email ${num}`, now, `The rows of the email with the number ${num}`, error)
  }

  #putLane(company: number, domain: string, now: number, error: Error): void {
    const what = `The rows of what waits for ${domain} (company number ${company})`
    this.#put(`lane ${company} ${domain}`, now, what, error)
  }

  #put(name: string, now: number, what: string, error: Error): void {
    const stagger = STAGGER_MS * (this.#aside.size % STAGGER_STEPS)
    this.#aside.set(name, { since: now, until: now + ASIDE_MS + stagger })
    this.#tell(name, what, error)
  }

  #tell(name: string, what: string, error: Error): void {
    if (this.#told.has(name)) return
    this.#told.add(name)
    this.#news.push(
      `${what} cannot be read or written: a page of the database is damaged (${error.message}). Everything else goes on; ` +
        'these are tried again every few minutes. Stop the service, keep a copy of the file, and restore a backup or use ' +
        'the recovery of the sqlite3 shell',
    )
  }
}
