/** The DKIM keys of a domain: further keys, published before mail is signed with them, and their rotation. */
import { addDkimKey, removeDkimKey, renameDkimKey, switchDkimKey } from '../../../operate/dkim-keys.ts'
import { OperateError } from '../../../operate/error.ts'
import type { DKIM_KEY_ROUTES } from '../contract/domains.ts'
import type { Works } from '../work.ts'
import { requireDomain, wholeDomainJson } from './domain-lookup.ts'

export const dkimKeyWorks: Works<typeof DKIM_KEY_ROUTES> = {
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
    if ((body.active === undefined) === (body.selector === undefined)) {
      throw new OperateError('invalid', 'change either `active` or `selector`, not both')
    }
    const changed =
      body.active === undefined
        ? await renameDkimKey(op, { domain, selector, to: body.selector! })
        : await switchDkimKey(op, { domain, selector, active: body.active })
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
}
