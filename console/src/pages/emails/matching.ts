/** All emails that a search finds, page by page. */
import { allRows, MAX_CHOSEN } from '../../api/all-rows.ts'
import { call } from '../../api/client.ts'
import type { EmailListItem } from './merge.ts'
import { type EmailsSearch, queryParamsOf } from './search.ts'

/** Newest first, `most` at most. `onPage`: called with the number of emails so far. */
export function matchingEmails(
  company: string,
  search: EmailsSearch,
  onPage: (count: number) => void,
  most = MAX_CHOSEN,
): Promise<EmailListItem[]> {
  // One time for all pages: the search may end "now".
  const params = queryParamsOf(search)
  return allRows(
    async (cursor, limit) => {
      const query = { ...params, cursor, limit }
      const { emails, next } = await call('GET /companies/:company/emails', { company, query })
      return { rows: emails, next }
    },
    onPage,
    most,
  )
}
