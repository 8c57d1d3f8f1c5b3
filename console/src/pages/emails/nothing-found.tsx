import { Button } from '@mantine/core'
import { SearchX } from 'lucide-react'
import { Empty } from '../../parts/empty.tsx'
import { RefusedSearch } from './refused-search.tsx'
import type { EmailsSearch } from './search.ts'
import { SearchedTexts } from './searched-texts.tsx'
import type { Emails } from './use-emails.ts'

interface NothingFoundProps {
  company: string
  search: EmailsSearch
  list: Pick<Emails, 'more' | 'texts' | 'error'>
  onClear: () => void
}

/** A search may have looked at a part of the emails only: then it can be continued. */
export function NothingFound({ company, search, list: { more, texts, error }, onClear }: NothingFoundProps) {
  if (error !== null) return <RefusedSearch company={company} search={search} message={error.message} />
  return (
    <>
      <Empty
        icon={SearchX}
        title={more === null ? 'No emails found' : 'No emails found yet'}
        action={
          <>
            {more !== null && <Button onClick={more}>Search older emails</Button>}
            <Button variant="default" onClick={onClear}>
              Clear search
            </Button>
          </>
        }
      >
        {more === null
          ? 'No emails match the search and the filters. New emails that match appear here.'
          : 'The newest emails do not match. Older emails may.'}
      </Empty>
      {more === null && texts !== null && <SearchedTexts company={company} search={search} texts={texts} />}
    </>
  )
}
