/** `GET /v3/{domain}/events`: events of a domain's mail, for polling clients. */

import type { FastifyRequest } from 'fastify'
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import type { LongAnswer } from '../../answer.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { longJson } from '../../json-pieces.ts'
import { route } from '../../route.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { EVENT_QUERY, type EventQuery, readQuery } from './query.ts'
import { logLinks, searchEvents } from './search.ts'
import { type LogCursor, pageToken, readToken } from './token.ts'

const PAGE = {
  type: 'object',
  required: ['items', 'paging'],
  properties: {
    items: { type: 'array', items: { type: 'object', additionalProperties: true } },
    paging: {
      type: 'object',
      required: ['next', 'previous', 'first', 'last'],
      properties: {
        next: { type: 'string', description: 'Always present: request it again later for new events.' },
        previous: { type: 'string' },
        first: { type: 'string' },
        last: { type: 'string' },
      },
    },
  },
} as const

const listEvents = route('GET /v3/:domain/events', {
  operation: 'form_events',
  access: 'reading',
  operationId: 'formListEvents',
  summary: 'List the events of the mail of a domain',
  description:
    'Filters are expressions: words, "phrases", AND, OR, NOT, brackets, and <n or >n for `size`. ' +
    'Follow `paging.next` until `items` is empty, and request it again later for new events.',
  query: EVENT_QUERY,
  answer: PAGE,
})(async ({ caller, params, query, request }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  return await page(core, { caller, domain, request }, query, null)
})

// The rest of the path: a page token of any length, which contains the query.
const nextEvents = route('GET /v3/:domain/events/*', {
  operation: 'form_events',
  access: 'reading',
  operationId: 'formListMoreEvents',
  summary: 'Get a page of events by a paging URL',
  description: 'The URL includes the filters; query parameters are ignored.',
  answer: PAGE,
})(async ({ caller, params, request }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  const { query, place } = readToken(core, caller.companyId, params['*'])
  return await page(core, { caller, domain, request }, query, place)
})

interface EventsCall {
  caller: Principal
  domain: SendingDomain
  request: FastifyRequest
}

async function page(
  core: HttpCore,
  { caller, domain, request }: EventsCall,
  query: EventQuery,
  at: LogCursor | null,
): Promise<LongAnswer> {
  const selection = readQuery(query)
  const found = await searchEvents(core.deps.searches, {
    caller,
    domain,
    wanted: selection,
    place: at,
    base: core.publicUrl.urlOf(request.raw),
    gone: () => request.raw.socket.destroyed,
  })
  const path = `/v3/${domain.name}/events`
  const link = (place: LogCursor) =>
    linkTo(core, request, `${path}/${pageToken(core, caller.companyId, { place, query })}`)
  return longJson({ items: found.items, paging: logLinks(found, selection.ascending, link) })
}

export const eventRoutes: readonly Endpoint[] = [listEvents, nextEvents]
