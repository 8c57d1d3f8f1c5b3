/** The number of emails that a search finds, and the searches that the person has saved. */
import { Button, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { type EmailsSearch, isNarrowed, queryParamsOf } from './search.ts'
import { emailsQuery } from './use-emails.ts'
import { type ResultsBarProps, ViewsMenu } from './views-menu.tsx'

export function ResultsBar({ company, search, onChange }: ResultsBarProps) {
  const narrowed = isNarrowed(search)
  return (
    <>
      <ViewsMenu company={company} search={search} onChange={onChange} />
      {narrowed && (
        <Button variant="subtle" size="sm" px="xs" onClick={() => onChange({})}>
          Clear all
        </Button>
      )}
      {narrowed && <FoundCount key={JSON.stringify(search)} company={company} search={search} />}
    </>
  )
}

function FoundCount({ company, search }: { company: string; search: EmailsSearch }) {
  // The list loads it. Once it is there to its end, it says the number itself, also while emails arrive.
  const { data, hasNextPage } = useInfiniteQuery({ ...emailsQuery(company, search), enabled: false })
  const count = useQuery({
    queryKey: ['emails-found', { company, search }],
    queryFn: ({ signal }) => {
      const query = queryParamsOf(search)
      return call('GET /companies/:company/emails/count', { company, query, signal })
    },
    enabled: hasNextPage,
    staleTime: 60_000,
  })
  if (data === undefined) return null
  const loaded = new Set(data.pages.flatMap(({ emails }) => emails.map(({ id }) => id))).size
  const found = hasNextPage ? count.data : { count: loaded, more: false }
  if (found === undefined) return null
  const number = Math.max(found.count, loaded)
  return (
    <Text role="status" size="sm" c="dimmed" lh="36px" style={{ whiteSpace: 'nowrap' }}>
      {number.toLocaleString()}
      {found.more ? '+' : ''} {number === 1 && !found.more ? 'email' : 'emails'}
    </Text>
  )
}
