/** The audit list: changes with their actor and time, and sign-ins. */
import { exportAudit, listAudit } from '../../operate/audit.ts'
import { auditCsv } from '../../operate/audit-csv.ts'
import { OperateError } from '../../operate/error.ts'
import { companyName } from '../../operate/find.ts'
import { isoTime } from '../../operate/shapes.ts'
import type { AuditTopic } from '../../people/person.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { AUDIT, AUDIT_EXPORT_QUERY, AUDIT_QUERY } from './contract/audit.ts'
import { COMPANY_PARAMS } from './contract/shapes.ts'

interface Wanted {
  by?: string
  action?: string
  topic?: AuditTopic
  from?: string
  to?: string
}

const filterOf = ({ by, action, topic, from, to }: Wanted) => ({
  actor: by,
  action,
  topic,
  from: timeOf('from', from),
  to: timeOf('to', to),
})

function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (at >= 0) return at
  throw new OperateError('invalid', `"${name}" is not a time such as 2026-01-31T09:00:00Z`)
}

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/audit',
  operation: 'console_audit_list',
  access: 'company',
  schema: {
    operationId: 'listAudit',
    summary: 'List audit entries, newest first',
    params: COMPANY_PARAMS,
    querystring: AUDIT_QUERY,
    response: { 200: AUDIT },
  },
})(async ({ caller, query: { before, after, limit = 50, ...wanted } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const company = caller.company ?? undefined
  const found = await listAudit(op, { company, before, after, limit: limit + 1, ...filterOf(wanted) })
  const page = found.slice(0, limit)
  const entries = page.map(({ companyId, at, ...entry }) => ({
    ...entry,
    at: isoTime(at),
    company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
  }))
  return { status: 200, body: { entries, next: found.length > limit ? page.at(-1)!.number : null } }
})

const exportAll = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/audit/export',
  operation: 'console_audit_export',
  access: 'company',
  schema: {
    operationId: 'exportAudit',
    summary: 'Export the matching audit entries as a CSV file',
    params: COMPANY_PARAMS,
    querystring: AUDIT_EXPORT_QUERY,
    response: { 200: { type: 'string' } },
  },
})(async ({ caller, query }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const pages = await exportAudit(op, { company: caller.company ?? undefined, ...filterOf(query) })
  return {
    type: 'text/csv; charset=utf-8',
    pieces: auditCsv(pages, (id) => companyName(op, id)),
    headers: { 'content-disposition': 'attachment; filename="audit.csv"' },
  }
})

export const auditEndpoints: readonly Endpoint[] = [list, exportAll]
