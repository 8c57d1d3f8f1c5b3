/**
 * Routes for the lists of a domain whose entries have keys, such as tags and suppressions. One object describes a list,
 * and determines its routes.
 */
import type { Static, TSchema } from 'typebox'
import type { Principal, SendingDomain } from '../../accounts/account.ts'
import type { Operation } from '../../operate/verb.ts'
import type { HttpCore } from '../core.ts'
import type { Endpoint } from '../endpoint.ts'
import { operationOfKey } from '../operation.ts'
import { route } from '../route.ts'
import { type LinkedPage, type LinkNames, linkedPage, linkedQuery, PAGING, pageLinks } from './linked-page.ts'
import { ownDomain } from './own-domain.ts'

/** A request for a list, or for one of its entries. */
export interface ListCall {
  core: HttpCore
  caller: Principal
  /** The domain in the path, and its company. */
  domain: SendingDomain
  company: string
  op: Operation
  /** The key in the path; empty: the path names the whole list. */
  key: string
}

interface ListAction {
  summary: string
  query?: TSchema
  body?: TSchema
  answer: TSchema
  /** `given`: the validated body; the validated query if the action has no body. Resolves to the answer. */
  work(call: ListCall, given: unknown): Promise<object>
}

/** Declares an action. The type of its body or query is inferred from the schema. */
export function listAction<const Given extends TSchema>(row: {
  summary: string
  query?: Given
  body?: Given
  answer: TSchema
  work(call: ListCall, given: Static<Given>): Promise<object>
}): ListAction {
  return row
}

/** Actions on a list (`/v3/{domain}/tags`), and on an entry (`/v3/{domain}/tags/{tag}`). */
const ACTIONS = {
  add: { method: 'POST', of: 'list', id: 'Add', label: 'add', access: 'management' },
  show: { method: 'GET', of: 'entry', id: 'Show', label: 'read', access: 'reading' },
  update: { method: 'PUT', of: 'entry', id: 'Update', label: 'update', access: 'management' },
  remove: { method: 'DELETE', of: 'entry', id: 'Remove', label: 'remove', access: 'management' },
  clear: { method: 'DELETE', of: 'list', id: 'Clear', label: 'clear', access: 'management' },
} as const

export interface KeyedList<Entry> {
  /** The end of its path. */
  name: string
  /** The beginning of its labels in metrics: `form_tag`. */
  operation: string
  /** The names of an entry and of the list in the ids of the OpenAPI document: `Tag`, `Tags`. */
  ids: { entry: string; list: string }
  /** The field of an entry that names it, in paths and answers. */
  key: 'address' | 'value' | 'tag'
  names: LinkNames
  entry: TSchema
  entryJson(entry: Entry): Readonly<Record<string, unknown>>
  /** The summary of its pages. */
  summary: string
  page(call: ListCall, page: LinkedPage): Promise<readonly Entry[]>
  actions: { readonly [Name in keyof typeof ACTIONS]?: ListAction }
}

export function keyedListRoutes<Entry>(list: KeyedList<Entry>): Endpoint[] {
  const { name, operation, ids, key, names, entry, actions } = list
  const url = `/v3/:domain/${name}` as const
  const callOf = async (
    core: HttpCore,
    caller: Principal,
    params: Readonly<Record<string, string>>,
  ): Promise<ListCall> => {
    const domain = await ownDomain(core, caller, params.domain!)
    const { companyId: company } = domain
    return { core, caller, domain, company, op: operationOfKey(core, caller), key: params[key] ?? '' }
  }

  const pages = route(`GET ${url}`, {
    operation: `${operation}_list`,
    access: 'reading',
    operationId: `formList${ids.list}`,
    summary: list.summary,
    query: linkedQuery(names),
    answer: { type: 'object', properties: { items: { type: 'array', items: entry }, paging: PAGING } },
  })(async ({ caller, params, query, request }, core) => {
    const call = await callOf(core, caller, params)
    const found = await list.page(call, linkedPage(names, query))
    const items = found.map((each) => list.entryJson(each))
    const keys = items.map((item) => item[key] as string)
    return { items, paging: pageLinks(core, request, `/v3/${call.domain.name}/${name}`, names, keys) }
  })

  const others = Object.entries(ACTIONS).flatMap(([name, { method, of, id, label, access }]) => {
    const action = actions[name as keyof typeof ACTIONS]
    if (action === undefined) return []
    const { work, ...row } = action
    const path = of === 'list' ? url : (`${url}/:${key}` as const)
    const operationId = `form${id}${name === 'clear' ? ids.list : ids.entry}`
    const declared = { ...row, operation: `${operation}_${label}`, operationId, access }
    return route(
      `${method} ${path}`,
      declared,
    )(async ({ caller, params, query, body }, core) =>
      work(await callOf(core, caller, params), body ?? query),
    )
  })
  return [pages, ...others]
}
