import { type QuotaUsage, usedAt, usedWith } from '../../quota.ts'
import type { NewEmail, OverQuota } from '../../store.ts'
import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'

/** Counts recipients of companies that have a quota. */
export class Quotas extends OnConnection {
  readonly #used = this.db.prepare('SELECT day, daily, month, monthly FROM quotas WHERE company = ?')
  readonly #put = this.db.prepare(
    'INSERT OR REPLACE INTO quotas (company, day, daily, month, monthly) VALUES (?, ?, ?, ?, ?)',
  )

  /** Counts these emails of one company, all or none. Null: they may be accepted. */
  take(company: number, emails: readonly NewEmail[]): OverQuota | null {
    const [{ quota, createdAt }] = emails as [NewEmail]
    if (quota === undefined) return null
    const used = usedWith(usedAt(one<QuotaUsage>(this.#used, company), createdAt), quota, emails)
    if ('kind' in used) return used
    this.#put.run(company, used.day, used.daily, used.month, used.monthly)
    return null
  }
}
