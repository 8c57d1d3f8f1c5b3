/** What an answer to mail that was accepted says of a quota. */
import type { Principal } from '../../../accounts/account.ts'
import type { Answer } from '../../answer.ts'
import type { HttpDeps } from '../../deps.ts'

/** With the recipients counted so far, those of this mail too. A company without a quota waits for nothing. */
export function withQuota(
  answer: Answer,
  { accounts, store }: Pick<HttpDeps, 'accounts' | 'store'>,
  { companyId }: Principal,
): Answer | Promise<Answer> {
  const quota = accounts.directory.quotaOf(companyId)
  if (quota === undefined) return answer
  return store.quotaUsed(companyId, Date.now()).then(
    ({ daily, monthly }) => {
      const headers = {
        ...(quota.daily !== null && { 'x-resend-daily-quota': String(daily) }),
        ...(quota.monthly !== null && { 'x-resend-monthly-quota': String(monthly) }),
      }
      return { ...answer, headers }
    },
    // The mail was accepted, whatever cannot be read now.
    () => answer,
  )
}
