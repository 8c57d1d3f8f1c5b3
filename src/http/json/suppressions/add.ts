import type { Principal } from '../../../accounts/account.ts'
import { addSuppressions, findSuppression } from '../../../operate/suppressions.ts'
import { ADDRESS } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { ADDED } from './suppression.ts'

const MOST = 100

const add = route('POST /suppressions', {
  operation: 'suppression_add',
  access: 'management',
  operationId: 'addSuppression',
  summary: 'Add an address to the suppression list',
  description: 'An address that was already added by hand keeps its id.',
  body: {
    type: 'object',
    required: ['email'],
    examples: [{ email: 'jane@example.net' }],
    properties: { email: ADDRESS },
  },
  status: 201,
  answer: ADDED,
})(async ({ caller, body }, core) => {
  const [id] = await addAddresses(core, caller, [body.email])
  return { object: 'suppression', id: id! }
})

const addMany = route('POST /suppressions/batch/add', {
  operation: 'suppression_add_batch',
  access: 'management',
  operationId: 'addSuppressions',
  summary: `Add up to ${MOST} addresses to the suppression list, all or none`,
  body: {
    type: 'object',
    required: ['emails'],
    examples: [{ emails: ['jane@example.net', 'joe@example.net'] }],
    properties: { emails: { type: 'array', minItems: 1, maxItems: MOST, items: ADDRESS } },
  },
  answer: {
    type: 'object',
    additionalProperties: false,
    required: ['data'],
    properties: { data: { type: 'array', items: ADDED } },
  },
})(async ({ caller, body }, core) => {
  const ids = await addAddresses(core, caller, body.emails)
  return { data: ids.map((id) => ({ object: 'suppression', id })) }
})

/** The id of each address, in the same order. */
async function addAddresses(
  core: HttpCore,
  caller: Principal,
  addresses: readonly string[],
): Promise<string[]> {
  const op = await currentOperation(core, caller)
  const company = caller.companyId
  const entries = addresses.map((address) => ({ address, type: 'manual' as const }))
  const results = await addSuppressions(op, { company, entries })
  return await Promise.all(
    results.map(async ({ suppression, added: isNew }) => {
      if (isNew) return suppression.id
      const there = await findSuppression(op, { company, of: suppression.address, types: ['manual'] })
      return there.id
    }),
  )
}

export const suppressionAdditions: readonly Endpoint[] = [add, addMany]
