/** The log of API requests: what clients sent, and the answers that they got. */

/** One request with a key over HTTP, or one refused command or message of a logged-in client over SMTP. */
export interface ApiRequest {
  /** UUIDv7 of the time at which it was answered. */
  id: string
  /** Null: the key is unknown. */
  companyId: string | null
  /** Unix ms. */
  at: number
  /** The method of HTTP, or `SMTP`. */
  method: string
  /** The path without its query, or the SMTP command. */
  endpoint: string
  /** The status of HTTP, or the reply code of SMTP. */
  status: number
  refused: boolean
  /** The name of the error in the words of the API; null: the request succeeded. */
  error: string | null
  keyId: string | null
  /** The client's IP address; '' when unknown. */
  address: string
  userAgent: string | null
  /** Ms from the request to its answer; null: not measured. */
  duration: number | null
  /** JSON: the names of the fields, and values that are neither secret nor content; null: there are none. */
  request: string | null
  /** The beginning of the answer, if it is kept. */
  response: string | null
}

export interface ApiRequestFilter {
  /** Null: of all companies, and with unknown keys. Then only the newest are searched. */
  companyId: string | null
  id?: string | undefined
  refused?: boolean | undefined
  status?: number | undefined
  keyId?: string | undefined
  /** A path, or its beginning. */
  endpoint?: string | undefined
  error?: string | undefined
  /** Unix ms: not before this. */
  from?: number | undefined
  /** Unix ms: before this. */
  to?: number | undefined
  /** Only requests that are older than this one. */
  after?: string | undefined
  /** Only requests that are newer than this one: the next ones, not the newest. */
  before?: string | undefined
  limit: number
}

export interface RequestStore {
  addApiRequests(requests: readonly ApiRequest[]): Promise<void>
  /** The newest first. */
  apiRequests(filter: ApiRequestFilter): Promise<ApiRequest[]>
  /** Keeps the newest refused and the newest other requests of a company; null: of unknown keys. */
  trimApiRequests(companyId: string | null): Promise<void>
  /** Removes at most `limit` requests from before this time (Unix ms). Returns their number. */
  forgetApiRequests(before: number, limit: number): Promise<number>
}
