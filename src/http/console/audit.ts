/** The list of who changed what, and when. */
import { listAudit } from '../../operate/audit.ts'
import { companyName } from '../../operate/find.ts'
import { isoTime } from '../../operate/shapes.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import { AUDIT, AUDIT_QUERY } from './contract/audit.ts'
import { COMPANY_PARAMS } from './contract/shapes.ts'

const list = endpoint({
  method: 'GET',
  url: '/console/api/companies/:company/audit',
  operation: 'console_audit_list',
  access: 'company',
  schema: {
    operationId: 'listAudit',
    summary: 'Who changed what, and when; the newest first',
    params: COMPANY_PARAMS,
    querystring: AUDIT_QUERY,
    response: { 200: AUDIT },
  },
})(async ({ caller, query: { before, limit = 50 } }, core) => {
  const op = await currentOperationOf(core, caller.caller)
  const company = caller.company ?? undefined
  const found = await listAudit(op, { company, before, limit: limit + 1 })
  const page = found.slice(0, limit)
  const entries = page.map(({ companyId, at, ...entry }) => ({
    ...entry,
    at: isoTime(at),
    company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
  }))
  return { status: 200, body: { entries, next: found.length > limit ? page.at(-1)!.number : null } }
})

export const auditEndpoints: readonly Endpoint[] = [list]
