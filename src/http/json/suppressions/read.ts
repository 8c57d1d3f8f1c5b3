import { findSuppression, listSuppressions } from '../../../operate/suppressions.ts'
import { ID } from '../../bounds.ts'
import { type Endpoint, endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { listPage, listSchema, PAGE } from '../list.ts'
import { BY_ID } from '../schemas.ts'
import { ONE_SUPPRESSION, ORIGINS, SUPPRESSION, suppressionJson, typesOf } from './suppression.ts'

const CURSOR = { ...ID, format: 'uuid' } as const

const list = endpoint({
  method: 'GET',
  url: '/suppressions',
  operation: 'suppression_list',
  access: 'management',
  schema: {
    operationId: 'listSuppressions',
    summary: 'List suppressed addresses, newest first',
    querystring: {
      type: 'object',
      required: ['limit'],
      properties: { ...PAGE, after: CURSOR, before: CURSOR, origin: { enum: ORIGINS } },
    },
    response: { 200: listSchema(SUPPRESSION) },
  },
})(async ({ caller, query: { origin, ...page } }, core) => {
  const op = await currentOperation(core, caller)
  const types = origin && typesOf(origin)
  const body = await listPage(page, async (wanted) => {
    const found = await listSuppressions(op, { company: caller.companyId, types, ...wanted })
    const shown = found.map(suppressionJson)
    return wanted.before === undefined ? shown : shown.reverse()
  })
  return { status: 200, body }
})

const read = endpoint({
  method: 'GET',
  url: '/suppressions/:id',
  operation: 'suppression_read',
  access: 'management',
  schema: {
    operationId: 'getSuppression',
    summary: 'Get a suppressed address, by id or by address',
    params: BY_ID,
    response: { 200: ONE_SUPPRESSION },
  },
})(async ({ caller, params }, core) => {
  const op = await currentOperation(core, caller)
  const found = await findSuppression(op, { company: caller.companyId, of: params.id })
  return { status: 200, body: { object: 'suppression', ...suppressionJson(found) } }
})

export const suppressionReads: readonly Endpoint[] = [list, read]
