/**
 * The options of the filters: domains and keys of the company, searched on the server, and the tags of the
 * newest emails. The server has no list of all tags in a useful order; the newest page of emails costs the
 * same however many there are, on either database.
 */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { domainsQuery } from '../../api/domains.ts'
import { keysQuery } from '../../api/keys.ts'
import { read } from '../../api/queries.ts'
import { ALL } from '../../shell/company.ts'

/** One option of a filter; `value` goes into the search. */
export interface Choice {
  value: string
  about: string
}

/** `to`: the domain of a recipient. */
export type ChoiceKind = 'domain' | 'to' | 'key' | 'tag'

/** A filter by a named thing. */
export interface ChoiceMenuProps {
  company: string
  kind: ChoiceKind
  label: string
  /** The placeholder of the search field. */
  about: string
  /** Typed text may be chosen although it is not among the options. */
  free?: boolean
  value: string | undefined
  onChange: (value: string | undefined) => void
}

/** The number of newest emails whose tags are offered. */
const LOOKED_AT = 100
const SHOWN = 8

const tagsQuery = (company: string) =>
  queryOptions({
    queryKey: ['tags', company],
    queryFn: async ({ signal }) => {
      const query = { limit: LOOKED_AT }
      const { emails } = await call('GET /companies/:company/emails', { company, query, signal })
      const counts = new Map<string, number>()
      for (const tag of emails.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
      return [...counts].map(([value, count]) => ({
        value,
        about: count === 1 ? 'used once recently' : `used ${count} times recently`,
      }))
    },
    staleTime: 10_000,
  })

/** The recipient domains with the most mail of the last 30 days. Any other can be typed. */
const destinationsQuery = (company: string) =>
  read('GET /companies/:company/overview/destinations', { company, query: { span: 'month', limit: 200 } })

/** The options that contain `begun`. `kind`: `null` if no filter is being typed. */
export function useChoices(
  company: string,
  kind: ChoiceKind | null,
  begun: string,
): { choices: Choice[]; pending: boolean } {
  const search = begun.trim().toLowerCase()
  const domains = useQuery({ ...domainsQuery(company, search), enabled: kind === 'domain' })
  const destinations = useQuery({ ...destinationsQuery(company), enabled: kind === 'to' })
  const keys = useQuery({ ...keysQuery(company, { search }), enabled: kind === 'key' })
  const tags = useQuery({ ...tagsQuery(company), enabled: kind === 'tag' })
  const ofAll = company === ALL
  switch (kind) {
    case 'domain':
      return {
        pending: domains.isPending,
        choices: (domains.data?.domains ?? []).slice(0, SHOWN).map((domain) => ({
          value: domain.name,
          about: ofAll ? domain.company.name : '',
        })),
      }
    case 'to':
      return {
        pending: destinations.isPending,
        choices: (destinations.data?.busiest ?? [])
          .filter(({ name }) => name.includes(search))
          .slice(0, SHOWN)
          .map(({ name }) => ({ value: name, about: '' })),
      }
    case 'key': {
      const found = keys.data?.keys ?? []
      const isOne = (name: string) => found.filter((key) => key.name === name).length === 1
      return {
        pending: keys.isPending,
        choices: found.slice(0, SHOWN).map((key) => ({
          // Keys of the same name are told apart by their ids.
          value: isOne(key.name) ? key.name : key.id,
          about: [isOne(key.name) ? '' : key.name, ofAll ? key.company.name : ''].filter(Boolean).join(', '),
        })),
      }
    }
    case 'tag':
      return {
        pending: tags.isPending,
        choices: (tags.data ?? [])
          .filter(({ value }) => value.toLowerCase().includes(search))
          .slice(0, SHOWN),
      }
    default:
      return { pending: false, choices: [] }
  }
}
