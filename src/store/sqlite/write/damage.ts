import { isCorruption } from '../database.ts'

/** Milliseconds for which damaged data is skipped before it is tried again. */
const ASIDE_MS = 5 * 60_000
/**
 * Milliseconds by which each further damaged thing is skipped longer: trying all of them at once would hold up a claim.
 */
const STAGGER_MS = 500
/** The longest such delay, in steps. */
const STAGGER_STEPS = ASIDE_MS / STAGGER_MS
/** After this many emails of a lane that could be read but not written, the lane itself is taken to be damaged. */
const LANE_AT = 3

/** The place of a recipient. Company and email are numbers. */
interface DamageLocation {
  email: number
  company: number
  domain: string
  laneAt?: number
}

/**
 * Thrown by an operation that met damage and has set the damaged thing aside. SQLite refuses everything further in a
 * transaction that has met damage, even what is not damaged: the whole transaction is rolled back and run again.
 */
export class TransactionRestart extends Error {
  override name = 'TransactionRestart'
}

/**
 * Damaged things that were met, so that everything else goes on without them. Kept only in memory: they are looked at
 * again after a restart or some minutes, in case they were repaired. Times are those of the operations, Unix ms.
 */
export class Damage {
  readonly #aside = new Map<string, { since: number; until: number }>()
  readonly #logged = new Set<string>()
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

  /**
   * Runs a step that reads and writes only this email: damage sets the email aside and throws TransactionRestart; other
   * errors pass through.
   */
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
   * Runs the write of a recipient that could be read: damage is blamed on the email at first, and from the `laneAt`-th
   * email on, on the lane.
   */
  inRecipient<T>(
    { email, company, domain, laneAt = LANE_AT }: DamageLocation,
    now: number,
    step: () => T,
  ): T {
    return this.#watch(step, (error) => {
      this.#putEmail(email, now, error)
      const lane = `${company} ${domain}`
      const hits = (this.#hits.get(lane) ?? 0) + 1
      this.#hits.set(lane, hits >= laneAt ? 0 : hits)
      if (hits >= laneAt) this.#putLane(company, domain, now, error)
    })
  }

  /** The sentences for the operator; each damaged thing is reported once. */
  takeNews(): string[] {
    const news = this.#news
    this.#news = []
    return news
  }

  /** Usually nothing is set aside, and no name has to be built for the look-up. */
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
      throw new TransactionRestart('Damage was met', { cause: error })
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
    if (this.#logged.has(name)) return
    this.#logged.add(name)
    this.#news.push(
      `${what} cannot be read or written: a page of the database is damaged (${error.message}). Everything else goes on; ` +
        'these are tried again every few minutes. Stop the service, keep a copy of the file, and restore a backup or use ' +
        'the recovery of the sqlite3 shell',
    )
  }
}
