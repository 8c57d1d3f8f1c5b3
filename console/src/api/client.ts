/** Requests to the server that delivered this page. */
import type { Static } from 'typebox'
import type { CONSOLE_ERROR } from '../../../src/http/console/contract/error.ts'
import type { AnswerOf, ParamsOf, PartOf, QueryGiven } from '../../../src/http/console/contract/route.ts'
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

export type Query = Record<string, string | number | boolean | undefined>

const BASE = '/console/api'

type Routes = typeof CONSOLE_ROUTES
type RouteName = keyof Routes

/** What the server answers on a route with JSON. */
export type Answer<Name extends RouteName> = AnswerOf<Routes[Name]>
export type Body<Name extends RouteName> = PartOf<'body', Routes[Name]>
export type QueryOf<Name extends RouteName> = QueryGiven<Routes[Name]>

type Parts<Name extends RouteName> = ParamsOf<Name, Routes[Name]> &
  (Routes[Name] extends { query: object } ? QueryPart<QueryOf<Name>> : unknown) &
  (Routes[Name] extends { body: object } ? { body: Body<Name> } : unknown)

/** A query may be left out if none of its parameters is required. */
type QueryPart<Given> = object extends Given ? { query?: Given } : { query: Given }

/** Parts may be left out if none is required. */
type Given<Name extends RouteName, More = unknown> =
  object extends Parts<Name> ? [parts?: Parts<Name> & More] : [parts: Parts<Name> & More]

/** Sends a request. A path has its parameters in `parts`, beside `query` and `body`. */
export function call<Name extends RouteName>(
  name: Name,
  ...[parts]: Given<Name, { signal?: AbortSignal }>
): Promise<Answer<Name>> {
  const { body, signal, ...rest } = (parts ?? {}) as AnyParts
  const [method, path] = methodAndPath(name, rest)
  return ask(method, path, body, signal)
}

/** The URL of a route that the browser itself requests: a file or a frame. The session cookie authorizes it. */
export function urlOf<Name extends RouteName>(name: Name, ...[parts]: Given<Name>): string {
  return `${BASE}${methodAndPath(name, (parts ?? {}) as AnyParts)[1]}`
}

type AnyParts = { query?: Query; body?: unknown; signal?: AbortSignal } & Record<string, unknown>

function methodAndPath(name: string, { query = {}, ...params }: AnyParts): [method: string, path: string] {
  const [method, path] = name.split(' ') as [string, string]
  const filled = path.replace(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params[param])))
  return [method, `${filled}${queryText(query)}`]
}

export function get<Body>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Body> {
  return ask<Body>('GET', `${path}${queryText(query)}`, undefined, signal)
}

export function post<Body>(path: string, body: unknown = {}): Promise<Body> {
  return ask<Body>('POST', path, body)
}

export function patch<Body>(path: string, body: unknown): Promise<Body> {
  return ask<Body>('PATCH', path, body)
}

export function put<Body>(path: string, body: unknown): Promise<Body> {
  return ask<Body>('PUT', path, body)
}

/** Sends no body: the path identifies the resource. */
export function remove<Body>(path: string): Promise<Body> {
  return ask<Body>('DELETE', path)
}

/** Builds a path from segments, each percent-encoded. */
export function pathOf(...parts: string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('')
}

export function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

async function ask<Body>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Body> {
  const headers: Record<string, string> = { accept: 'application/json', 'x-postroad-console': '1' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const request: RequestInit = { method, headers, credentials: 'same-origin', referrerPolicy: 'no-referrer' }
  if (body !== undefined) request.body = JSON.stringify(body)
  if (signal !== undefined) request.signal = signal
  let response: Response
  try {
    response = await fetch(`${BASE}${path}`, request)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', 'Postroad does not answer. It may be restarting.')
  }
  if (response.ok) return (await response.json()) as Body
  throw await refusal(response)
}

async function refusal(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => null)) as Static<typeof CONSOLE_ERROR> | null
  if (said?.error === undefined) {
    return new ApiError(response.status, 'unknown', `The service answered with status ${response.status}.`)
  }
  const { code, message, field } = said.error
  return new ApiError(response.status, code, message, field)
}
