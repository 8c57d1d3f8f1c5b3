import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  COMPANY_RELAY,
  DOMAIN,
  DOMAINS,
  NEW_DKIM_KEY,
  NEW_DOMAIN,
  NEW_RELAY,
  RECORD_CHECK,
  RELAY,
  VERIFIED_DOMAIN,
  WANTED_RECORD,
  WHOLE_DOMAIN,
} from '../../../src/http/console/contract/domains.ts'
import { get, patch, pathOf, post, put, remove } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type Domain = Static<typeof DOMAIN>
export type WholeDomain = Static<typeof WHOLE_DOMAIN>
export type WantedRecord = Static<typeof WANTED_RECORD>
export type RecordCheck = Static<typeof RECORD_CHECK>
export type Relay = Static<typeof RELAY>
export type NewRelay = Static<typeof NEW_RELAY>

const all = (company: string) => `/companies${pathOf(company)}/domains`
const one = (company: string, id: string) => `${all(company)}${pathOf(id)}`

/** The newest domains that match. `sending`: only domains that may send. */
export const domainsQuery = (company: string, search?: string | undefined, sending = false) =>
  queryOptions({
    queryKey: ['domains', company, search ?? '', sending],
    queryFn: ({ signal }) =>
      get<Static<typeof DOMAINS>>(all(company), { search, ...(sending && { sending: 'active' }) }, signal),
    placeholderData: keepPreviousData,
  })

export const domainQuery = (company: string, id: string) =>
  queryOptions({
    queryKey: ['domain', company, id],
    queryFn: ({ signal }) => get<WholeDomain>(one(company, id), {}, signal),
  })

/** Milliseconds between two checks of a record that is not right yet. */
const LOOK_EVERY = 15_000

/** The result of a DNS lookup for one record, repeated while the page is open until the record is right. */
export const checkQuery = (company: string, id: string, record: string) =>
  queryOptions({
    queryKey: ['domain-check', company, id, record],
    queryFn: ({ signal }) => get<RecordCheck>(`${one(company, id)}/check`, { name: record }, signal),
    staleTime: LOOK_EVERY,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data } }) => (data?.state === 'right' ? false : LOOK_EVERY),
  })

/** Shows a changed domain at once, and reloads the lists that contain it. */
function changed(company: string, domain: WholeDomain): WholeDomain {
  queries.setQueryData(domainQuery(company, domain.id).queryKey, domain)
  void invalidate('domains', 'senders')
  return domain
}

export async function addDomain(company: string, domain: Static<typeof NEW_DOMAIN>): Promise<WholeDomain> {
  return changed(company, await post<WholeDomain>(all(company), domain))
}

export async function verifyDomain(company: string, id: string): Promise<Static<typeof VERIFIED_DOMAIN>> {
  const verified = await post<Static<typeof VERIFIED_DOMAIN>>(`${one(company, id)}/verify`)
  for (const record of verified.records) {
    queries.setQueryData(checkQuery(company, id, record.name).queryKey, record)
  }
  changed(company, verified.domain)
  return verified
}

export async function setSending(
  company: string,
  id: string,
  sending: 'active' | 'suspended',
): Promise<WholeDomain> {
  return changed(company, await put<WholeDomain>(`${one(company, id)}/sending`, { sending }))
}

export async function setSpeaksFor(company: string, id: string, speaksFor: string[]): Promise<WholeDomain> {
  return changed(company, await patch<WholeDomain>(one(company, id), { speaksFor }))
}

export async function removeDomain(company: string, id: string): Promise<void> {
  await remove(one(company, id))
  void invalidate('domains', 'senders')
}

export async function addDkimKey(
  company: string,
  id: string,
  key: Static<typeof NEW_DKIM_KEY>,
): Promise<WholeDomain> {
  return changed(company, await post<WholeDomain>(`${one(company, id)}/dkim`, key))
}

export async function changeDkimKey(
  company: string,
  id: string,
  selector: string,
  change: { active: boolean } | { selector: string },
): Promise<WholeDomain> {
  return changed(company, await patch<WholeDomain>(`${one(company, id)}/dkim${pathOf(selector)}`, change))
}

export async function removeDkimKey(company: string, id: string, selector: string): Promise<WholeDomain> {
  return changed(company, await remove<WholeDomain>(`${one(company, id)}/dkim${pathOf(selector)}`))
}

export const relayQuery = (company: string) =>
  queryOptions({
    queryKey: ['relay', company],
    queryFn: ({ signal }) =>
      get<Static<typeof COMPANY_RELAY>>(`/companies${pathOf(company)}/relay`, {}, signal),
  })

/** `null` removes the relay: the domain's mail then takes the company's route or the default route. */
export async function setDomainRelay(
  company: string,
  id: string,
  relay: NewRelay | null,
): Promise<WholeDomain> {
  const path = `${one(company, id)}/relay`
  return changed(
    company,
    relay === null ? await remove<WholeDomain>(path) : await put<WholeDomain>(path, relay),
  )
}

export async function setCompanyRelay(company: string, relay: NewRelay | null): Promise<void> {
  const path = `/companies${pathOf(company)}/relay`
  const now =
    relay === null
      ? await remove<Static<typeof COMPANY_RELAY>>(path)
      : await put<Static<typeof COMPANY_RELAY>>(path, relay)
  queries.setQueryData(relayQuery(company).queryKey, now)
  void invalidate('domain')
}
