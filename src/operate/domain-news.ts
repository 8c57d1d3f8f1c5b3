/** The changes that a check of DNS brings for a domain, in sentences for its owner. */
import type { SendingDomain } from '../accounts/account.ts'
import type { DomainChange } from '../store/store.ts'

type DomainFacts = Pick<SendingDomain, 'name' | 'status' | 'sending' | 'lostSince' | 'returnPathHost'>

interface NewsParts {
  /** Ms for which a domain may send without its records. */
  grace: number
  /** The domain may use the return-path host that it had. */
  mayUse: boolean
}

/** Empty: nothing that matters to anybody has changed. */
export function domainNews(
  before: DomainFacts,
  change: DomainChange,
  { grace, mayUse }: NewsParts,
): string[] {
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
  if (before.returnPathHost !== after.returnPathHost) news.push(returnPathNews(before, after, mayUse))
  return news
}

function returnPathNews(before: DomainFacts, after: DomainFacts, mayUse: boolean): string {
  const { name, returnPathHost: host } = after
  if (host !== null) return `Bounces of mail from ${name} come back to ${host}.`
  const why = mayUse
    ? `DNS lacks records of ${before.returnPathHost}`
    : `${before.returnPathHost} may belong to somebody else`
  return `${why}: bounces of mail from ${name} go to the address in From.`
}
