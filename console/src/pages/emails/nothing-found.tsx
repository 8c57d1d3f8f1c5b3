import { Button } from '@mantine/core'
import { SearchX } from 'lucide-react'
import { Empty } from '../../parts/empty.tsx'

/** `more`: continues a search that has looked at a part of the emails only. */
export function NothingFound({ onClear, more }: { onClear: () => void; more: (() => void) | null }) {
  return (
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
  )
}
