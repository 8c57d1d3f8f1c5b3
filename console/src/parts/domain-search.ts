/** Domains of a company to choose from: the newest of them, or those the service finds as one types. */
import type { OptionsFilter } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainsQuery } from '../api/domains.ts'

export interface NamedDomain {
  id: string
  name: string
}

/** Ms after the last key in which it is searched. */
const TYPED_MS = 200
const MORE = ' more'

/**
 * What a Select or MultiSelect of Mantine takes; options are names. `kept`: chosen already.
 * `sending`: only those that may send.
 */
export function useDomainSearch(
  company: string,
  kept: readonly NamedDomain[],
  { sending = false }: { sending?: boolean } = {},
) {
  const [search, setSearch] = useState('')
  // The field says what is chosen until somebody types: that searches for nothing.
  const isChosen = kept.some(({ name }) => name === search)
  const [wanted] = useDebouncedValue(isChosen ? '' : search.trim(), TYPED_MS)
  const { data } = useQuery(domainsQuery(company, wanted || undefined, sending))
  const domains = [...(data?.domains ?? []), ...kept]
  const found = [...new Map(domains.map(({ id, name }) => [name, { id, name }])).values()]
  const more = (data?.total ?? 0) - (data?.domains.length ?? 0)
  const options: { value: string; label: string; disabled?: boolean }[] = found.map(({ name }) => ({
    ...{ value: name, label: name },
  }))
  if (more > 0) {
    options.push({ value: MORE, label: `${more.toLocaleString()} more: type to find one`, disabled: true })
  }
  const isFound = (name: string) => name === MORE || name.includes(wanted.toLowerCase())
  return {
    of: (name: string) => found.find((each) => each.name === name),
    field: {
      data: options,
      searchable: true as const,
      searchValue: search,
      onSearchChange: setSearch,
      // The service has filtered them; what is chosen is of no interest while one types.
      filter: (({ options: all }) =>
        wanted === '' ? all : all.filter((each) => 'value' in each && isFound(each.value))) as OptionsFilter,
      nothingFoundMessage: data === undefined ? 'Searching' : 'No such domain',
    },
  }
}
