/** All emails that a search finds, page by page. */
import { call } from '../../api/client.ts'
import type { EmailListItem } from './merge.ts'
import { type EmailsSearch, queryParamsOf } from './search.ts'

/** The most emails that can be chosen at once. */
export const MOST_CHOSEN = 10_000
const PAGE = 100

/** Newest first. `onPage`: called with the number of emails so far. */
export async function matchingEmails(
  company: string,
  search: EmailsSearch,
  onPage: (count: number) => void,
): Promise<EmailListItem[]> {
  const found: EmailListItem[] = []
  let cursor: string | undefined
  // One time for all pages: the search may end "now".
  const params = queryParamsOf(search)
  do {
    const query = { ...params, cursor, limit: Math.min(PAGE, MOST_CHOSEN - found.length) }
    const { emails, next } = await call('GET /companies/:company/emails', { company, query })
    found.push(...emails)
    onPage(found.length)
    cursor = next ?? undefined
  } while (cursor !== undefined && found.length < MOST_CHOSEN)
  return found
}
