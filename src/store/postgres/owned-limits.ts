import type { Owned } from '../../accounts/account.ts'
import { COUNTED, limitColumn, refuseFull } from '../account-rows.ts'
import type { Session } from './database.ts'

/**
 * Checks the company's limit before one more is added, in the transaction that adds it: concurrent additions wait for
 * its end. Throws OverLimit.
 */
export async function checkOwnedLimit(session: Session, owned: Owned, company: number): Promise<void> {
  const hold = `SELECT ${limitColumn(owned)} AS own FROM companies WHERE num = $1 FOR NO KEY UPDATE`
  const [held] = await session.run<{ own: number | null }>(hold, [company])
  const [counted] = await session.run<{ count: number }>(COUNTED[owned], [company])
  refuseFull(owned, Number(counted!.count), held!.own)
}
