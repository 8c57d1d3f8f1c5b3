import { findSuppression, listSuppressions } from '../../../operate/suppressions.ts'
import { ID } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listPage, listSchema, PAGE } from '../list.ts'
import { ONE_SUPPRESSION, ORIGINS, SUPPRESSION, suppressionJson, typesOf } from './suppression.ts'

const CURSOR = { ...ID, format: 'uuid' } as const

const list = route('GET /suppressions', {
  operation: 'suppression_list',
  access: 'management',
  operationId: 'listSuppressions',
  summary: 'List suppressed addresses, newest first',
  query: {
    type: 'object',
    required: ['limit'],
    properties: { ...PAGE, after: CURSOR, before: CURSOR, origin: { enum: ORIGINS } },
  },
  answer: listSchema(SUPPRESSION),
})(async ({ caller, query: { origin, ...page } }, core) => {
  const op = await currentOperation(core, caller)
  const types = origin && typesOf(origin)
  return await listPage(page, async (wanted) => {
    const found = await listSuppressions(op, { company: caller.companyId, types, ...wanted })
    return found.map(suppressionJson)
  })
})

const read = route('GET /suppressions/:id', {
  operation: 'suppression_read',
  access: 'management',
  operationId: 'getSuppression',
  summary: 'Get a suppressed address, by id or by address',
  answer: ONE_SUPPRESSION,
})(async ({ caller, params }, core) => {
  const op = await currentOperation(core, caller)
  const found = await findSuppression(op, { company: caller.companyId, of: params.id })
  return { object: 'suppression', ...suppressionJson(found) }
})

export const suppressionReads: readonly Endpoint[] = [list, read]
