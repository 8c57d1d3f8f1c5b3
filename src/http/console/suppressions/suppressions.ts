/** Suppressed addresses of a company: search, add, remove. */
import { scopeOf } from '../../../email/suppression.ts'
import { OperateError } from '../../../operate/error.ts'
import { domainNames } from '../../../operate/find.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import {
  addSuppression,
  countSuppressions,
  listSuppressions,
  removeSuppressionEntry,
  removeSuppressions,
  suppressedAddresses,
} from '../../../operate/suppressions.ts'
import type { Operation } from '../../../operate/verb.ts'
import type { Suppression } from '../../../store/store.ts'
import { type CursorPage, type CursorRequest, cursorPage } from '../../cursor-page.ts'
import type { SUPPRESSION_ROUTES, SuppressionJson } from '../contract/suppressions.ts'
import type { Handlers } from '../handlers.ts'

function suppressionJson(suppression: Suppression, nameOf: ReturnType<typeof domainNames>): SuppressionJson {
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
    domain: nameOf(domainId),
    ofDomainOnly: scopeOf(suppression) !== null,
    createdAt: isoTime(createdAt),
  }
}

function pageJson(op: Operation, { data, previous, next }: Omit<CursorPage<Suppression>, 'more'>) {
  const nameOf = domainNames(op)
  return { data: data.map((each) => suppressionJson(each, nameOf)), previous, next }
}

export const suppressionHandlers: Handlers<typeof SUPPRESSION_ROUTES> = {
  'GET /companies/:company/suppressions': async ({
    op,
    company,
    query: { term, type, domain, limit, ...place },
  }) => {
    const wanted = { domain, types: type && [type] }
    if (term === undefined || term === '') {
      const read = (page: CursorRequest) =>
        listSuppressions(op, { company: company ?? undefined, ...wanted, ...page })
      return pageJson(op, await cursorPage({ ...place, limit }, read, ({ id }) => id))
    }
    if (company === null) {
      if (!term.includes('@'))
        throw new OperateError('invalid', 'give a complete address, or choose a company')
      const found = await listSuppressions(op, { address: term.trim(), ...wanted, limit })
      return pageJson(op, { data: found, previous: null, next: null })
    }
    const read = (page: CursorRequest) =>
      suppressedAddresses(op, { company, term: term.trim(), ...wanted, ...page })
    return pageJson(op, await cursorPage({ ...place, limit }, read, ({ address }) => address))
  },

  'GET /companies/:company/suppressions/count': ({
    op,
    params: { company },
    query: { term, type, domain },
  }) => countSuppressions(op, { company, domain, term: term?.trim() || undefined, types: type && [type] }),

  'POST /companies/:company/suppressions': async ({ op, params: { company }, body }) => {
    await addSuppression(op, { company, ...body })
    return {}
  },

  'POST /companies/:company/suppressions/remove': async ({ op, params: { company }, body: { ids } }) => {
    const { changed, refused } = await removeSuppressions(op, { company, ids })
    return { changed, refused }
  },

  'DELETE /companies/:company/suppressions/:id': async ({ op, params: { company, id } }) => {
    await removeSuppressionEntry(op, { company, id })
    return {}
  },
}
