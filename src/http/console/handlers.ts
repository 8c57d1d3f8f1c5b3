/** The handlers of the console's routes, typed by the contract, and the endpoints made from both. */
import type { FastifyRequest } from 'fastify'
import type { Operation } from '../../operate/verb.ts'
import type { Answer, AnswerHeaders, LongAnswer, OpenAnswer } from '../answer.ts'
import { ID } from '../bounds.ts'
import type { CallerOf, Endpoint, EndpointSchema } from '../endpoint.ts'
import { currentOperationOf } from '../operation.ts'
import type { AnswerOf, ConsoleRoute, ParamsOf, PartOf } from './contract/route.ts'
import { object } from './contract/shapes.ts'
import type { ConsoleCore } from './core.ts'

const BASE = '/console/api'

/** A validated request: its caller, and for members and operators an operation with the present accounts. */
type ConsoleCall<Name, Of extends ConsoleRoute> = CallerOf<Of['access']> & {
  params: ParamsOf<Name, Of>
  query: PartOf<'query', Of>
  body: PartOf<'body', Of>
  request: FastifyRequest
} & (Of['access'] extends 'company' | 'operator' ? { op: Operation } : unknown)

/** JSON with header fields of its own, or with the status of a pending step. */
export class ConsoleAnswer<Body> {
  readonly body: Body
  readonly headers: AnswerHeaders
  readonly status: 202 | undefined

  constructor(body: Body, { headers = {}, status }: { headers?: AnswerHeaders; status?: 202 }) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

type Result<Of extends ConsoleRoute> = Of['answer'] extends 'document'
  ? Answer<string | Buffer> | LongAnswer
  : Of['answer'] extends 'stream'
    ? OpenAnswer
    : AnswerOf<Of> | ConsoleAnswer<AnswerOf<Of>> | LongAnswer

/** The handlers of these routes. They reject with the reason for a refusal. */
export type Handlers<Routes extends Readonly<Record<string, ConsoleRoute>>> = {
  readonly [Name in keyof Routes]: (
    call: ConsoleCall<Name, Routes[Name]>,
    core: ConsoleCore,
  ) => Promise<Result<Routes[Name]>>
}

export function endpointsOf<const Routes extends Readonly<Record<string, ConsoleRoute>>>(
  routes: Routes,
  handlers: Handlers<Routes>,
  core: ConsoleCore,
): Endpoint[] {
  return Object.entries(routes).map(([name, route]) =>
    endpointOf(name, route, handlers[name] as AnyHandler, core),
  )
}

type AnyHandler = (call: object, core: ConsoleCore) => Promise<object>

function endpointOf(name: string, route: ConsoleRoute, handle: AnyHandler, core: ConsoleCore): Endpoint {
  const [method, path] = name.split(' ') as [Endpoint['method'], string]
  const { operation, access, answer, status = 200 } = route
  return {
    method,
    url: `${BASE}${path}`,
    operation: `console_${operation}`,
    access,
    schema: schemaOf(path, route),
    // A HEAD of a stream would have no end.
    ...(answer === 'stream' && { exposeHeadRoute: false }),
    async work({ caller: asker, ...parts }) {
      const { actingAs: caller = null } = asker as Partial<CallerOf<'person'>>
      const op = caller && (await currentOperationOf(core, caller))
      const result = await handle({ ...asker, ...parts, op }, core)
      if (typeof answer === 'string' || 'pieces' in result) return result as LongAnswer
      if (!(result instanceof ConsoleAnswer)) return { status, body: result }
      return { status: result.status ?? status, body: result.body, headers: result.headers }
    },
  }
}

function schemaOf(path: string, { params = {}, query, body, status = 200, answer, pending }: ConsoleRoute) {
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, params[name!] ?? ID] as const)
  return {
    ...(named.length > 0 && { params: object(Object.fromEntries(named)) }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    response: {
      ...(typeof answer !== 'string' && { [status]: answer }),
      ...(pending && { 202: pending }),
    },
  } as EndpointSchema
}
