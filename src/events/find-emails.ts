/** Emails of a company that are wanted, page by page in either direction, newest first. */
import type { EmailFilter, EmailSummary } from '../email/stored-email.ts'
import type { SearchStore } from '../store/store.ts'

/** Emails looked at for one page at most, wanted or not. */
const LOOKS = 2_000

export interface EmailRange {
  /** Id of an email: only older ones; from the newest of these on. */
  olderThan?: string
  /** Id of an email: only newer ones; the nearest to it, unless `olderThan` is given, too. */
  newerThan?: string
  limit: number
}

export interface FoundEmails {
  /** Newest first, whatever the direction. */
  emails: EmailSummary[]
  /**
   * There are no more in this direction. Otherwise there may be, also where fewer came than the limit: what no index
   * serves is looked for among so many emails at a time.
   */
  complete: boolean
  /** Id of an email, which need not be a wanted one, from which to go on in this direction; null when complete. */
  next: string | null
}

export async function findEmails(
  store: SearchStore,
  filter: EmailFilter,
  { olderThan, newerThan, limit }: EmailRange,
): Promise<FoundEmails> {
  const newestFirst = newerThan === undefined || olderThan !== undefined
  const above = newerThan === undefined ? 0 : await store.emailPlace(newerThan)
  const below = olderThan === undefined ? Number.MAX_SAFE_INTEGER : await store.emailPlace(olderThan)
  // One more, which tells whether there are more.
  const walk = { above, below, newestFirst, looks: LOOKS, limit: limit + 1 }
  const found = await store.walkEmails(filter, walk)
  const emails = found.emails.slice(0, limit).map(({ email }) => email)
  const more = found.emails.length > limit
  const reached = more ? emails.at(-1)!.id : (found.reached?.id ?? null)
  if (!newestFirst) emails.reverse()
  const complete = found.complete && !more
  return { emails, complete, next: complete ? null : reached }
}
