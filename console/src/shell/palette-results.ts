/** The domains, keys, webhooks and people of the company whose names contain the typed text. */
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Globe, KeyRound, UserRound, Webhook } from 'lucide-react'
import { domainsQuery } from '../api/domains.ts'
import { keysQuery } from '../api/keys.ts'
import { teamQuery } from '../api/team.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { visible } from '../parts/untrusted-text.tsx'
import { ALL, useCompany } from './company.ts'
import type { PaletteCommand } from './palette-command.ts'

/** Milliseconds after the last key until the search starts. */
const TYPED_MS = 200
const MAX_OF_EACH = 5

export function usePaletteResults(text: string): PaletteCommand[] {
  const company = useCompany()
  const navigate = useNavigate()
  const [search] = useDebouncedValue(text, TYPED_MS)
  const enabled = search !== '' && text !== ''
  const ofOne = enabled && company !== ALL
  const domains = useQuery({ ...domainsQuery(company, search), enabled })
  const keys = useQuery({ ...keysQuery(company, { search }), enabled })
  const webhooks = useQuery({ ...webhooksQuery(company, {}), enabled, refetchInterval: false })
  const team = useQuery({ ...teamQuery(company), enabled: ofOne })
  if (!enabled) return []
  const wanted = text.toLowerCase()
  const matches = (...words: (string | null)[]) => words.some((word) => word?.toLowerCase().includes(wanted))
  const params = { company }
  return [
    ...(domains.data?.domains ?? []).slice(0, MAX_OF_EACH).map(({ id, name, company: { id: owner } }) => ({
      id: `domain ${id}`,
      label: `Domain ${visible(name)}`,
      icon: Globe,
      run: () => void navigate({ to: '/c/$company/domains/$domain', params: { company: owner, domain: id } }),
    })),
    ...(keys.data?.keys ?? []).slice(0, MAX_OF_EACH).map(({ id, name }) => ({
      id: `key ${id}`,
      label: `API key ${visible(name)}`,
      icon: KeyRound,
      run: () => void navigate({ to: '/c/$company/keys', params, search: { search: name } }),
    })),
    ...(webhooks.data?.data ?? [])
      .filter(({ url }) => matches(url))
      .slice(0, MAX_OF_EACH)
      .map(({ id, url }) => ({
        id: `webhook ${id}`,
        label: `Webhook ${visible(url)}`,
        icon: Webhook,
        run: () => void navigate({ to: '/c/$company/webhooks/$id', params: { company, id } }),
      })),
    ...(team.data?.members ?? [])
      .filter(({ name, address }) => matches(name, address))
      .slice(0, MAX_OF_EACH)
      .map(({ id, name, address }) => ({
        id: `person ${id}`,
        label: `Person ${visible([name, address].filter(Boolean).join(', '))}`,
        icon: UserRound,
        run: () => void navigate({ to: '/c/$company/team', params }),
      })),
  ]
}
