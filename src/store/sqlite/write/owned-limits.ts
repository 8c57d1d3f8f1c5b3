import type { Owned } from '../../../accounts/account.ts'
import { COUNTED, limitColumn, refuseFull } from '../../account-rows.ts'
import { OnConnection } from '../connection.ts'
import { one } from '../rows.ts'

/** Limits on what a company may own. */
export class OwnedLimits extends OnConnection {
  readonly #statements = {
    domains: this.#statement('domains'),
    keys: this.#statement('keys'),
    webhooks: this.#statement('webhooks'),
  }

  /** Checks the limit before one more is added, in the transaction that adds it. Throws OverLimit. */
  check(owned: Owned, company: number): void {
    const { own, count } = one<{ own: number | null; count: number }>(this.#statements[owned], company)!
    refuseFull(owned, count, own)
  }

  #statement(owned: Owned) {
    const sql = COUNTED[owned].replace('$1', '?1')
    return this.db.prepare(
      `SELECT ${limitColumn(owned)} AS own, (${sql}) AS count FROM companies WHERE num = ?1`,
    )
  }
}
