import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer } from './client.ts'
import { invalidate, queries } from './queries.ts'

export type Domain = JsonAnswer<'GET /companies/:company/domains'>['domains'][number]
export type WholeDomain = JsonAnswer<'GET /companies/:company/domains/:domain'>
export type RequiredRecord = WholeDomain['records'][number]
export type RecordCheck = JsonAnswer<'GET /companies/:company/domains/:domain/check'>
export type DomainRelay = NonNullable<WholeDomain['relay']>
export type NewRelay = Body<'PUT /companies/:company/relay'>
type Sending = Body<'PUT /companies/:company/domains/:domain/sending'>['sending']

/** The newest domains that match. `sending`: only domains that may send. */
export const domainsQuery = (company: string, search?: string | undefined, sending = false) =>
  queryOptions({
    queryKey: ['domains', company, search ?? '', sending],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/domains', {
        company,
        query: { search, sending: sending ? 'active' : undefined },
        signal,
      }),
    placeholderData: keepPreviousData,
  })

export const domainQuery = (company: string, domain: string) =>
  queryOptions({
    queryKey: ['domain', company, domain],
    queryFn: ({ signal }) => call('GET /companies/:company/domains/:domain', { company, domain, signal }),
  })

/** Milliseconds between two checks of a record that is not right yet. */
const LOOK_EVERY = 15_000

/** The result of a DNS lookup for one record, repeated while the page is open until the record is right. */
export const checkQuery = (company: string, domain: string, record: string) =>
  queryOptions({
    queryKey: ['domain-check', company, domain, record],
    queryFn: ({ signal }) =>
      call('GET /companies/:company/domains/:domain/check', {
        company,
        domain,
        query: { name: record },
        signal,
      }),
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

export async function addDomain(
  company: string,
  body: Body<'POST /companies/:company/domains'>,
): Promise<WholeDomain> {
  return changed(company, await call('POST /companies/:company/domains', { company, body }))
}

export async function verifyDomain(company: string, domain: string) {
  const verified = await call('POST /companies/:company/domains/:domain/verify', { company, domain })
  for (const record of verified.records) {
    queries.setQueryData(checkQuery(company, domain, record.name).queryKey, record)
  }
  changed(company, verified.domain)
  return verified
}

export async function setSending(company: string, domain: string, sending: Sending): Promise<WholeDomain> {
  return changed(
    company,
    await call('PUT /companies/:company/domains/:domain/sending', { company, domain, body: { sending } }),
  )
}

export async function setSpeaksFor(
  company: string,
  domain: string,
  speaksFor: string[],
): Promise<WholeDomain> {
  return changed(
    company,
    await call('PATCH /companies/:company/domains/:domain', { company, domain, body: { speaksFor } }),
  )
}

export async function removeDomain(company: string, domain: string): Promise<void> {
  await call('DELETE /companies/:company/domains/:domain', { company, domain })
  void invalidate('domains', 'senders')
}

export async function addDkimKey(
  company: string,
  domain: string,
  body: Body<'POST /companies/:company/domains/:domain/dkim'>,
): Promise<WholeDomain> {
  return changed(
    company,
    await call('POST /companies/:company/domains/:domain/dkim', { company, domain, body }),
  )
}

export async function changeDkimKey(
  company: string,
  domain: string,
  selector: string,
  body: { active: boolean } | { selector: string },
): Promise<WholeDomain> {
  return changed(
    company,
    await call('PATCH /companies/:company/domains/:domain/dkim/:selector', {
      company,
      domain,
      selector,
      body,
    }),
  )
}

export async function removeDkimKey(company: string, domain: string, selector: string): Promise<WholeDomain> {
  return changed(
    company,
    await call('DELETE /companies/:company/domains/:domain/dkim/:selector', { company, domain, selector }),
  )
}

export const relayQuery = (company: string) =>
  queryOptions({
    queryKey: ['relay', company],
    queryFn: ({ signal }) => call('GET /companies/:company/relay', { company, signal }),
  })

/** `null` removes the relay: the domain's mail then takes the company's route or the default route. */
export async function setDomainRelay(
  company: string,
  domain: string,
  relay: NewRelay | null,
): Promise<WholeDomain> {
  const of = { company, domain }
  return changed(
    company,
    relay === null
      ? await call('DELETE /companies/:company/domains/:domain/relay', of)
      : await call('PUT /companies/:company/domains/:domain/relay', { ...of, body: relay }),
  )
}

export async function setCompanyRelay(company: string, relay: NewRelay | null): Promise<void> {
  const now =
    relay === null
      ? await call('DELETE /companies/:company/relay', { company })
      : await call('PUT /companies/:company/relay', { company, body: relay })
  queries.setQueryData(relayQuery(company).queryKey, now)
  void invalidate('domain')
}
