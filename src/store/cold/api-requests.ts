/** The log of API requests. */
import type { ApiRequest, ApiRequestFilter } from '../request-store.ts'
import { companyNumber } from './companies.ts'
import { Conditions } from './conditions.ts'
import { forgetBefore } from './forgetting.ts'
import type { Operations, Port, ReadPort } from './port.ts'
import { type ColdStatement, dynamicStatement, statement } from './statement.ts'

/** Requests kept of each company: refused ones, and as many others. So successes push out no refusal. */
const API_REQUESTS_KEPT = 20_000
/** Excess requests removed by one statement. */
const STEP = 20_000
/** The newest requests that a search in all companies looks at. */
const NEWEST = 50_000

const ADD = statement(
  ({ rows }) => `INSERT INTO api_requests (company, id, at, method, endpoint, status, refused, error, key_id,
      address, user_agent, duration, request, response)
    SELECT coalesce((SELECT num FROM companies c WHERE c.id = j."companyId"), 0), j.id, j.at, j.method, j.endpoint,
      j.status, j.refused, j.error, j."keyId", j.address, j."userAgent", j.duration, j.request, j.response
    FROM ${rows('$1', {
      companyId: 'text',
      id: 'text',
      at: 'bigint',
      method: 'text',
      endpoint: 'text',
      status: 'integer',
      refused: 'boolean',
      error: 'text',
      keyId: 'text',
      address: 'text',
      userAgent: 'text',
      duration: 'bigint',
      request: 'text',
      response: 'text',
    })} WHERE true
    ON CONFLICT DO NOTHING`,
)
const TRIM = statement(
  ({ isAmong }) =>
    `DELETE FROM api_requests WHERE company = $1 AND ${isAmong('id', `FROM api_requests WHERE company = $1 AND refused = $2 ORDER BY id DESC LIMIT ${STEP} OFFSET ${API_REQUESTS_KEPT}`)}`,
)
const FORGET = forgetBefore('api_requests', 'id', 'at')

type ApiRequestRow = Omit<ApiRequest, 'refused'> & { refused: number | boolean }

export const apiRequestReads = {
  *apiRequests(port, filter) {
    const [page, values] = pageOf(filter)
    const found = (yield* port.read.all(page, ...values)).map((row) => {
      return { ...row, refused: Boolean(row.refused) }
    })
    return filter.before === undefined ? found : found.toReversed()
  },
} satisfies Operations<ReadPort>

export const apiRequestWrites = {
  *addApiRequests(port, requests) {
    yield* port.write.run(ADD, requests)
  },

  *trimApiRequests(port, companyId) {
    const company = companyId === null ? 0 : yield* companyNumber(port, companyId)
    yield* port.write.run(TRIM, company, true)
    yield* port.write.run(TRIM, company, false)
  },

  *forgetApiRequests(port, before, limit) {
    return yield* port.write.run(FORGET, Math.round(before), limit)
  },
} satisfies Operations<Port>

function pageOf(
  filter: ApiRequestFilter,
): [page: ColdStatement<ApiRequestRow>, values: Conditions['values']] {
  const { companyId, id, refused, status, keyId, endpoint, error, from, to } = filter
  const conditions = new Conditions()
  conditions.ofCompany('r.company', companyId)
  conditions.where(id, (place) => `r.id = ${place}`)
  conditions.where(refused, (place) => `r.refused = ${place}`)
  conditions.where(status, (place) => `r.status = ${place}`)
  conditions.where(keyId, (place) => `r.key_id = ${place}`)
  conditions.where(endpoint, (place) => `substr(r.endpoint, 1, length(${place}::text)) = ${place}::text`)
  conditions.where(error, (place) => `r.error = ${place}`)
  conditions.where(from, (place) => `r.at >= ${place}`)
  conditions.where(to, (place) => `r.at < ${place}`)
  const source =
    companyId === null && id === undefined
      ? `(SELECT * FROM api_requests ORDER BY id DESC LIMIT ${NEWEST}) r`
      : 'api_requests r'
  const page = `SELECT r.id, c.id AS "companyId", r.at, r.method, r.endpoint, r.status, r.refused, r.error,
      r.key_id AS "keyId", r.address, r.user_agent AS "userAgent", r.duration, r.request, r.response
    FROM ${source} LEFT JOIN companies c ON c.num = r.company ${conditions.page('r.id', filter)}`
  return [dynamicStatement(page), conditions.values]
}
