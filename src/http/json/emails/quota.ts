/** The quota in the answer to accepted mail. */
import type { Principal } from '../../../accounts/account.ts'
import type { Answer } from '../../answer.ts'
import type { HttpDeps } from '../../deps.ts'
import type { JsonStore } from '../store-port.ts'

/**
 * Adds the used quota, including this mail, to the header. For a company without a quota, the answer is not delayed.
 */
export function withQuota(
  answer: Answer,
  { accounts, store }: Pick<HttpDeps, 'accounts'> & { store: Pick<JsonStore, 'quotaUsed'> },
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
    // The mail is accepted, even if the quota cannot be read now.
    () => answer,
  )
}
