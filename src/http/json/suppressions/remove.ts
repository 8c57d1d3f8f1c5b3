import type { Suppression } from '../../../email/suppression.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { OperateError } from '../../../operate/error.ts'
import { findSuppression, removeSuppression } from '../../../operate/suppressions.ts'
import type { Operation } from '../../../operate/verb.ts'
import { ADDRESS } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { deletedSchema } from '../schemas.ts'

const MOST = 100
const REMOVED = deletedSchema('suppression')
const TEXTS = { type: 'array', minItems: 1, maxItems: MOST, items: ADDRESS } as const

const remove = route('DELETE /suppressions/:id', {
  operation: 'suppression_remove',
  access: 'management',
  operationId: 'removeSuppression',
  summary: 'Remove an address from the suppression list, by id or by address',
  description: 'An address is removed with all its reasons; an id removes only that reason.',
  answer: REMOVED,
})(async ({ caller, params }, core) => {
  const { id } = await removed(await currentOperation(core, caller), caller.companyId, params.id)
  return { object: 'suppression', id, deleted: true }
})

const removeMany = route('POST /suppressions/batch/remove', {
  operation: 'suppression_remove_batch',
  access: 'management',
  operationId: 'removeSuppressions',
  summary: `Remove up to ${MOST} addresses from the suppression list, by \`emails\` or by \`ids\``,
  description: 'The answer names the addresses that were on the list.',
  body: { type: 'object', properties: { emails: TEXTS, ids: TEXTS } },
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['data'],
    properties: { data: { type: 'array', items: REMOVED } },
  },
})(async ({ caller, body: { emails, ids } }, core) => {
  if (emails !== undefined && ids !== undefined) {
    throw invalidField('ids', 'it cannot be given together with `emails`')
  }
  const texts = emails ?? ids
  if (texts === undefined) throw invalidField('emails', 'either this or `ids` must be given')
  const op = await currentOperation(core, caller)
  const data: { object: 'suppression'; id: string; deleted: true }[] = []
  for (const text of texts) {
    const found = await removed(op, caller.companyId, text).catch(nullIfMissing)
    if (found !== null) data.push({ object: 'suppression', id: found.id, deleted: true })
  }
  return { data }
})

/** Removes an entry by id, or all entries of an address, and returns it or the first of them. */
async function removed(op: Operation, company: string, of: string): Promise<Suppression> {
  const found = await findSuppression(op, { company, of })
  const { address, type } = found
  await removeSuppression(op, { company, address, ...(!of.includes('@') && { types: [type] }) })
  return found
}

function nullIfMissing(error: unknown): null {
  if (error instanceof OperateError && error.code === 'not_found') return null
  throw error
}

export const suppressionRemovals: readonly Endpoint[] = [remove, removeMany]
