/** How long a company keeps the content of finished emails. */
import type { Static } from 'typebox'
import { showCompany } from '../../../operate/companies.ts'
import { setContentRetention } from '../../../operate/content-retention.ts'
import type { RETENTION_ROUTES } from '../contract/domains.ts'
import type { ConsoleCore } from '../core.ts'
import type { Handlers } from '../handlers.ts'
import { oneCompany } from '../one-company.ts'

type RetentionJson = Static<(typeof RETENTION_ROUTES)['GET /companies/:company/retention']['answer']>

function retentionJson({ deps }: ConsoleCore, own: number | undefined): RetentionJson {
  return { own: own ?? null, installation: deps.settings.contentRetention }
}

export const retentionHandlers: Handlers<typeof RETENTION_ROUTES> = {
  'GET /companies/:company/retention': async ({ op, company }, core) => {
    const { company: found } = await showCompany(op, { company: oneCompany(company) })
    return retentionJson(core, found.contentRetention)
  },

  'PUT /companies/:company/retention': async ({ op, company, body }, core) => {
    const changed = await setContentRetention(op, {
      company: oneCompany(company),
      contentRetention: body.own,
    })
    return retentionJson(core, changed.contentRetention)
  },
}
