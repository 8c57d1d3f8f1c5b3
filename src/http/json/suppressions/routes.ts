/** `/suppressions`: the addresses that a company no longer sends to. */
import type { Principal } from '../../../accounts/account.ts'
import type { Suppression } from '../../../email/suppression.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { nullIfMissing } from '../../../operate/error.ts'
import {
  addSuppressions,
  findSuppression,
  listSuppressions,
  removeSuppression,
  removeSuppressionEntry,
} from '../../../operate/suppressions.ts'
import type { Operation } from '../../../operate/verb.ts'
import { ADDRESS, ID } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { object } from '../../object-schema.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listPage, listSchema, PAGE } from '../list.ts'
import { deletedSchema } from '../schemas.ts'
import { ADDED, ONE_SUPPRESSION, ORIGINS, SUPPRESSION, suppressionJson, typesOf } from './suppression.ts'

/** The most entries of one request. */
const MAX = 100
const REMOVED = deletedSchema('suppression')
const TEXTS = { type: 'array', minItems: 1, maxItems: MAX, items: ADDRESS } as const

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
  summary: `Add up to ${MAX} addresses to the suppression list, all or none`,
  body: {
    type: 'object',
    required: ['emails'],
    examples: [{ emails: ['jane@example.net', 'joe@example.net'] }],
    properties: { emails: TEXTS },
  },
  answer: object({ data: { type: 'array', items: ADDED } }),
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

const remove = route('DELETE /suppressions/:id', {
  operation: 'suppression_remove',
  access: 'management',
  operationId: 'removeSuppression',
  summary: 'Remove an address from the suppression list, by id or by address',
  description: 'An address is removed with all its reasons; an id removes only that reason.',
  answer: REMOVED,
})(async ({ caller, params }, core) => {
  const { id } = await removeEntry(await currentOperation(core, caller), caller.companyId, params.id)
  return { object: 'suppression', id, deleted: true }
})

const removeMany = route('POST /suppressions/batch/remove', {
  operation: 'suppression_remove_batch',
  access: 'management',
  operationId: 'removeSuppressions',
  summary: `Remove up to ${MAX} addresses from the suppression list, by \`emails\` or by \`ids\``,
  description: 'The answer names the addresses that were on the list.',
  body: { type: 'object', properties: { emails: TEXTS, ids: TEXTS } },
  answer: object({ data: { type: 'array', items: REMOVED } }),
})(async ({ caller, body: { emails, ids } }, core) => {
  if (emails !== undefined && ids !== undefined) {
    throw invalidField('ids', 'it cannot be given together with `emails`')
  }
  const texts = emails ?? ids
  if (texts === undefined) throw invalidField('emails', 'either this or `ids` must be given')
  const op = await currentOperation(core, caller)
  const data: { object: 'suppression'; id: string; deleted: true }[] = []
  for (const text of texts) {
    const found = await removeEntry(op, caller.companyId, text).catch(nullIfMissing)
    if (found !== null) data.push({ object: 'suppression', id: found.id, deleted: true })
  }
  return { data }
})

/** Removes an entry by its id, or all entries of an address. Returns the entry, or the first of them. */
async function removeEntry(op: Operation, company: string, of: string): Promise<Suppression> {
  if (!of.includes('@')) return await removeSuppressionEntry(op, { company, id: of })
  const found = await findSuppression(op, { company, of })
  await removeSuppression(op, { company, address: found.address })
  return found
}

export const suppressionRoutes: readonly Endpoint[] = [add, addMany, list, read, remove, removeMany]
