import { listKeys } from '../../../operate/keys.ts'
import { currentOperation } from '../../operation.ts'
import { route } from '../../route.ts'
import { listSchema, WHOLE_OR_PAGE, wholeOrPage } from '../list.ts'
import { timestamp } from '../timestamp.ts'

const KEY = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'created_at', 'last_used_at'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    created_at: { type: 'string' },
    last_used_at: { type: 'null', description: 'Always null: the last use of a key is not stored.' },
  },
} as const

export const readKeys = route('GET /api-keys', {
  operation: 'key_list',
  access: 'management',
  operationId: 'listApiKeys',
  summary: 'List the API keys that are not revoked, newest first',
  query: WHOLE_OR_PAGE,
  answer: listSchema(KEY),
})(async ({ caller, query }, core) => {
  const keys = await listKeys(await currentOperation(core, caller), {})
  const shown = keys.flatMap(({ id, name, createdAt, revokedAt }) =>
    revokedAt === null ? [{ id, name, created_at: timestamp(createdAt), last_used_at: null }] : [],
  )
  return await wholeOrPage(shown.reverse(), query)
})
