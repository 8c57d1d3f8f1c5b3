/** `/v3/{domain}/tags`: the tags of a domain's mail, and their figures. */

import { LINE, PASSAGE, PATH_NAME } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { LIMIT, lastOf } from '../limit.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY, OF_DOMAIN } from '../schemas.ts'
import { AGGREGATES } from '../stats/aggregates.ts'
import { STATS_QUERY, STATS_SHOWN } from '../stats/routes.ts'
import { countsOfTag, describe, remove, requireTag, TAG, tagJson } from './one-tag.ts'
import { findTags } from './tag-times.ts'

const TEXT = { type: 'string' } as const

const listTags = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags',
  operation: 'form_tag_list',
  access: 'reading',
  schema: {
    operationId: 'formListTags',
    summary: 'List the tags of mail of a domain',
    params: OF_DOMAIN,
    querystring: {
      type: 'object',
      required: ['limit', 'tag', 'page', 'prefix'],
      properties: {
        limit: LIMIT,
        page: { enum: ['', 'first', 'last', 'next', 'previous'], default: '' },
        tag: { ...LINE, default: '', description: 'The entry at which `page` continues.' },
        prefix: { ...LINE, default: '' },
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
    status: 200,
    body: {
      items: found.map(tagJson),
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
  properties: { domain: PATH_NAME, tag: PATH_NAME },
} as const

const showTag = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_read',
  access: 'reading',
  schema: {
    operationId: 'formShowTag',
    summary: 'Get a tag with its first and last use',
    params: OF_TAG,
    response: { 200: TAG },
  },
})(async ({ caller, params }, core) => {
  const { found } = await requireTag(core, caller, params)
  return { status: 200, body: tagJson(found) }
})

const statsOfTag = endpoint({
  method: 'GET',
  url: '/v3/:domain/tags/:tag/stats',
  operation: 'form_stats',
  access: 'reading',
  schema: {
    operationId: 'formTagStats',
    summary: 'Count the events of mail with a tag',
    params: OF_TAG,
    querystring: STATS_QUERY,
    response: { 200: STATS_SHOWN },
  },
})(async ({ caller, params, query }, core) => {
  return { status: 200, body: await countsOfTag(core, caller, params, query) }
})

const PLURAL = { device: 'devices', country: 'countries' } as const

const aggregates = (['device', 'country'] as const).map((by) =>
  endpoint({
    method: 'GET',
    url: `/v3/:domain/tags/:tag/stats/aggregates/${PLURAL[by]}`,
    operation: 'form_aggregates',
    access: 'reading',
    schema: {
      operationId: by === 'device' ? 'formTagDevices' : 'formTagCountries',
      summary: 'Always empty: opens and clicks are not tracked',
      params: OF_TAG,
      response: {
        200: { type: 'object', properties: { tag: { type: 'string' }, [PLURAL[by]]: AGGREGATES } },
      },
    },
  })(async ({ caller, params }, core) => {
    const { found } = await requireTag(core, caller, params)
    return { status: 200, body: { tag: found.tag, [PLURAL[by]]: {} } }
  }),
)

const update = endpoint({
  method: 'PUT',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_update',
  access: 'management',
  schema: {
    operationId: 'formUpdateTag',
    summary: 'Describe a tag',
    params: OF_TAG,
    body: { type: 'object', properties: { description: { ...PASSAGE, default: '' } } },
    response: { 200: MESSAGE_ONLY },
  },
})(async ({ caller, params, body }, core) => {
  return { status: 200, body: await describe(core, caller, params, body.description ?? '') }
})

const removal = endpoint({
  method: 'DELETE',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_remove',
  access: 'management',
  schema: {
    operationId: 'formRemoveTag',
    summary: 'Hide a tag until it is used on another day; its counts are kept',
    params: OF_TAG,
    response: { 200: MESSAGE_ONLY },
  },
})(async ({ caller, params }, core) => {
  return { status: 200, body: await remove(core, caller, params) }
})

export const tagRoutes: readonly Endpoint[] = [
  ...[listTags, showTag, update, removal],
  ...[statsOfTag, ...aggregates],
]
