/** `/v3/{domain}/tags`: the tags of a domain's mail, and their figures. */

import type { SeenTag } from '../../../store/store.ts'
import { LINE, PASSAGE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { route } from '../../route.ts'
import { keyedListRoutes, listAction } from '../keyed-list.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { AGGREGATES } from '../stats/aggregates.ts'
import { STATS_ANSWER, STATS_QUERY } from '../stats/routes.ts'
import { countsOfTag, describe, remove, requireTag, TAG, tagJson } from './one-tag.ts'
import { findTag, findTags } from './tag-times.ts'

const list = keyedListRoutes<SeenTag>({
  name: 'tags',
  operation: 'form_tag',
  ids: { entry: 'Tag', list: 'Tags' },
  key: 'tag',
  names: { key: 'tag', prefix: 'prefix', bound: LINE },
  entry: TAG,
  entryJson: tagJson,
  summary: 'List the tags of mail of a domain',
  async page({ core, caller, domain }, { backwards, ...page }) {
    const order = { by: 'tag', falling: backwards } as const
    const { tags } = await findTags(core, caller, domain, { ...page, order })
    return backwards ? tags.toReversed() : tags
  },
  actions: {
    show: {
      summary: 'Get a tag with its first and last use',
      answer: TAG,
      work: async ({ core, caller, domain, key }) => tagJson(await findTag(core, caller, domain, key)),
    },
    update: listAction({
      summary: 'Describe a tag',
      body: { type: 'object', properties: { description: { ...PASSAGE, default: '' } } },
      answer: MESSAGE_ONLY,
      work: ({ core, caller, domain, key: tag }, { description = '' }) =>
        describe(core, caller, { domain: domain.name, tag }, description),
    }),
    remove: {
      summary: 'Hide a tag until it is used on another day; its counts are kept',
      answer: MESSAGE_ONLY,
      work: ({ core, caller, domain, key: tag }) => remove(core, caller, { domain: domain.name, tag }),
    },
  },
})

const statsOfTag = route('GET /v3/:domain/tags/:tag/stats', {
  operation: 'form_stats',
  access: 'reading',
  operationId: 'formTagStats',
  summary: 'Count the events of mail with a tag',
  query: STATS_QUERY,
  answer: STATS_ANSWER,
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

export const tagRoutes: readonly Endpoint[] = [...list, statsOfTag, ...aggregates]
