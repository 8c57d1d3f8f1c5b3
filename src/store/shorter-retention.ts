/** Removes the content that companies and domains keep for a shorter time than the installation. */
import type { AccountsSnapshot } from '../accounts/account.ts'
import type { ShorterRetention, Store } from './store.ts'

/** Ms between two walks from the oldest email: mail that a walk passed may since be finished or old enough. */
const AGAIN_MS = 6 * 60 * 60_000

export type RetentionAccounts = () => Pick<AccountsSnapshot, 'companies' | 'domains'>
type Periods = Pick<ShorterRetention, 'companies' | 'domains'>

/** Ms that the content of an email is kept; Infinity: as long as the installation keeps it. */
export function periodOf(
  { companies, domains }: Periods,
  { companyId, domainId }: { companyId: string; domainId: string },
): number {
  return Math.min(companies.get(companyId) ?? Infinity, domains.get(domainId) ?? Infinity)
}

/** Unix ms: emails created later are younger than every period. */
export function latestDue({ companies, domains, now }: ShorterRetention): number {
  let shortest = Infinity
  for (const periods of [companies, domains]) {
    for (const period of periods.values()) shortest = Math.min(shortest, period)
  }
  return now - shortest
}

/**
 * A walk through all emails with content, which stops where they are too young and continues there later. One walk
 * serves all periods, because there may be as many different periods as domains.
 */
export class ShorterRetentions {
  readonly #store: Pick<Store, 'retainShorter'>
  readonly #accounts: RetentionAccounts
  /** The periods, as text. */
  #periods = ''
  #begunAt = 0
  #after: string | null = null
  #isDone = true
  #isOutdated = false

  constructor(store: Pick<Store, 'retainShorter'>, accounts: RetentionAccounts) {
    this.#store = store
    this.#accounts = accounts
  }

  /** One step. Returns false when nothing is left to do now. */
  async step(now: number, usual: number, limit: number): Promise<boolean> {
    const { companies, domains } = this.#accounts()
    const periods = {
      companies: shorterThan(
        usual,
        companies.map(({ id, contentRetention }) => [id, contentRetention]),
      ),
      domains: shorterThan(
        usual,
        domains.map(({ id, settings }) => [id, settings.contentRetention]),
      ),
    }
    if (periods.companies.size + periods.domains.size === 0) return false
    this.#beginAgain(JSON.stringify([[...periods.companies], [...periods.domains]]), now)
    const { reached, done } = await this.#store.retainShorter({ ...periods, now, after: this.#after, limit })
    this.#after = reached
    this.#isDone = done
    return !done
  }

  /** A walk is never cut short: periods that change again and again would keep it from the emails of others. */
  #beginAgain(periods: string, now: number): void {
    if (this.#periods !== periods || now - this.#begunAt >= AGAIN_MS) this.#isOutdated = true
    this.#periods = periods
    if (!this.#isDone || !this.#isOutdated) return
    this.#isOutdated = false
    this.#begunAt = now
    this.#after = null
  }
}

function shorterThan(
  usual: number,
  periods: [id: string, period: number | undefined][],
): Map<string, number> {
  return new Map(
    periods.flatMap(([id, period]) => (period !== undefined && period < usual ? [[id, period]] : [])),
  )
}
