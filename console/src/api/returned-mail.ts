/** Returned mail. */
import { keepPreviousData } from '@tanstack/react-query'
import { type JsonAnswer, type QueryOf, urlOf } from './client.ts'
import { read } from './queries.ts'

const LIST = 'GET /companies/:company/returned'

export type ReturnedMail = JsonAnswer<typeof LIST>['data'][number]
type ReturnedSearch = QueryOf<typeof LIST>

export const returnedMailQuery = (company: string, query: ReturnedSearch) => ({
  ...read(LIST, { company, query }),
  placeholderData: keepPreviousData,
  refetchInterval: 5_000,
})

/** The newest returned mail about one email. */
export const returnedMailOfEmail = (company: string, email: string) =>
  read(LIST, { company, query: { email, limit: 10 } })

/** The URL of the message as a file: the browser itself requests it. */
export const returnedSourceUrl = (company: string, id: string) =>
  urlOf('GET /companies/:company/returned/:id/source.eml', { company, id })
