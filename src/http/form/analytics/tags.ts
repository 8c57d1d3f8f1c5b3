/** `/v1/analytics/tags`: the tags of all domains together, for the newest clients. */

import type { Principal } from '../../../accounts/account.ts'
import { mailDate } from '../../../ingress/message-form/date.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { describeTag, removeTag } from '../../../operate/tags.ts'
import type { SeenTagsRequest, TagOrder } from '../../../store/store.ts'
import { LINE, PASSAGE, SKIP, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { groupsOf } from '../../counts.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { MESSAGE_ONLY, TEXT } from '../schemas.ts'
import { METRICS } from '../stats/figures.ts'
import { onlyDomain } from '../stats/routes.ts'
import { findTag, findTags, NO_TAG_LIMIT } from '../tags/tag-times.ts'

const USUAL_SORT = 'lastseen:desc'
const USUAL_LIMIT = 10
/** The most tags of a page with metrics, because each takes a separate count. */
const MAX_WITH_METRICS = 20

const COLUMNS = new Map<string, TagOrder>([
  ['tag', 'tag'],
  ['description', 'description'],
  ['firstseen', 'first'],
  ['lastseen', 'last'],
])

/** Parses `sort`: a column, and `:asc` or `:desc`. Throws a Refusal. */
function orderOf(sort: string): SeenTagsRequest['order'] {
  const [, name = '', direction = 'asc'] = /^(\w+)(?::(asc|desc))?$/.exec(sort) ?? []
  const by = COLUMNS.get(name.replace('_', ''))
  if (by !== undefined) return { by, falling: direction === 'desc' }
  const columns = [...COLUMNS.keys()].join(', ')
  throw invalidField('pagination.sort', `it takes one of ${columns}, with :asc or :desc`)
}

const list = route('POST /v1/analytics/tags', {
  operation: 'form_tag_list',
  access: 'reading',
  operationId: 'formListAllTags',
  summary: 'List the tags of mail of all domains',
  body: {
    type: 'object',
    properties: {
      tag: { ...LINE, description: 'A tag, or the beginning of its name.' },
      include_metrics: {
        type: 'boolean',
        description: `Adds the counts of each tag; a page then has at most ${MAX_WITH_METRICS} tags.`,
      },
      include_subaccounts: { type: 'boolean' },
      pagination: {
        anyOf: [
          {
            type: 'object',
            properties: {
              sort: { ...WORD, description: 'Such as `lastseen:desc`.' },
              skip: SKIP,
              limit: { type: 'integer', minimum: 1, maximum: 1_000 },
              include_total: { type: 'boolean' },
              total: { type: 'integer' },
            },
          },
          // The Ruby client sends a form with its own object notation; it is accepted and ignored.
          PASSAGE,
        ],
      },
    },
  },
  answer: {
    type: 'object',
    required: ['items', 'pagination'],
    properties: {
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            account_id: TEXT,
            parent_account_id: TEXT,
            account_name: TEXT,
            tag: TEXT,
            description: TEXT,
            first_seen: TEXT,
            last_seen: TEXT,
            metrics: { type: 'object', additionalProperties: true },
          },
        },
      },
      pagination: {
        type: 'object',
        properties: {
          sort: TEXT,
          skip: { type: 'integer' },
          limit: { type: 'integer' },
          total: { type: 'integer' },
        },
      },
    },
  },
})(async ({ caller, body }, core) => {
  const pages = typeof body.pagination === 'object' ? body.pagination : {}
  const { sort = USUAL_SORT, skip = 0, limit = USUAL_LIMIT, include_total = false } = pages
  const withMetrics = body.include_metrics === true
  if (withMetrics && limit > MAX_WITH_METRICS) {
    throw invalidField('pagination.limit', `it is at most ${MAX_WITH_METRICS} with include_metrics`)
  }
  const { tags, total: found } = await findTags(core, caller, null, {
    prefix: body.tag ?? '',
    order: orderOf(sort),
    skip,
    limit,
  })
  const company = core.deps.accounts.directory.company(caller.companyId)
  const items = tags.map(async ({ tag, description, first, last }) => ({
    account_id: caller.companyId,
    parent_account_id: caller.companyId,
    account_name: company?.name ?? '',
    tag,
    description,
    first_seen: mailDate(first),
    last_seen: mailDate(last),
    metrics: withMetrics ? await metricsOf(core, caller, tag) : {},
  }))
  const total = include_total ? { total: found } : {}
  return { items: await Promise.all(items), pagination: { sort, skip, limit, ...total } }
})

async function metricsOf(core: HttpCore, caller: Principal, tag: string): Promise<Record<string, unknown>> {
  const { sums } = await groupsOf(core, {
    companyId: caller.companyId,
    domainId: onlyDomain(core, caller)?.id ?? null,
    size: 'day',
    dimension: 'tag',
    value: tag,
    since: 0,
    until: Number.MAX_SAFE_INTEGER,
    by: { time: null, value: false },
    skip: 0,
    limit: 1,
  })
  return Object.fromEntries(Object.entries(METRICS).map(([name, read]) => [name, read(sums)]))
}

const limits = route('GET /v1/analytics/tags/limits', {
  operation: 'form_tag_list',
  access: 'reading',
  operationId: 'formTagLimits',
  summary: 'Count the tags; there is no limit',
  answer: {
    type: 'object',
    properties: {
      limit: {
        const: NO_TAG_LIMIT,
        description: 'There is no limit: this is the largest number that every client can read.',
      },
      count: { type: 'integer' },
      limit_reached: { const: false },
    },
  },
})(async ({ caller }, core) => {
  const { total: count } = await findTags(core, caller, null, { limit: 0 })
  return { limit: NO_TAG_LIMIT, count, limit_reached: false }
})

const update = route('PUT /v1/analytics/tags', {
  operation: 'form_tag_update',
  access: 'management',
  operationId: 'formUpdateAnyTag',
  summary: 'Describe a tag, in every domain that lists it',
  body: { type: 'object', required: ['tag'], properties: { tag: LINE, description: PASSAGE } },
  answer: MESSAGE_ONLY,
})(async ({ caller, body: { tag, description = '' } }, core) => {
  const { domainIds } = await findTag(core, caller, null, tag)
  const op = await currentOperation(core, caller)
  for (const domain of domainIds) await describeTag(op, { domain, tag, description })
  return { message: 'Tag updated' }
})

const remove = route('DELETE /v1/analytics/tags', {
  operation: 'form_tag_remove',
  access: 'management',
  operationId: 'formRemoveAnyTag',
  summary: 'Hide a tag until it is used on another day; its counts are kept',
  body: { type: 'object', required: ['tag'], properties: { tag: LINE } },
  answer: MESSAGE_ONLY,
})(async ({ caller, body: { tag } }, core) => {
  const { domainIds } = await findTag(core, caller, null, tag)
  const op = await currentOperation(core, caller)
  for (const domain of domainIds) await removeTag(op, { domain, tag })
  return { message: 'Tag deleted' }
})

export const allTagRoutes: readonly Endpoint[] = [list, limits, update, remove]
