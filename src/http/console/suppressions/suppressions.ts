/** Suppressed addresses of a company: search, add, remove. */
import { OperateError } from '../../../operate/error.ts'
import { isoTime } from '../../../operate/shapes.ts'
import {
  addSuppression,
  countSuppressions,
  findSuppression,
  listSuppressions,
  removeSuppression,
  removeSuppressions,
  suppressedAddresses,
} from '../../../operate/suppressions.ts'
import type { Suppression } from '../../../store/store.ts'
import { type CursorPage, type CursorRequest, cursorPage } from '../../cursor-page.ts'
import type { SUPPRESSION_ROUTES, SuppressionJson } from '../contract/suppressions.ts'
import type { Works } from '../work.ts'

function suppressionJson(suppression: Suppression): SuppressionJson {
  const { id, companyId, address, type, tags, reason, code, emailId, domainId, createdAt } = suppression
  return {
    id,
    company: companyId,
    address,
    type,
    tags,
    reason,
    code,
    email: emailId,
    domain: domainId,
    createdAt: isoTime(createdAt),
  }
}

function pageJson({ data, previous, next }: CursorPage<Suppression>) {
  return { data: data.map(suppressionJson), previous, next }
}

export const suppressionWorks: Works<typeof SUPPRESSION_ROUTES> = {
  'GET /companies/:company/suppressions': async ({ op, company, query: { term, type, limit, ...place } }) => {
    const types = type === undefined ? undefined : [type]
    if (term === undefined || term === '') {
      const read = (page: CursorRequest) =>
        listSuppressions(op, { company: company ?? undefined, types, ...page })
      return pageJson(await cursorPage({ ...place, limit }, read, ({ id }) => id))
    }
    if (company === null) {
      if (!term.includes('@'))
        throw new OperateError('invalid', 'give a complete address, or choose a company')
      const found = await listSuppressions(op, { address: term.trim(), types, limit })
      return { data: found.map(suppressionJson), previous: null, next: null }
    }
    const read = (page: CursorRequest) =>
      suppressedAddresses(op, { company, term: term.trim(), types, ...page })
    return pageJson(await cursorPage({ ...place, limit }, read, ({ address }) => address))
  },

  'GET /companies/:company/suppressions/count': ({ op, params: { company }, query: { term, type } }) =>
    countSuppressions(op, { company, term: term?.trim() || undefined, types: type && [type] }),

  'POST /companies/:company/suppressions': async ({ op, params: { company }, body }) => {
    await addSuppression(op, { company, ...body })
    return {}
  },

  'POST /companies/:company/suppressions/remove': async ({ op, params: { company }, body: { ids } }) => {
    const { changed, refused } = await removeSuppressions(op, { company, ids })
    return { changed, refused }
  },

  'DELETE /companies/:company/suppressions/:id': async ({ op, params: { company, id } }) => {
    const { address, type } = await findSuppression(op, { company, of: id })
    await removeSuppression(op, { company, address, types: [type] })
    return {}
  },
}
