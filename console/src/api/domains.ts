import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Body, call, type JsonAnswer } from './client.ts'
import { SHOWN_EMAILS } from './email.ts'
import { change, invalidate, queries, read } from './queries.ts'

const LIST = 'GET /companies/:company/domains'
const ONE = 'GET /companies/:company/domains/:domain'
const SENDERS = 'GET /companies/:company/senders'
/** Answers that depend on which domains there are, and which of them may send. */
const DEPENDENT = [
  LIST,
  SENDERS,
  'GET /companies/:company/setup',
  'GET /companies/:company/steps/:step',
  ...SHOWN_EMAILS,
] as const

export type Domain = JsonAnswer<typeof LIST>['domains'][number]
export type WholeDomain = JsonAnswer<typeof ONE>
export type DomainDkimKey = WholeDomain['dkim'][number]
export type RequiredRecord = WholeDomain['records'][number]
export type DomainCheck = JsonAnswer<'GET /companies/:company/domains/:domain/check'>
export type DomainRelay = NonNullable<WholeDomain['relay']>
export type NewRelay = Body<'PUT /companies/:company/relay'>
type Sending = Body<'PUT /companies/:company/domains/:domain/sending'>['sending']

/** The newest domains that match. `sending`: only domains that may send. */
export const domainsQuery = (company: string, search?: string | undefined, sending = false) => ({
  ...read(LIST, { company, query: { search, sending: sending ? 'active' : undefined } }),
  placeholderData: keepPreviousData,
})

/** Milliseconds between two checks of a record that is not right yet. */
const LOOK_EVERY = 15_000

/** Milliseconds for which the DNS provider of a zone is cached, since it hardly ever changes. */
const ZONE_KEPT = 5 * 60_000

/** While a rotation waits, the service may switch to the next key at any moment. */
export const domainQuery = (company: string, domain: string) =>
  queryOptions({
    ...read(ONE, { company, domain }),
    refetchInterval: ({ state: { data } }) =>
      data?.dkim.some(({ stage }) => stage === 'next') ? LOOK_EVERY : false,
  })

/** The result of a DNS lookup for one record, repeated while the page is open until the record is right. */
export const checkQuery = (
  company: string,
  domain: string,
  { name, type }: Pick<RequiredRecord, 'name' | 'type'>,
) =>
  queryOptions({
    ...read('GET /companies/:company/domains/:domain/check', { company, domain, query: { name, type } }),
    staleTime: LOOK_EVERY,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data } }) => (data?.state === 'right' ? false : LOOK_EVERY),
  })

export type SenderRecord = JsonAnswer<'GET /companies/:company/domains/:domain/sender'>['checks'][number]

/** Checks that receivers make of the sender, in addition to those of the domain's records. */
export const senderQuery = (company: string, domain: string) =>
  queryOptions({
    ...read('GET /companies/:company/domains/:domain/sender', { company, domain }),
    staleTime: LOOK_EVERY,
    refetchOnWindowFocus: true,
  })

export type DomainZone = JsonAnswer<'GET /companies/:company/domains/:domain/zone'>

/** The zone that the records are entered in, and its DNS provider. */
export const zoneQuery = (company: string, domain: string) =>
  queryOptions({
    ...read('GET /companies/:company/domains/:domain/zone', { company, domain }),
    staleTime: ZONE_KEPT,
  })

/** Shows a changed domain at once, and reloads the lists that contain it. */
async function shown(company: string, changing: Promise<WholeDomain>): Promise<WholeDomain> {
  const domain = await changing
  queries.setQueryData(domainQuery(company, domain.id).queryKey, domain)
  void invalidate(...DEPENDENT)
  return domain
}

export const addDomain = (company: string, body: Body<'POST /companies/:company/domains'>) =>
  shown(company, call('POST /companies/:company/domains', { company, body }))

export async function verifyDomain(company: string, domain: string): Promise<void> {
  const verified = await call('POST /companies/:company/domains/:domain/verify', { company, domain })
  for (const record of verified.records) {
    queries.setQueryData(checkQuery(company, domain, record).queryKey, record)
  }
  await shown(company, Promise.resolve(verified.domain))
}

export const setSending = (company: string, domain: string, sending: Sending) =>
  shown(
    company,
    call('PUT /companies/:company/domains/:domain/sending', { company, domain, body: { sending } }),
  )

export const setSpeaksFor = (company: string, domain: string, speaksFor: string[]) =>
  shown(company, call('PATCH /companies/:company/domains/:domain', { company, domain, body: { speaksFor } }))

export const setReturnPath = (company: string, domain: string, returnPath: string) =>
  shown(company, call('PATCH /companies/:company/domains/:domain', { company, domain, body: { returnPath } }))

export const setContentRetention = (company: string, domain: string, contentRetention: number | null) =>
  shown(
    company,
    call('PATCH /companies/:company/domains/:domain', { company, domain, body: { contentRetention } }),
  )

export const retentionQuery = (company: string) => read('GET /companies/:company/retention', { company })

export async function setCompanyRetention(company: string, own: number | null): Promise<void> {
  const now = await call('PUT /companies/:company/retention', { company, body: { own } })
  queries.setQueryData(retentionQuery(company).queryKey, now)
}

export const removeDomain = (company: string, domain: string) =>
  change('DELETE /companies/:company/domains/:domain', { company, domain }, ...DEPENDENT)

export const addDkimKey = (
  company: string,
  domain: string,
  body: Body<'POST /companies/:company/domains/:domain/dkim'>,
) => shown(company, call('POST /companies/:company/domains/:domain/dkim', { company, domain, body }))

/** For changes after which the domain needs other records: checks DNS, so that the domain's badge is right. */
async function checkedAfter(company: string, domain: string, changing: Promise<WholeDomain>): Promise<void> {
  await shown(company, changing)
  await verifyDomain(company, domain)
}

export const changeDkimKey = (
  company: string,
  domain: string,
  selector: string,
  body: { active: boolean; force: boolean } | { selector: string; force: boolean },
) =>
  checkedAfter(
    company,
    domain,
    call('PATCH /companies/:company/domains/:domain/dkim/:selector', { company, domain, selector, body }),
  )

/** Moves the DKIM keys into the operator's zone, or out of it. */
export const delegateDkim = (company: string, domain: string, delegated: boolean) =>
  shown(company, call('PATCH /companies/:company/domains/:domain', { company, domain, body: { delegated } }))

const ROTATION = '/companies/:company/domains/:domain/rotation'

export const rotateDkimKey = (company: string, domain: string) =>
  shown(company, call(`POST ${ROTATION}`, { company, domain }))

export const finishRotation = (company: string, domain: string, force: boolean) =>
  checkedAfter(company, domain, call(`PUT ${ROTATION}`, { company, domain, body: { force } }))

export const cancelRotation = (company: string, domain: string) =>
  shown(company, call(`DELETE ${ROTATION}`, { company, domain }))

export const removeDkimKey = (company: string, domain: string, selector: string) =>
  shown(
    company,
    call('DELETE /companies/:company/domains/:domain/dkim/:selector', { company, domain, selector }),
  )

export const relayQuery = (company: string) => read('GET /companies/:company/relay', { company })

/** `null` removes the relay: the domain's mail then takes the company's route or the default route. */
export const setDomainRelay = (company: string, domain: string, relay: NewRelay | null) =>
  shown(
    company,
    relay === null
      ? call('DELETE /companies/:company/domains/:domain/relay', { company, domain })
      : call('PUT /companies/:company/domains/:domain/relay', { company, domain, body: relay }),
  )

export async function setCompanyRelay(company: string, relay: NewRelay | null): Promise<void> {
  const now =
    relay === null
      ? await call('DELETE /companies/:company/relay', { company })
      : await call('PUT /companies/:company/relay', { company, body: relay })
  queries.setQueryData(relayQuery(company).queryKey, now)
  void invalidate(ONE)
}
