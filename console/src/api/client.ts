/** Requests to the server that delivered this page. */
import type { Static } from 'typebox'
import type { CONSOLE_ERROR } from '../../../src/http/console/contract/error.ts'
import type { AnswerOf, ParamsOf, PartOf, QueryInput } from '../../../src/http/console/contract/route.ts'
import type { CONSOLE_ROUTES } from '../../../src/http/console/contract/routes.ts'

/** An error answer of the server, or no answer at all. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly code: string
  /** The form field that the error is about. */
  readonly field: string | undefined

  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}

/** The service, or a proxy in front of it, could not answer. */
export function isUnavailable(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500)
}

/** The service will answer the same to the same request. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429
}

type QueryParams = Record<string, string | number | boolean | undefined>

const BASE = '/console/api'

type Routes = typeof CONSOLE_ROUTES
type ClientRoute = keyof Routes
type DocumentRoute = {
  [Name in ClientRoute]: Routes[Name]['answer'] extends string ? Name : never
}[ClientRoute]
export type JsonRoute = Exclude<ClientRoute, DocumentRoute>

/** The JSON of an answer. */
export type JsonAnswer<Name extends JsonRoute> = AnswerOf<Routes[Name]>
export type Body<Name extends ClientRoute> = PartOf<'body', Routes[Name]>
export type QueryOf<Name extends ClientRoute> = QueryInput<Routes[Name]>

export type Parts<Name extends ClientRoute> = ParamsOf<Name, Routes[Name]> &
  (Routes[Name] extends { query: object } ? QueryPart<QueryOf<Name>> : unknown) &
  (Routes[Name] extends { body: object } ? { body: Body<Name> } : unknown)

/** A query may be left out if none of its parameters is required. */
type QueryPart<Given> = object extends Given ? { query?: Given } : { query: Given }

/** Parts may be left out if none is required. */
export type CallInput<Name extends ClientRoute, More = unknown> =
  object extends Parts<Name> ? [parts?: Parts<Name> & More] : [parts: Parts<Name> & More]

/** `parts`: the parameters of the path, `query` and `body`. */
export async function call<Name extends JsonRoute>(
  name: Name,
  ...[parts]: CallInput<Name, { signal?: AbortSignal | undefined }>
): Promise<JsonAnswer<Name>> {
  const response = await answerOf(name, parts as AnyParts | undefined)
  return (await response.json()) as JsonAnswer<Name>
}

/** The octets of a file. */
export async function fileOf<Name extends DocumentRoute>(
  name: Name,
  ...[parts]: CallInput<Name, { signal?: AbortSignal | undefined }>
): Promise<Blob> {
  const response = await answerOf(name, parts as AnyParts | undefined)
  return await response.blob()
}

async function answerOf(name: string, { body, signal, ...rest }: AnyParts = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', 'x-postroad-console': '1' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const [method, url] = methodAndUrl(name, rest)
  const request: RequestInit = { method, headers, credentials: 'same-origin', referrerPolicy: 'no-referrer' }
  if (body !== undefined) request.body = JSON.stringify(body)
  if (signal !== undefined) request.signal = signal
  let response: Response
  try {
    response = await fetch(url, request)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', 'Postroad does not answer. It may be restarting.')
  }
  if (response.ok) return response
  throw await refusal(response)
}

/** The URL of a file, a frame or a stream, which the browser itself requests. The session cookie authorizes it. */
export function urlOf<Name extends DocumentRoute>(name: Name, ...[parts]: CallInput<Name>): string {
  return methodAndUrl(name, (parts ?? {}) as AnyParts)[1]
}

type AnyParts = { query?: QueryParams; body?: unknown; signal?: AbortSignal } & Record<string, unknown>

function methodAndUrl(name: string, { query = {}, ...params }: AnyParts): [method: string, url: string] {
  const [method, path] = name.split(' ') as [string, string]
  const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params[param])))
  return [method, `${BASE}${filled}${queryText(query)}`]
}

function queryText(query: QueryParams): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

async function refusal(response: Response): Promise<ApiError> {
  const errorBody = (await response.json().catch(() => null)) as Static<typeof CONSOLE_ERROR> | null
  if (errorBody?.error === undefined) {
    return new ApiError(response.status, 'unknown', `The service answered with status ${response.status}.`)
  }
  const { code, message, field } = errorBody.error
  return new ApiError(response.status, code, message, field)
}
