import type { ApiRequest } from '../../store/store.ts'
import { isoTime } from './time.ts'

/** `request`: the fields that the client sent; null: none. `response`: the answer, if it is kept. */
export function apiRequestJson(entry: ApiRequest) {
  return {
    id: entry.id,
    company_id: entry.companyId,
    at: isoTime(entry.at),
    method: entry.method,
    endpoint: entry.endpoint,
    status: entry.status,
    error: entry.error,
    key_id: entry.keyId,
    address: entry.address,
    user_agent: entry.userAgent,
    duration_ms: entry.duration,
    request: jsonOrText(entry.request),
    response: jsonOrText(entry.response),
  }
}

/** Text that was cut off is not JSON. */
export function jsonOrText(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return text
  }
}
