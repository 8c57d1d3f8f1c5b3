/**
 * The form of the console's contract: one row for each route. From the rows follow the registration of the routes,
 * their labels in metrics and the types of their handlers (../handlers.ts), and the page's client
 * (console/src/api/client.ts), which takes the types alone.
 */
import type { Static, TSchema } from 'typebox'
import type { ID } from '../../bounds.ts'
import type { ParamNames, RouteName } from '../../route-name.ts'

/** A stranger, a signed-in person, a person who may see the company in the path, or an operator. */
type RouteAccess = 'stranger' | 'person' | 'company' | 'operator'

interface RouteRow {
  /** The label in metrics, after `console_`. */
  operation: string
  /** Parameters of the path that are not ids. */
  params?: Readonly<Record<string, object>>
  query?: object
  body?: object
  /** The status of success; absent: 200. */
  status?: 200 | 201
  /** The schema of the JSON; `document`: a file or a page; `stream`: server-sent events. */
  answer: object | 'document' | 'stream'
  /** The schema of the JSON with status 202: another step is needed. */
  pending?: object
}

export interface ConsoleRoute extends RouteRow {
  access: RouteAccess
}

/** Paths are below `/console/api`. */
type Rows = Readonly<Record<RouteName, RouteRow>>

type RoutesOf<Who extends RouteAccess, Given extends Rows> = {
  readonly [Name in keyof Given]: Given[Name] & { readonly access: Who }
}

export function routes<const Who extends RouteAccess, const Given extends Rows>(
  access: Who,
  rows: Given,
): RoutesOf<Who, Given> {
  const entries = Object.entries(rows).map(([name, row]) => [name, { ...row, access }])
  return Object.fromEntries(entries) as RoutesOf<Who, Given>
}

type Json<Schema> = Static<Schema & TSchema>

export type ParamsOf<Name, Of> = {
  [Param in ParamNames<Name>]: Of extends { params: Record<Param, infer Schema> }
    ? Json<Schema>
    : Json<typeof ID>
}

/** A part of a validated request. */
export type PartOf<Part extends 'query' | 'body', Of> =
  Of extends Record<Part, infer Schema> ? Json<Schema> : undefined

export type AnswerOf<Of> = Of extends { pending: infer Pending; answer: infer Answer }
  ? Json<Pending> | Json<Answer>
  : Of extends { answer: infer Answer }
    ? Json<Answer>
    : never

/** A query as a client gives it: a parameter with a default may be left out, and undefined stands for none. */
export type QueryInput<Of> = Of extends {
  query: { properties: infer Properties; required: readonly (infer Required)[] }
}
  ? RequiredProperties<Properties, Required> & {
      [Name in keyof Properties]?: Json<Properties[Name]> | undefined
    }
  : never

type RequiredProperties<Properties, Required> = {
  [Name in keyof Properties as Name extends Required
    ? Properties[Name] extends { default: unknown }
      ? never
      : Name
    : never]: Json<Properties[Name]>
}
