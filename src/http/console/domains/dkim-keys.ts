/** The DKIM keys of a domain, one by one, and their rotation. */
import { addDkimKey, removeDkimKey, renameDkimKey, switchDkimKey } from '../../../operate/dkim-keys.ts'
import { cancelDkimRotation, finishDkimRotation, rotateDkimKey } from '../../../operate/dkim-rotation.ts'
import { OperateError } from '../../../operate/error.ts'
import type { DKIM_KEY_ROUTES } from '../contract/domains.ts'
import type { Handlers } from '../handlers.ts'
import { requireDomain, wholeDomainJson } from './domain-lookup.ts'

export const dkimKeyHandlers: Handlers<typeof DKIM_KEY_ROUTES> = {
  'POST /companies/:company/domains/:domain/dkim': async ({ op, company, params, body }) => {
    requireDomain(op, company, params.domain)
    return wholeDomainJson(op, await addDkimKey(op, { domain: params.domain, ...body }))
  },

  'PATCH /companies/:company/domains/:domain/dkim/:selector': async ({
    op,
    company,
    params: { domain, selector },
    body,
  }) => {
    requireDomain(op, company, domain)
    const force = body.force === true
    if ((body.active === undefined) === (body.selector === undefined)) {
      throw new OperateError('invalid', 'change either `active` or `selector`, not both')
    }
    const changed =
      body.active === undefined
        ? await renameDkimKey(op, { domain, selector, to: body.selector!, force })
        : await switchDkimKey(op, { domain, selector, active: body.active, force })
    return wholeDomainJson(op, changed)
  },

  'DELETE /companies/:company/domains/:domain/dkim/:selector': async ({
    op,
    company,
    params: { domain, selector },
  }) => {
    requireDomain(op, company, domain)
    return wholeDomainJson(op, await removeDkimKey(op, { domain, selector }))
  },

  'POST /companies/:company/domains/:domain/rotation': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    return wholeDomainJson(op, await rotateDkimKey(op, params))
  },

  'PUT /companies/:company/domains/:domain/rotation': async ({ op, company, params, body }) => {
    requireDomain(op, company, params.domain)
    return wholeDomainJson(op, await finishDkimRotation(op, { ...params, force: body.force === true }))
  },

  'DELETE /companies/:company/domains/:domain/rotation': async ({ op, company, params }) => {
    requireDomain(op, company, params.domain)
    return wholeDomainJson(op, await cancelDkimRotation(op, params))
  },
}
