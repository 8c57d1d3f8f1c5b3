/** `/v3/{domain}/tags`: the tags of a domain's mail, and their figures. */

import { LINE, PASSAGE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { LIMIT, lastOf } from '../limit.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { AGGREGATES } from '../stats/aggregates.ts'
import { STATS_QUERY, STATS_SHOWN } from '../stats/routes.ts'
import { countsOfTag, describe, remove, requireTag, TAG, tagJson } from './one-tag.ts'
import { findTags } from './tag-times.ts'

const TEXT = { type: 'string' } as const

const listTags = route('GET /v3/:domain/tags', {
  operation: 'form_tag_list',
  access: 'reading',
  operationId: 'formListTags',
  summary: 'List the tags of mail of a domain',
  query: {
    type: 'object',
    required: ['limit', 'tag', 'page', 'prefix'],
    properties: {
      limit: LIMIT,
      page: { enum: ['', 'first', 'last', 'next', 'previous'], default: '' },
      tag: { ...LINE, default: '', description: 'The entry at which `page` continues.' },
      prefix: { ...LINE, default: '' },
    },
  },
  answer: {
    type: 'object',
    properties: {
      items: { type: 'array', items: TAG },
      paging: {
        type: 'object',
        properties: { first: TEXT, last: TEXT, next: TEXT, previous: TEXT },
      },
    },
  },
})(async ({ caller, params, query, request }, core) => {
  const { page, tag, prefix } = query
  const limit = lastOf(query.limit)
  const domain = await ownDomain(core, caller, params.domain)
  const backwards = page === 'last' || page === 'previous'
  const { tags } = await findTags(core, caller, domain, {
    prefix,
    limit,
    order: { by: 'tag', falling: backwards },
    ...(page === 'next' && { after: tag }),
    ...(page === 'previous' && { before: tag }),
  })
  const found = backwards ? tags.toReversed() : tags
  const link = (to: string, from: string) => {
    const values = new URLSearchParams({ page: to, tag: from, limit: String(limit), prefix })
    return linkTo(core, request, `/v3/${domain.name}/tags?${values}`)
  }
  return {
    items: found.map(tagJson),
    paging: {
      first: link('first', ''),
      last: link('last', ''),
      next: link('next', found.at(-1)?.tag ?? tag),
      previous: link('previous', found[0]?.tag ?? tag),
    },
  }
})

const showTag = route('GET /v3/:domain/tags/:tag', {
  operation: 'form_tag_read',
  access: 'reading',
  operationId: 'formShowTag',
  summary: 'Get a tag with its first and last use',
  answer: TAG,
})(async ({ caller, params }, core) => {
  const { found } = await requireTag(core, caller, params)
  return tagJson(found)
})

const statsOfTag = route('GET /v3/:domain/tags/:tag/stats', {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formTagStats',
  summary: 'Count the events of mail with a tag',
  query: STATS_QUERY,
  answer: STATS_SHOWN,
})(async ({ caller, params, query }, core) => {
  return await countsOfTag(core, caller, params, query)
})

const PLURAL = { device: 'devices', country: 'countries' } as const

const aggregates = (['device', 'country'] as const).map((by) =>
  route(`GET /v3/:domain/tags/:tag/stats/aggregates/${PLURAL[by]}`, {
    operation: 'form_aggregates',
    access: 'reading',
    operationId: by === 'device' ? 'formTagDevices' : 'formTagCountries',
    summary: 'Always empty: opens and clicks are not tracked',
    answer: { type: 'object', properties: { tag: { type: 'string' }, [PLURAL[by]]: AGGREGATES } },
  })(async ({ caller, params }, core) => {
    const { found } = await requireTag(core, caller, params)
    return { tag: found.tag, [PLURAL[by]]: {} }
  }),
)

const update = route('PUT /v3/:domain/tags/:tag', {
  operation: 'form_tag_update',
  access: 'management',
  operationId: 'formUpdateTag',
  summary: 'Describe a tag',
  body: { type: 'object', properties: { description: { ...PASSAGE, default: '' } } },
  answer: MESSAGE_ONLY,
})(async ({ caller, params, body }, core) => {
  return await describe(core, caller, params, body.description ?? '')
})

const removal = route('DELETE /v3/:domain/tags/:tag', {
  operation: 'form_tag_remove',
  access: 'management',
  operationId: 'formRemoveTag',
  summary: 'Hide a tag until it is used on another day; its counts are kept',
  answer: MESSAGE_ONLY,
})(async ({ caller, params }, core) => {
  return await remove(core, caller, params)
})

export const tagRoutes: readonly Endpoint[] = [
  ...[listTags, showTag, update, removal],
  ...[statsOfTag, ...aggregates],
]
