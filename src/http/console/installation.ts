/** The installation as a whole, for operators: nodes, pauses, disk space, and the busiest companies. */
import { showStorage } from '../../operate/backlog.ts'
import { createCompany } from '../../operate/companies.ts'
import { companyName } from '../../operate/find.ts'
import { listNodes } from '../../operate/nodes.ts'
import { showVolumeByCompany } from '../../operate/overview.ts'
import { listPauses, pause, resume } from '../../operate/pauses.ts'
import { pauseFacts } from '../../operate/shapes/pause.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { INSTALLATION_ROUTES } from './contract/overview.ts'
import type { Handlers } from './handlers.ts'

function scopeOf({
  company,
  domain,
  site,
}: {
  company: string | null
  domain: string | null
  site?: string
}) {
  return { company: company ?? undefined, domain: domain ?? undefined, site }
}

export const installationHandlers: Handlers<typeof INSTALLATION_ROUTES> = {
  'GET /installation': async ({ op }) => {
    const [nodes, pauses, storage] = await Promise.all([
      listNodes(op, {}),
      listPauses(op, {}),
      showStorage(op, {}),
    ])
    return {
      nodes: nodes.map(({ name, roles, since }) => ({ name, roles, since: isoTime(since) })),
      pauses: pauses.map((each) => ({
        company:
          each.companyId === null ? null : { id: each.companyId, name: companyName(op, each.companyId) },
        domain: each.domain,
        site: each.site?.name ?? null,
        ...pauseFacts(each),
      })),
      storage,
    }
  },

  'GET /installation/companies': async ({ op, query: { span } }) => {
    const { volumes } = await showVolumeByCompany(op, { span })
    const shown = volumes?.map(({ key, volume }) => ({ key, name: companyName(op, key), volume })) ?? null
    return { volumes: shown }
  },

  'POST /installation/companies': async ({ op, body: { name } }) => {
    const company = await createCompany(op, { name })
    return { id: company.id, name: company.name }
  },

  'POST /installation/pauses': async ({ op, body: { lasts, reason, ...scope } }) => {
    const until = lasts === undefined ? null : op.now() + lasts
    await pause(op, { ...scopeOf(scope), until, reason: reason ?? '' })
    return {}
  },

  'POST /installation/pauses/end': async ({ op, body }) => {
    await resume(op, scopeOf(body))
    return {}
  },
}
