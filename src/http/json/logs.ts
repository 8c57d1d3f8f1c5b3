/** `/logs`: the log of API requests of a company. */
import { listApiRequests, showApiRequest } from '../../operate/api-requests.ts'
import { jsonOrText } from '../../operate/shapes/api-request.ts'
import type { ApiRequest } from '../../store/store.ts'
import type { Endpoint } from '../endpoint.ts'
import { object } from '../object-schema.ts'
import { operationOfKey } from '../operation.ts'
import { route } from '../route.ts'
import { listPage, listSchema, PAGE } from './list.ts'
import { timestamp } from './timestamp.ts'

const LINE = {
  id: { type: 'string' },
  created_at: { type: 'string' },
  endpoint: { type: 'string', description: 'The path; over SMTP the command.' },
  method: { type: 'string', description: 'The method of HTTP, or `SMTP`.' },
  response_status: { type: 'integer' },
  user_agent: { anyOf: [{ type: 'string' }, { type: 'null' }] },
} as const

const lineOf = ({ id, at, endpoint, method, status, userAgent }: ApiRequest) => ({
  id,
  created_at: timestamp(at),
  endpoint,
  method,
  response_status: status,
  user_agent: userAgent,
})

const list = route('GET /logs', {
  operation: 'log_list',
  access: 'reading',
  operationId: 'listLogs',
  summary: 'List the API requests of a company, newest first',
  description:
    'Refused requests, and successful ones as far as they are kept: a busy service keeps a part of them.',
  query: { type: 'object', properties: PAGE },
  answer: listSchema(object(LINE)),
})(async ({ caller, query }, core) => {
  const op = operationOfKey(core, caller)
  const { limit = PAGE.limit.default } = query
  return await listPage({ ...query, limit }, async (page) => (await listApiRequests(op, page)).map(lineOf))
})

const ANYTHING = {
  description:
    'Null: not kept. Secrets and the content of mail are replaced by their size; what is too long is cut off.',
} as const

const show = route('GET /logs/:id', {
  operation: 'log_read',
  access: 'reading',
  operationId: 'getLog',
  summary: 'Get an API request with the fields that the client sent, and the answer',
  answer: object({
    object: { const: 'log' },
    ...LINE,
    request_body: ANYTHING,
    response_body: ANYTHING,
  }),
})(async ({ caller, params }, core) => {
  const found = await showApiRequest(operationOfKey(core, caller), { id: params.id })
  return {
    object: 'log' as const,
    ...lineOf(found),
    request_body: jsonOrText(found.request),
    response_body: jsonOrText(found.response),
  }
})

export const logEndpoints: readonly Endpoint[] = [list, show]
