/** Exports the emails that the search finds, also those that the list has not loaded yet. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { ExportMenu } from './export-menu.tsx'
import { matchingEmails } from './matching.ts'
import type { EmailsSearch } from './search.ts'
import { emailsQuery } from './use-emails.ts'

export function ExportResults({ company, search }: { company: string; search: EmailsSearch }) {
  // Reads only the cache: the list loads these pages.
  const { data } = useInfiniteQuery({ ...emailsQuery(company, search), enabled: false })
  if (data === undefined || data.pages.every(({ emails }) => emails.length === 0)) return null
  return <ExportMenu size="sm" load={(onPage, most) => matchingEmails(company, search, onPage, most)} />
}
