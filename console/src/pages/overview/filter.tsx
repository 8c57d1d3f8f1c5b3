/** Which mail is counted. The filter is part of the page's address, beside the period. */
import { Pill } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { byDomainQuery, type OverviewSpan, type VolumeFilter } from '../../api/overview.ts'
import { ALL } from '../../shell/company.ts'

/** The mail that a chart or a list counts. */
export interface FilteredProps {
  company: string
  span: OverviewSpan
  filter: VolumeFilter
}

export function useFilter(): VolumeFilter {
  const { domain, to } = useSearch({ from: '/signed-in/c/$company/overview' })
  return { domain, to }
}

export function useSetFilter(): (filter: VolumeFilter) => void {
  const navigate = useNavigate({ from: '/c/$company/overview' })
  return (filter) =>
    void navigate({ search: (before) => ({ ...before, domain: undefined, to: undefined, ...filter }) })
}

/** The active filters, each with a button that removes it. */
export function FilterPills({ company, span }: { company: string; span: OverviewSpan }) {
  const { domain, to } = useFilter()
  const setFilter = useSetFilter()
  const { data } = useQuery({
    ...byDomainQuery(company, span),
    enabled: domain !== undefined && company !== ALL,
  })
  if (domain === undefined && to === undefined) return null
  const name = data?.volumes?.find(({ key }) => key === domain)?.name ?? domain
  return (
    <Pill.Group aria-label="Filters">
      {domain !== undefined && (
        <FilterPill text={`From ${name}`} clear={() => setFilter({ domain: undefined })} />
      )}
      {to !== undefined && <FilterPill text={`To ${to}`} clear={() => setFilter({ to: undefined })} />}
    </Pill.Group>
  )
}

function FilterPill({ text, clear }: { text: string; clear: () => void }) {
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={clear}
      removeButtonProps={{ 'aria-label': `Remove the filter: ${text}`, 'aria-hidden': false, tabIndex: 0 }}
    >
      <bdi>{text}</bdi>
    </Pill>
  )
}
