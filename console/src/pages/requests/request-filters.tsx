/** The filters of the list. They are part of the page's address. */
import { SegmentedControl } from '@mantine/core'
import type { RequestSearch } from '../../api/requests.ts'
import { DayRange } from '../../parts/day-range.tsx'
import { FilterBar } from '../../parts/filter-bar.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { ChoiceMenu } from '../emails/choice-menu.tsx'

type ChangeSearch = (part: RequestSearch) => void

export function RequestFilters({
  company,
  wanted,
  change,
  clear,
}: {
  company: string
  wanted: RequestSearch
  change: ChangeSearch
  /** Null: there is nothing to clear. */
  clear: (() => void) | null
}) {
  return (
    <FilterBar clear={clear}>
      <SegmentedControl
        aria-label="Answers"
        value={wanted.refused ? 'refused' : ''}
        onChange={(value) => change({ refused: value === 'refused' || undefined })}
        data={[
          { value: '', label: 'All' },
          { value: 'refused', label: 'Refused' },
        ]}
      />
      <SearchField
        label="Endpoint"
        placeholder="Endpoint, such as /emails"
        width={240}
        mb={0}
        value={wanted.endpoint}
        search={(endpoint) => change({ endpoint })}
      />
      <SearchField
        label="Status"
        placeholder="Status"
        width={110}
        mb={0}
        value={wanted.status?.toString()}
        search={(text) => {
          // A part of a number changes nothing yet: the field would take the missing filter for a cleared one.
          if (text === undefined) change({ status: undefined })
          else if (/^[1-9]\d\d$/.test(text)) change({ status: Number(text) })
        }}
      />
      <SearchField
        label="Error"
        placeholder="Name of the error"
        width={220}
        mb={0}
        value={wanted.error}
        search={(error) => change({ error })}
      />
      <ChoiceMenu
        company={company}
        kind="key"
        label="API key"
        about="Part of the name"
        value={wanted.key}
        onChange={(key) => change({ key })}
      />
      <DayRange days={wanted} onChange={change} />
    </FilterBar>
  )
}
