/**
 * The routes of the public APIs: one row each, beside its work. The row yields the parameters of the path, the types of
 * the work, and everything else that an endpoint declares.
 */
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Principal } from '../accounts/account.ts'
import type { LongAnswer } from './answer.ts'
import { PATH_NAME } from './bounds.ts'
import type { HttpCore } from './core.ts'
import type { Access, Endpoint, KeyAccess, OperationName, RouteDescription, SchemaPart } from './endpoint.ts'
import type { ParamNames, RouteName } from './route-name.ts'

interface KeyRoute extends OperationName {
  /** The label in metrics, e.g. `domain_read`. */
  operation: string
  access: KeyAccess
  description?: string
  /** Parameters of the path with a schema of their own; any other is a name. */
  params?: Readonly<Record<string, TSchema>>
  query?: TSchema
  body?: TSchema
  /** The status of success; absent: 200. */
  status?: 200 | 201 | 202 | 204
  answer: TSchema
}

/** A validated request. */
interface KeyCall<Name, Of> {
  caller: Principal
  params: Readonly<Record<ParamNames<Name>, string>>
  query: SchemaPart<Of, 'query'>
  body: SchemaPart<Of, 'body'>
  request: FastifyRequest
}

/** Resolves with the JSON of the answer; only fields of the schema are sent. Rejects with the reason for a refusal. */
type KeyRouteWork<Name, Of extends KeyRoute> = (
  call: KeyCall<Name, Of>,
  core: HttpCore,
) => Promise<Static<Of['answer']> | LongAnswer>

/** Declares a route, and takes its work, whose types follow from the row. */
export function route<const Name extends RouteName, const Of extends KeyRoute>(
  name: Name,
  row: Of,
): (work: KeyRouteWork<Name, Of>) => Endpoint {
  const { operation, status = 200, ...described }: KeyRoute = row
  return (work) => ({
    ...describedRoute(name, { ...described, status }),
    operation,
    async work(call, core) {
      const result = await work(call as unknown as KeyCall<Name, Of>, core)
      return isLong(result) ? result : { status, body: result }
    },
  })
}

/** The row of a handwritten route, as the OpenAPI document shows it. */
interface DescribedRoute extends Omit<KeyRoute, 'operation' | 'access'> {
  access: Access
  headers?: TSchema
  /** Media types of the body, when it is not JSON. */
  consumes?: readonly string[]
}

export function describedRoute(
  name: RouteName,
  { access, params, query, body, status = 200, answer, ...words }: DescribedRoute,
): RouteDescription {
  const [method, url] = name.split(' ') as [Endpoint['method'], string]
  const schema = {
    ...words,
    ...paramsOf(url, params),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: { [status]: answer },
  }
  return { method, url, access, schema }
}

function paramsOf(url: string, own: KeyRoute['params'] = {}): { params?: TSchema } {
  const names = [...url.matchAll(/(?<=:)\w+|\*/g)].map(([name]) => name)
  if (names.length === 0) return {}
  const properties = Object.fromEntries(names.map((name) => [name, own[name] ?? PATH_NAME]))
  return { params: { type: 'object', required: names, properties } }
}

function isLong(result: unknown): result is LongAnswer {
  return typeof result === 'object' && result !== null && 'pieces' in result
}
