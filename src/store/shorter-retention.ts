/** Removes the content that companies and domains keep for a shorter time than the installation. */
import type { AccountsSnapshot } from '../accounts/account.ts'
import type { ShorterRetention, Store } from './store.ts'

/** Milliseconds between two walks from the oldest email: mail that a walk passed may have been finished since. */
const AGAIN_MS = 6 * 60 * 60_000

export type RetentionAccounts = () => Pick<AccountsSnapshot, 'companies' | 'domains'>
type KeepersOf = Pick<ShorterRetention, 'companies' | 'domains'>

/** A walk through all emails with content, which stops where they are too young and continues there later. */
interface RetentionWalk {
  keepers: string
  begunAt: number
  after: string | null
}

export class ShorterRetentions {
  readonly #store: Pick<Store, 'retainShorter'>
  readonly #accounts: RetentionAccounts
  /** By period. */
  readonly #walks = new Map<number, RetentionWalk>()

  constructor(store: Pick<Store, 'retainShorter'>, accounts: RetentionAccounts) {
    this.#store = store
    this.#accounts = accounts
  }

  /** One step of each walk. Returns false when nothing is left to do now. */
  async step(now: number, usual: number, limit: number): Promise<boolean> {
    const periods = periodsOf(this.#accounts(), usual)
    for (const period of this.#walks.keys()) if (!periods.has(period)) this.#walks.delete(period)
    let more = false
    for (const [period, keepers] of periods) {
      const walk = this.#walkOf(period, JSON.stringify(keepers), now)
      const request = { ...keepers, contentBefore: now - period, after: walk.after, limit }
      const { reached, done } = await this.#store.retainShorter(request)
      walk.after = reached
      more ||= !done
    }
    return more
  }

  #walkOf(period: number, keepers: string, now: number): RetentionWalk {
    const known = this.#walks.get(period)
    if (known?.keepers === keepers && now - known.begunAt < AGAIN_MS) return known
    const walk = { keepers, begunAt: now, after: null }
    this.#walks.set(period, walk)
    return walk
  }
}

/** By period, those that keep content for it, if it is shorter than the usual one. */
function periodsOf(
  { companies, domains }: ReturnType<RetentionAccounts>,
  usual: number,
): Map<number, KeepersOf> {
  const periods = new Map<number, { companies: string[]; domains: string[] }>()
  const add = (period: number | undefined, kind: keyof KeepersOf, id: string) => {
    if (period === undefined || period >= usual) return
    if (!periods.has(period)) periods.set(period, { companies: [], domains: [] })
    periods.get(period)![kind].push(id)
  }
  for (const { id, contentRetention } of companies) add(contentRetention, 'companies', id)
  for (const { id, settings } of domains) add(settings.contentRetention, 'domains', id)
  return periods
}
