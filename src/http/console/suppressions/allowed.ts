/** The allow list: addresses and domains that bounces do not suppress. */
import { addAllowed, allowedPage, removeAllowed } from '../../../operate/allow-list.ts'
import { OperateError } from '../../../operate/error.ts'
import { domainNames } from '../../../operate/find.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import { cursorPage } from '../../cursor-page.ts'
import { type ALLOWED_ROUTES, LIST_OF_COMPANY } from '../contract/suppressions.ts'
import type { Handlers } from '../handlers.ts'

export const allowedHandlers: Handlers<typeof ALLOWED_ROUTES> = {
  'GET /companies/:company/allowed': async ({
    op,
    params: { company },
    query: { term, domain, limit, ...place },
  }) => {
    const { data, previous, next } = await cursorPage(
      { ...place, limit },
      (page) => allowedPage(op, { company, domain, term: term?.trim() || undefined, ...page }),
      ({ value }) => value,
    )
    const nameOf = domainNames(op)
    const shown = data.map(({ companyId, domainId, createdAt, ...entry }) => ({
      ...entry,
      list: domainId ?? LIST_OF_COMPANY,
      domain: nameOf(domainId),
      createdAt: isoTime(createdAt),
    }))
    return { data: shown, previous, next }
  },

  'POST /companies/:company/allowed': async ({ op, params: { company }, body }) => {
    const [isNew] = await addAllowed(op, { company, entries: [body] })
    if (!isNew) throw new OperateError('already_exists', `"${body.value}" is already on the allow list`)
    return {}
  },

  'DELETE /companies/:company/allowed/:value': async ({ op, params, query: { list } }) => {
    await removeAllowed(op, { ...params, domainId: list === LIST_OF_COMPANY ? null : list })
    return {}
  },
}
