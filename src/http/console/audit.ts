/** The audit list: changes with their actor and time, and sign-ins. */
import { exportAudit, listAudit } from '../../operate/audit.ts'
import { auditCsv } from '../../operate/audit-csv.ts'
import { companyName } from '../../operate/find.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import type { AuditTopic } from '../../people/person.ts'
import { cursorPage } from '../cursor-page.ts'
import type { AUDIT_ROUTES } from './contract/audit.ts'
import type { Handlers } from './handlers.ts'
import { timeIn } from './time-in.ts'

interface AuditQuery {
  by?: string
  action?: string
  topic?: AuditTopic
  from?: string
  to?: string
}

const filterOf = ({ by, action, topic, from, to }: AuditQuery) => ({
  actor: by,
  action,
  topic,
  from: timeIn('from', from),
  to: timeIn('to', to),
})

export const auditHandlers: Handlers<typeof AUDIT_ROUTES> = {
  'GET /companies/:company/audit': async ({
    op,
    company,
    query: { before, after, limit = 50, ...wanted },
  }) => {
    const filter = { company: company ?? undefined, after, ...filterOf(wanted) }
    const { data, next } = await cursorPage(
      { limit, after: before },
      (page) => listAudit(op, { ...filter, before: page.after, limit: page.limit }),
      ({ number }) => number,
    )
    const entries = data.map(({ companyId, at, ...entry }) => ({
      ...entry,
      at: isoTime(at),
      company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
    }))
    return { entries, next }
  },

  'GET /companies/:company/audit/export': async ({ op, company, query }) => {
    const pages = await exportAudit(op, { company: company ?? undefined, ...filterOf(query) })
    return {
      type: 'text/csv; charset=utf-8',
      pieces: auditCsv(pages, (id) => companyName(op, id)),
      headers: { 'content-disposition': 'attachment; filename="audit.csv"' },
    }
  },
}
