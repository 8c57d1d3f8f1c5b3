/** The options of a domain field: the newest domains of a company, or those that match the typed text. */
import type { OptionsFilter } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainsQuery } from '../api/domains.ts'

export interface NamedDomain {
  id: string
  name: string
}

/** Milliseconds after the last key until the server is asked. */
const TYPED_MS = 200
const MORE = ' more'

/**
 * The props of a Mantine Select or MultiSelect whose options are domain names. `kept`: the domains that are
 * chosen already. `sending`: offers only domains that may send.
 */
export function useDomainSearch(
  company: string,
  kept: readonly NamedDomain[],
  { sending = false }: { sending?: boolean } = {},
) {
  const [search, setSearch] = useState('')
  // The field shows the chosen name until the person types, and that name is not a search.
  const isChosen = kept.some(({ name }) => name === search)
  const [wanted] = useDebouncedValue(isChosen ? '' : search.trim(), TYPED_MS)
  const { data, isPlaceholderData } = useQuery(domainsQuery(company, wanted || undefined, sending))
  const domains = [...(data?.domains ?? []), ...kept]
  const found = [...new Map(domains.map(({ id, name }) => [name, { id, name }])).values()]
  const more = (data?.total ?? 0) - (data?.domains.length ?? 0)
  const options: { value: string; label: string; disabled?: boolean }[] = found.map(({ name }) => ({
    value: name,
    label: name,
  }))
  if (more > 0) {
    options.push({ value: MORE, label: `${more.toLocaleString()} more: type to search`, disabled: true })
  }
  // The server finds names by their Unicode form, too.
  const ofServer = new Set(isPlaceholderData ? [] : data?.domains.map(({ name }) => name))
  const isFound = (name: string) => name === MORE || ofServer.has(name) || name.includes(wanted.toLowerCase())
  return {
    of: (name: string) => found.find((each) => each.name === name),
    field: {
      data: options,
      searchable: true as const,
      searchValue: search,
      onSearchChange: setSearch,
      // The server has filtered the domains; this hides chosen domains that do not match the typed text.
      filter: (({ options: all }) =>
        wanted === '' ? all : all.filter((each) => 'value' in each && isFound(each.value))) as OptionsFilter,
      nothingFoundMessage: data === undefined ? 'Searching...' : 'No domains found',
    },
  }
}
