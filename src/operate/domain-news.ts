/** The changes that a check of DNS brings for a domain, in sentences for its owner. */
import type { SendingDomain } from '../accounts/account.ts'
import type { DomainChange } from '../store/store.ts'

type DomainFacts = Pick<SendingDomain, 'name' | 'status' | 'sending' | 'lostSince' | 'returnPathHost'>

/**
 * `grace`: ms for which a domain may send without its records. Empty: nothing that matters to anybody has changed.
 */
export function domainNews(before: DomainFacts, change: DomainChange, grace: number): string[] {
  const after = { ...before, ...change }
  const news: string[] = []
  const isBack = before.lostSince !== null && after.lostSince === null
  if (before.lostSince === null && after.lostSince !== null) {
    const end = new Date(after.lostSince + grace).toISOString()
    news.push(
      `DNS has lost the DKIM records of ${after.name}. Sending ends at ${end}, unless DNS has them again.`,
    )
  } else if (before.status === 'verified' && after.status === 'pending') {
    news.push(`DNS lacks required records of ${after.name}.`)
  }
  if (before.sending === 'active' && after.sending === 'inactive') {
    news.push(`Sending from ${after.name} has ended, because DNS has lacked its DKIM records for too long.`)
  }
  if (isBack) news.push(`DNS has the DKIM records of ${after.name} again.`)
  else if (before.status === 'pending' && after.status === 'verified') {
    news.push(`DNS has the required records of ${after.name}.`)
  }
  if (before.returnPathHost !== after.returnPathHost) news.push(returnPathNews(before, after))
  return news
}

function returnPathNews(before: DomainFacts, after: DomainFacts): string {
  return after.returnPathHost === null
    ? `DNS has lost the records of ${before.returnPathHost}: bounces of mail from ${after.name} go to the address in From.`
    : `Bounces of mail from ${after.name} come back to ${after.returnPathHost}.`
}
