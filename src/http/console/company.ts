/** The name, the logo and the limits of a company. */
import { USUAL_MAX } from '../../accounts/account.ts'
import { limitCompany, renameCompany, showCompany } from '../../operate/companies.ts'
import { removeLogo, setLogo, showLogo } from '../../operate/company-logo.ts'
import { listWebhooks } from '../../operate/webhooks.ts'
import type { COMPANY_ROUTES } from './contract/company.ts'
import type { Handlers } from './handlers.ts'
import { oneCompany } from './one-company.ts'
import { DATA_HEADERS } from './page/headers.ts'

/** The address of a logo names its digest, so another logo has another address. */
const KEPT = 'private, max-age=31536000, immutable'

export const companyHandlers: Handlers<typeof COMPANY_ROUTES> = {
  'GET /companies/:company': async ({ op, company }) => {
    const { company: found, used, domains, keys } = await showCompany(op, { company: oneCompany(company) })
    const webhooks = await listWebhooks(op, { company: found.id })
    const { id, name, ownName, logo = null, limits } = found
    const most = (owned: keyof typeof USUAL_MAX) => limits[owned] ?? USUAL_MAX[owned]
    return {
      id,
      name,
      ownName: op.caller.kind === 'operator' ? (ownName ?? null) : null,
      logo,
      limits: { ...limits, domains: most('domains'), keys: most('keys'), webhooks: most('webhooks') },
      used: {
        ...used,
        domains: domains.length,
        keys: keys.filter(({ revokedAt }) => revokedAt === null).length,
        webhooks: webhooks.length,
      },
    }
  },

  'PUT /companies/:company/name': async ({ op, company, body }) => {
    await renameCompany(op, { company: oneCompany(company), name: body.name })
    return {}
  },

  'PUT /companies/:company/limits': async ({ op, company, body }) => {
    await limitCompany(op, { ...body, company: oneCompany(company) })
    return {}
  },

  'GET /companies/:company/logo': async ({ op, company, query }) => {
    const { type, octets, digest } = await showLogo(op, { company: oneCompany(company) })
    return {
      status: 200,
      type,
      body: Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength),
      headers: DATA_HEADERS,
      // An address with an earlier digest shows the present logo, which is not to be kept under it.
      ...(query.v !== undefined && query.v === digest && { cache: KEPT }),
    }
  },

  'PUT /companies/:company/logo': async ({ op, company, body }) => {
    // The schema has bounded it; characters that are not base64 make no picture.
    await setLogo(op, { company: oneCompany(company), octets: Buffer.from(body.picture, 'base64') })
    return {}
  },

  'DELETE /companies/:company/logo': async ({ op, company }) => {
    await removeLogo(op, { company: oneCompany(company) })
    return {}
  },
}
