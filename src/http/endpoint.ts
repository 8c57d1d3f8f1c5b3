/**
 * Declared routes: the input and output of each as JSON Schema, and the access that it requires. The declaration yields
 * the types, the validation, the serialization of answers, and docs/openapi.json (scripts/openapi.ts). TypeBox infers
 * the types from plain JSON Schema; its builder, which makes the same objects, would take as long to load at each start
 * as the framework itself.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Principal, Scope } from '../accounts/account.ts'
import type { Caller } from '../operate/authority.ts'
import type { ConsoleSession, Person } from '../people/person.ts'
import type { Answer, AnswerHeaders, LongAnswer, OpenAnswer } from './answer.ts'
import type { HttpCore } from './core.ts'

/** Access by key: a key with this scope, or any key. */
export type KeyAccess = Scope | 'key'
/** Access by a person: without a session, with a session, with access to the company in the path, or as an operator. */
export const PERSON_ACCESS = ['stranger', 'person', 'company', 'operator'] as const
export type PersonAccess = (typeof PERSON_ACCESS)[number]
export type Access = KeyAccess | PersonAccess | 'anybody'

/** A person without a session. */
interface Stranger {
  address: string
}

/** A person with a session. */
export interface SignedIn extends Stranger {
  person: Person
  session: ConsoleSession
  /** The person's rights in the company in the path, or as an operator; otherwise null. */
  actingAs: Caller | null
  /** The company in the path; null when an operator requests all companies, or the path names none. */
  company: string | null
}

/** The caller of a route, by the access that it requires. */
export type CallerOf<Who extends Access> = Who extends 'anybody'
  ? null
  : Who extends KeyAccess
    ? Principal
    : Who extends 'stranger'
      ? Stranger
      : Who extends 'person'
        ? SignedIn
        : SignedIn & { actingAs: Caller }

export interface EndpointSchema {
  /** Its name and summary in the OpenAPI document, which leaves out the routes of the service's own page. */
  operationId?: string
  summary?: string
  description?: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  response: Readonly<Record<number, TSchema>>
}

export interface OperationName {
  operationId: string
  summary: string
}

export type SchemaPart<Schema, Name extends string> =
  Schema extends Readonly<Record<Name, infer Given>> ? Static<Given & TSchema> : undefined

/** A validated request. */
export interface Call<Schema, Who extends Access> {
  caller: CallerOf<Who>
  params: SchemaPart<Schema, 'params'>
  query: SchemaPart<Schema, 'querystring'>
  body: SchemaPart<Schema, 'body'>
  request: FastifyRequest
}

/** One of the answers in the schema. Fields of `body` that the schema does not name are not sent. */
type EndpointReply<Schema extends EndpointSchema> = {
  [Status in keyof Schema['response'] & number]: {
    status: Status
    body: Static<Schema['response'][Status] & TSchema>
    headers?: AnswerHeaders
  }
}[keyof Schema['response'] & number]

interface Declaration<Schema extends EndpointSchema, Who extends Access> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** The route's label in metrics, e.g. `domain_read`. */
  operation: string
  access: Who
  schema: Schema
}

/** An answer without a schema: a file, a page or a stream. */
type WholeAnswer = Answer<string | Buffer> | LongAnswer | OpenAnswer

/** Throws or rejects with the reason for a refusal. */
type EndpointWork<Schema extends EndpointSchema, Who extends Access> = (
  call: Call<Schema, Who>,
  core: HttpCore,
) => Promise<EndpointReply<Schema> | WholeAnswer>

export interface Endpoint extends Declaration<EndpointSchema, Access> {
  /** Absent: a GET route answers HEAD, too. */
  exposeHeadRoute?: boolean
  work: EndpointWork<EndpointSchema, Access>
}

/**
 * A handwritten route as docs/openapi.json describes it. Nothing else is derived from it; a test compares it with the
 * real answers.
 */
export interface RouteDescription {
  method: Declaration<EndpointSchema, Access>['method']
  url: string
  access: Access
  schema: EndpointSchema &
    OperationName & {
      headers?: TSchema
      /** Media types of the body, when it is not JSON. */
      consumes?: readonly string[]
    }
}

/** The description of all routes of an API in the OpenAPI document. */
export interface ApiDescription {
  tag: string
  /** The scheme of its keys: a name in `securitySchemes` in scripts/openapi.ts. */
  scheme: 'bearer' | 'basic'
  /** The schema of its errors. */
  error: TSchema
  /** Its 401 answer without a valid key, when that differs. */
  stranger?: { description: string; content: object }
  /** Media types of bodies, when they are not JSON. */
  consumes?: readonly string[]
  /** The API's handwritten routes. */
  described: readonly RouteDescription[]
}

/** Declares an endpoint, and takes its work, whose types are inferred from the declaration. */
export function endpoint<const Schema extends EndpointSchema & OperationName, const Who extends Access>(
  declared: Declaration<Schema, Who>,
): (work: EndpointWork<Schema, Who>) => Endpoint {
  return (work) => ({ ...declared, work: work as unknown as Endpoint['work'] })
}

/** The bodies of an API's declared routes. */
export interface BodyContent {
  /** Throws a Fault for a body of the wrong kind, judged by the header before the body arrives. */
  check(headers: IncomingHttpHeaders): void
  /** Throws a Fault for a body that cannot be parsed. */
  readBody(body: Buffer, headers: IncomingHttpHeaders): unknown
  /** Values are text, as in queries: where the schema requires a number, they are converted. */
  isText: boolean
}
