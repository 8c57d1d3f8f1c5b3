/** `/v3/{domain}/stats/total`, `/v3/stats/total` and `/v3/{domain}/tags`: what was counted. */
import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import { invalidField } from '../../../intake/refusal.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { Fault } from '../../fault.ts'
import { LIMIT, lastOf } from '../limit.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { OF_DOMAIN } from '../schemas.ts'
import { utcDate } from '../suppressions/lists.ts'
import { addUp, STATS } from './figures.ts'
import { type PeriodGiven, readPeriod, stepOf } from './period.ts'

const TEXT = { type: 'string' } as const
const TEXTS = { anyOf: [TEXT, { type: 'array', items: TEXT }] } as const
const ANYTHING = { type: 'object', additionalProperties: true } as const

const STATS_QUERY = {
  type: 'object',
  required: ['event'],
  properties: {
    event: { ...TEXTS, description: `Which of ${Object.keys(STATS).join(', ')}; several may be given.` },
    start: { type: 'string', description: 'A date as in a mail header, or Unix seconds.' },
    end: TEXT,
    resolution: { enum: ['hour', 'day', 'month'] },
    duration: { type: 'string', description: 'A number with h, d, w or m, e.g. `7d`; instead of `start`.' },
  },
} as const

const STATS_SHOWN = {
  type: 'object',
  properties: {
    tag: TEXT,
    description: TEXT,
    start: TEXT,
    end: TEXT,
    resolution: TEXT,
    stats: { type: 'array', items: ANYTHING },
  },
} as const

interface StatsAsked extends PeriodGiven {
  event: string | string[]
}

interface Counted {
  domain: SendingDomain | null
  dimension: 'all' | 'tag'
  value: string | null
}

async function statsOf(core: HttpCore, { companyId }: Principal, asked: StatsAsked, counted: Counted) {
  const events = [...new Set([asked.event].flat())]
  const unknown = events.find((event) => !Object.hasOwn(STATS, event))
  if (unknown !== undefined) {
    throw invalidField('event', `there is no "${unknown}"; there are ${Object.keys(STATS).join(', ')}`)
  }
  const { since, until, resolution, size, steps } = readPeriod(asked, Date.now())
  const { domain, dimension, value } = counted
  const range = { companyId, domainId: domain?.id ?? null, size, dimension, value, since, until }
  const counts = await core.deps.store.countEvents(range)
  const byStep = addUp(counts, ({ start }) => String(stepOf(start, resolution)))
  const none = new Map<string, number>()
  return {
    start: utcDate(since),
    end: utcDate(steps.at(-1)!),
    resolution,
    stats: steps.map((step) => {
      const figures = byStep.get(String(step)) ?? none
      const shown = events.map((event) => [event, STATS[event]!(figures)])
      return { time: utcDate(step), ...Object.fromEntries(shown) }
    }),
  }
}

const ofDomain = endpoint({
  method: 'GET',
  url: '/v3/:domain/stats/total',
  operation: 'form_stats',
  access: 'reading',
  schema: {
    operationId: 'formDomainStats',
    summary: 'How many events a domain had',
    params: OF_DOMAIN,
    querystring: STATS_QUERY,
    response: { 200: STATS_SHOWN },
  },
})(async ({ caller, params, query }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  const body = await statsOf(core, caller, query, { domain, dimension: 'all', value: null })
  return { status: 200, body }
})

const ofAll = endpoint({
  method: 'GET',
  url: '/v3/stats/total',
  operation: 'form_stats',
  access: 'reading',
  schema: {
    operationId: 'formStats',
    summary: 'How many events all domains of the company had',
    querystring: STATS_QUERY,
    response: { 200: STATS_SHOWN },
  },
})(async ({ caller, query }, core) => {
  const domain = onlyDomain(core, caller)
  const body = await statsOf(core, caller, query, { domain, dimension: 'all', value: null })
  return { status: 200, body }
})

/** A key for one domain counts that one alone. */
export function onlyDomain({ deps }: HttpCore, { domainId }: Principal): SendingDomain | null {
  return domainId === null ? null : (deps.accounts.directory.domain(domainId) ?? null)
}

const TAG = {
  type: 'object',
  properties: { tag: TEXT, description: TEXT, 'first-seen': TEXT, 'last-seen': TEXT },
} as const

interface SeenTag {
  tag: string
  first: number
  last: number
}

/** By name. The days on which they were seen first and last. */
async function tagsOf(
  core: HttpCore,
  { companyId }: Principal,
  domain: SendingDomain,
  tag: string | null,
): Promise<SeenTag[]> {
  const range = { companyId, domainId: domain.id, size: 'day', dimension: 'tag' } as const
  const counts = await core.deps.store.countEvents({
    ...range,
    value: tag,
    since: 0,
    until: Number.MAX_SAFE_INTEGER,
  })
  const seen = new Map<string, SeenTag>()
  for (const { value, start } of counts) {
    const known = seen.get(value)
    if (known === undefined) seen.set(value, { tag: value, first: start, last: start })
    else known.last = Math.max(known.last, start)
  }
  return [...seen.values()].sort((a, b) => (a.tag < b.tag ? -1 : 1))
}

function tagShown({ tag, first, last }: SeenTag) {
  return {
    tag,
    description: '',
    'first-seen': new Date(first).toISOString(),
    'last-seen': new Date(last).toISOString(),
  }
}

const listTags = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags',
  operation: 'form_tag_list',
  access: 'reading',
  schema: {
    operationId: 'formListTags',
    summary: 'The tags that mail of a domain had',
    params: OF_DOMAIN,
    querystring: {
      type: 'object',
      required: ['limit', 'tag', 'page', 'prefix'],
      properties: {
        limit: LIMIT,
        page: { enum: ['', 'first', 'last', 'next', 'previous'], default: '' },
        tag: { type: 'string', default: '', description: 'Where `page` goes on from.' },
        prefix: { type: 'string', default: '' },
      },
    },
    response: {
      200: {
        type: 'object',
        properties: {
          items: { type: 'array', items: TAG },
          paging: {
            type: 'object',
            properties: { first: TEXT, last: TEXT, next: TEXT, previous: TEXT },
          },
        },
      },
    },
  },
})(async ({ caller, params, query, request }, core) => {
  const { page, tag, prefix } = query
  const limit = lastOf(query.limit)
  const domain = await ownDomain(core, caller, params.domain)
  const all = (await tagsOf(core, caller, domain, null)).filter((each) => each.tag.startsWith(prefix))
  const before = page === 'previous' ? all.filter((each) => each.tag < tag) : all
  const found =
    page === 'last' || page === 'previous'
      ? before.slice(-limit)
      : all.filter((each) => page !== 'next' || each.tag > tag).slice(0, limit)
  const link = (to: string, from: string) => {
    const values = new URLSearchParams({ page: to, tag: from, limit: String(limit), prefix })
    return linkTo(core, request, `/v3/${domain.name}/tags?${values}`)
  }
  return {
    status: 200,
    body: {
      items: found.map(tagShown),
      paging: {
        first: link('first', ''),
        last: link('last', ''),
        next: link('next', found.at(-1)?.tag ?? tag),
        previous: link('previous', found[0]?.tag ?? tag),
      },
    },
  }
})

const OF_TAG = {
  type: 'object',
  required: ['domain', 'tag'],
  properties: { domain: TEXT, tag: TEXT },
} as const

async function requireTag(
  core: HttpCore,
  caller: Principal,
  { domain: name, tag }: { domain: string; tag: string },
) {
  const domain = await ownDomain(core, caller, name)
  const [found] = await tagsOf(core, caller, domain, tag)
  if (found !== undefined) return { domain, found }
  throw new Fault({ code: 'operation_refused', why: 'not_found', detail: 'Tag not found' })
}

const showTag = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_read',
  access: 'reading',
  schema: {
    operationId: 'formShowTag',
    summary: 'When a tag was seen first and last',
    params: OF_TAG,
    response: { 200: TAG },
  },
})(async ({ caller, params }, core) => {
  const { found } = await requireTag(core, caller, params)
  return { status: 200, body: tagShown(found) }
})

const statsOfTag = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags/:tag/stats',
  operation: 'form_stats',
  access: 'reading',
  schema: {
    operationId: 'formTagStats',
    summary: 'How many events mail with a tag had',
    params: OF_TAG,
    querystring: STATS_QUERY,
    response: { 200: STATS_SHOWN },
  },
})(async ({ caller, params, query }, core) => {
  const { domain, found } = await requireTag(core, caller, params)
  const stats = await statsOf(core, caller, query, { domain, dimension: 'tag', value: found.tag })
  return { status: 200, body: { tag: found.tag, description: '', ...stats } }
})

export const statsRoutes: readonly Endpoint[] = [ofDomain, ofAll, listTags, showTag, statsOfTag]
