/**
 * Routes that are declared: what each takes and gives, as JSON Schema, and who may ask. From a declaration follow the
 * types, the checks, the form of what is answered, and docs/openapi.json (scripts/openapi.ts). TypeBox reads the types
 * out of JSON Schema as it stands; its builder, which makes the same objects, would be loaded by every start, at the
 * price of the framework itself.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Principal, Scope } from '../accounts/account.ts'
import type { Caller } from '../operate/authority.ts'
import type { Person, Session } from '../people/person.ts'
import type { AnswerHeaders, LongAnswer } from './answer.ts'
import type { HttpCore } from './core.ts'

/** Of a key: one with this scope, or any. */
export type KeyAccess = Scope | 'key'
/**
 * Of a person: nobody yet, somebody who has signed in, somebody who may see the company that the path names, an
 * operator.
 */
export const PERSON_ACCESS = ['stranger', 'person', 'company', 'operator'] as const
export type PersonAccess = (typeof PERSON_ACCESS)[number]
export type Access = KeyAccess | PersonAccess | 'anybody'

/** Who has not signed in, or not yet. */
export interface Stranger {
  address: string
}

/** Who has signed in. */
export interface SignedIn extends Stranger {
  person: Person
  session: Session
  /** In the company that the path names, or as an operator; else in none. */
  caller: Caller | null
  /** Of the company that the path names; null where an operator asks of all, or the path names none. */
  company: string | null
}

/** Who asks, by what a route asks of him. */
export type Asker<Who extends Access> = Who extends 'anybody'
  ? null
  : Who extends KeyAccess
    ? Principal
    : Who extends 'stranger'
      ? Stranger
      : Who extends 'person'
        ? SignedIn
        : SignedIn & { caller: Caller }

export interface EndpointSchema {
  operationId: string
  summary: string
  description?: string
  params?: TSchema
  querystring?: TSchema
  body?: TSchema
  response: Readonly<Record<number, TSchema>>
}

type Part<Schema, Name extends string> =
  Schema extends Readonly<Record<Name, infer Given>> ? Static<Given & TSchema> : undefined

/** What was asked, checked. */
export interface Call<Schema, Who extends Access> {
  caller: Asker<Who>
  params: Part<Schema, 'params'>
  query: Part<Schema, 'querystring'>
  body: Part<Schema, 'body'>
  request: FastifyRequest
}

/** One of the answers that the schema knows. What it does not name of `body` stays here. */
export type Reply<Schema extends EndpointSchema> = {
  [Status in keyof Schema['response'] & number]: {
    status: Status
    body: Static<Schema['response'][Status] & TSchema>
    headers?: AnswerHeaders
  }
}[keyof Schema['response'] & number]

export interface Declaration<Schema extends EndpointSchema, Who extends Access> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** As metrics label it, e.g. `domain_read`. */
  operation: string
  access: Who
  schema: Schema
}

/** Throws or rejects with what the request is refused for. A file is answered in pieces, and by no schema. */
type Work<Schema extends EndpointSchema, Who extends Access> = (
  call: Call<Schema, Who>,
  core: HttpCore,
) => Promise<Reply<Schema> | LongAnswer>

export interface Endpoint extends Declaration<EndpointSchema, Access> {
  work: Work<EndpointSchema, Access>
}

/**
 * A route that is written by hand, as docs/openapi.json tells of it. Nothing else follows from it; a test holds it
 * against what the route answers.
 */
export interface Described {
  method: Declaration<EndpointSchema, Access>['method']
  url: string
  access: Access
  schema: EndpointSchema & {
    headers?: TSchema
    /** Media types of the body, where it is not JSON. */
    consumes?: readonly string[]
  }
}

/** What the document says of all routes of an API. */
export interface Told {
  tag: string
  /** How its keys are shown: a name of `securitySchemes` in scripts/openapi.ts. */
  scheme: 'bearer' | 'basic'
  /** What it answers when something is wrong. */
  error: TSchema
  /** The 401 of who shows no valid key, where it is another. */
  stranger?: { description: string; content: object }
  /** Media types of bodies, where they are not JSON. */
  consumes?: readonly string[]
  /** Its routes that are not declared. */
  described: readonly Described[]
}

/** Declares one, and takes what it does: the types of that follow from the declaration. */
export function endpoint<const Schema extends EndpointSchema, const Who extends Access>(
  declared: Declaration<Schema, Who>,
): (work: Work<Schema, Who>) => Endpoint {
  return (work) => ({ ...declared, work: work as unknown as Endpoint['work'] })
}

/** How an API's declared routes learn who asks, and what bodies say. */
export interface Content {
  /** Throws a Fault for a body that would not be read: known before it arrives. */
  check(headers: IncomingHttpHeaders): void
  /** Throws a Fault for what cannot be read. */
  read(body: Buffer, headers: IncomingHttpHeaders): unknown
  /** Values are text, as in queries: of what is to be a number one is made. */
  isText: boolean
}
