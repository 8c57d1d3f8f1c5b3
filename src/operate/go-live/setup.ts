/** The guide of the console for a company that has not sent its first message. */
import type { SendingDomain } from '../../accounts/account.ts'
import { acceptsMail } from '../../accounts/sending.ts'
import { findWholeCompany } from '../find.ts'
import { verb } from '../verb.ts'
import { domainsOf, ownDomains } from './company-steps.ts'
import type { NextCompanyStep } from './step.ts'

export interface SetupProgress {
  /** Null: the company has sent its first message, or waits for an operator. */
  next: NextCompanyStep | null
  /** The domain of the step; null: the step has none. */
  domain: SendingDomain | null
}

/**
 * Derives the next step from what the company has, so the guide continues wherever the person left it. In capture mode
 * any domain will do. Otherwise the company needs one of its own.
 */
export const showSetup = verb('see', async (op, { company }: { company: string }): Promise<SetupProgress> => {
  const { id } = findWholeCompany(op, company)
  const domains = op.setup.delivery.kind === 'capture' ? domainsOf(op, id) : ownDomains(op, id)
  if (domains.length === 0) return { next: 'domain', domain: null }
  const sender = domains.find(acceptsMail)
  if (sender === undefined) {
    const pending = domains.filter(({ sending }) => sending === 'inactive')
    const [newest] = pending.toSorted((a, b) => b.createdAt - a.createdAt)
    return newest === undefined ? { next: null, domain: null } : { next: 'records', domain: newest }
  }
  const [email] = await op.store.listEmails({ companyId: id, limit: 1 })
  return email === undefined ? { next: 'message', domain: sender } : { next: null, domain: null }
})
