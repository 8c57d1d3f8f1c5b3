/** `/v3/{domain}/tag?tag=`: the routes of one tag that name it in the query. */

import { invalidField } from '../../../intake/refusal.ts'
import { LINE, PASSAGE, WORD } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'
import { fieldIn } from '../query-or-body.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { AGGREGATES, aggregatesOfTag, TAG_AGGREGATES, type TagAggregate } from '../stats/aggregates.ts'
import { STATS_ANSWER, STATS_QUERY } from '../stats/routes.ts'
import { countsOfTag, describe, remove, requireTag, TAG, tagJson } from './one-tag.ts'
import { findTags, NO_TAG_LIMIT } from './tag-times.ts'

const URL = '/v3/:domain/tag'
const BY_NAME = { type: 'object', required: ['tag'], properties: { tag: LINE } } as const

const show = route(`GET ${URL}`, {
  operation: 'form_tag_read',
  access: 'reading',
  operationId: 'formShowTagByQuery',
  summary: 'Get a tag with its first and last use',
  query: BY_NAME,
  answer: TAG,
})(async ({ caller, params, query }, core) => {
  const { found } = await requireTag(core, caller, { ...params, ...query })
  return tagJson(found)
})

const update = route(`PUT ${URL}`, {
  operation: 'form_tag_update',
  access: 'management',
  operationId: 'formUpdateTagByQuery',
  summary: 'Describe a tag',
  query: { ...BY_NAME, properties: { tag: LINE, description: PASSAGE } },
  body: { type: 'object', properties: { description: PASSAGE } },
  answer: MESSAGE_ONLY,
})(async ({ caller, params, query: { tag, description }, body }, core) => {
  const one = { domain: params.domain, tag }
  return await describe(core, caller, one, description ?? body.description ?? '')
})

const removal = route(`DELETE ${URL}`, {
  operation: 'form_tag_remove',
  access: 'management',
  operationId: 'formRemoveTagByQuery',
  summary: 'Hide a tag until it is used on another day; its counts are kept',
  query: { type: 'object', properties: { tag: LINE } },
  // The PHP client sends it in the body.
  body: { type: 'object', properties: { tag: LINE } },
  answer: MESSAGE_ONLY,
})(async ({ caller, params, query, body }, core) => {
  const tag = fieldIn('tag', query, body)
  return await remove(core, caller, { domain: params.domain, tag })
})

const stats = route(`GET ${URL}/stats`, {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formTagStatsByQuery',
  summary: 'Count the events of mail with a tag',
  query: {
    ...STATS_QUERY,
    required: ['event', 'tag'],
    properties: { ...STATS_QUERY.properties, tag: LINE, provider: WORD, device: WORD, country: WORD },
  },
  answer: STATS_ANSWER,
})(async ({ caller, params, query: { tag, ...asked } }, core) => {
  for (const by of TAG_AGGREGATES) {
    if (asked[by]) throw invalidField(by, `mail with a tag is not counted by ${by}`)
  }
  const one = { domain: params.domain, tag }
  return await countsOfTag(core, caller, one, asked)
})

const aggregates = route(`GET ${URL}/stats/aggregates`, {
  operation: 'form_aggregates',
  access: 'reading',
  operationId: 'formTagAggregates',
  summary: 'Counts by device and country are always empty: opens and clicks are not tracked',
  description: 'Counts by provider are refused: mail with a tag is not counted by recipient domain.',
  query: {
    type: 'object',
    required: ['tag', 'type'],
    properties: { tag: LINE, type: { enum: TAG_AGGREGATES } },
  },
  answer: {
    type: 'object',
    properties: { tag: { type: 'string' }, device: AGGREGATES, country: AGGREGATES },
  },
})(async ({ caller, params, query: { tag, type } }, core) => {
  const { found } = await requireTag(core, caller, { domain: params.domain, tag })
  const by: TagAggregate = type
  return { tag: found.tag, [by]: aggregatesOfTag(by) }
})

const limits = route('GET /v3/domains/:domain/limits/tag', {
  operation: 'form_tag_list',
  access: 'reading',
  operationId: 'formTagLimitsOfDomain',
  summary: 'Count the tags of a domain; there is no limit',
  answer: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The name of the domain.' },
      limit: {
        const: NO_TAG_LIMIT,
        description: 'There is no limit: this is the largest number that every client can read.',
      },
      count: { type: 'integer' },
    },
  },
})(async ({ caller, params }, core) => {
  const domain = await ownDomain(core, caller, params.domain)
  const { total: count } = await findTags(core, caller, domain, { limit: 0 })
  return { id: domain.name, limit: NO_TAG_LIMIT, count }
})

export const tagByQueryRoutes: readonly Endpoint[] = [show, update, removal, stats, aggregates, limits]
