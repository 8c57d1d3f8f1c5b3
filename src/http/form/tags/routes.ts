/** `/v3/{domain}/tags`: the tags that mail of a domain had, and what was counted of them. */

import type { Principal } from '../../../accounts/account.ts'
import { describeTag, removeTag } from '../../../operate/tags.ts'
import type { SeenTag } from '../../../store/store.ts'
import { LINE, PASSAGE, PATH_NAME } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { LIMIT, lastOf } from '../limit.ts'
import { linkTo } from '../link.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY, OF_DOMAIN } from '../schemas.ts'
import { STATS_QUERY, STATS_SHOWN, statsOf } from '../stats/routes.ts'
import { seenTag, seenTags } from './seen.ts'

const TEXT = { type: 'string' } as const

const TAG = {
  type: 'object',
  properties: { tag: TEXT, description: TEXT, 'first-seen': TEXT, 'last-seen': TEXT },
} as const

function tagShown({ tag, description, first, last }: SeenTag) {
  return {
    tag,
    description,
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
        tag: { ...LINE, default: '', description: 'Where `page` goes on from.' },
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
  const { tags } = await seenTags(core, caller, domain, {
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
  properties: { domain: PATH_NAME, tag: PATH_NAME },
} as const

async function requireTag(
  core: HttpCore,
  caller: Principal,
  { domain: name, tag }: { domain: string; tag: string },
) {
  const domain = await ownDomain(core, caller, name)
  return { domain, found: await seenTag(core, caller, domain, tag) }
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
  return { status: 200, body: { tag: found.tag, description: found.description, ...stats } }
})

const update = endpoint({
  method: 'PUT',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_update',
  access: 'management',
  schema: {
    operationId: 'formUpdateTag',
    summary: 'Says what a tag is for',
    params: OF_TAG,
    body: { type: 'object', properties: { description: { ...PASSAGE, default: '' } } },
    response: { 200: MESSAGE_ONLY },
  },
})(async ({ caller, params, body }, core) => {
  const { domain, found } = await requireTag(core, caller, params)
  const op = await currentOperation(core, caller)
  await describeTag(op, { domain: domain.id, tag: found.tag, description: body.description ?? '' })
  return { status: 200, body: { message: 'Tag updated' } }
})

const remove = endpoint({
  method: 'DELETE',
  url: '/v3/:domain/tags/:tag',
  operation: 'form_tag_remove',
  access: 'management',
  schema: {
    operationId: 'formRemoveTag',
    summary: 'Lists a tag no more before it is seen on another day; its figures stay',
    params: OF_TAG,
    response: { 200: MESSAGE_ONLY },
  },
})(async ({ caller, params }, core) => {
  const { domain, found } = await requireTag(core, caller, params)
  const op = await currentOperation(core, caller)
  await removeTag(op, { domain: domain.id, tag: found.tag })
  return { status: 200, body: { message: 'Tag deleted' } }
})

export const tagRoutes: readonly Endpoint[] = [listTags, showTag, update, remove, statsOfTag]
