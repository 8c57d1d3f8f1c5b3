/** `/v3/{domain}/bounces`, `unsubscribes` and `complaints`. */

import type { Principal } from '../../../accounts/account.ts'
import type { Suppression } from '../../../email/suppression.ts'
import { Fault } from '../../../ingress/fault.ts'
import { OperateError } from '../../../operate/error.ts'
import {
  addSuppressions,
  clearSuppressions,
  findSuppression,
  removeSuppression,
  removeUnsubscribedTag,
  suppressedPage,
} from '../../../operate/suppressions.ts'
import type { Operation } from '../../../operate/verb.ts'
import { LINE } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import type { Endpoint } from '../../endpoint.ts'
import { operationOfKey } from '../../operation.ts'
import { route } from '../../route.ts'
import { ownDomain } from '../own-domain.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { ENTRIES, entryOf } from './input.ts'
import { ENTRY, LISTS, listEntryJson, type SuppressionList } from './lists.ts'
import { type ListPageQuery, listPageQuery, PAGE_QUERY, PAGING, paging } from './paging.ts'

const ABOUT_ADDRESS = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' }, address: { type: 'string' } },
} as const

export const suppressionRoutes: readonly Endpoint[] = LISTS.flatMap((list) => {
  const { name } = list
  const url = `/v3/:domain/${name}` as const
  const id = (verb: string) => `form${verb}${name[0]!.toUpperCase()}${name.slice(1)}`

  const all = route(`GET ${url}`, {
    operation: 'form_suppression_list',
    access: 'reading',
    operationId: id('List'),
    summary: `List the ${name} of the company, by address`,
    query: PAGE_QUERY,
    answer: {
      type: 'object',
      properties: { items: { type: 'array', items: ENTRY }, paging: PAGING },
    },
  })(async ({ caller, params, query, request }, core) => {
    const { op, domain } = await on(core, caller, params.domain)
    const found = await listed(op, caller, list, listPageQuery(query))
    const addresses = found.map(({ address }) => address)
    return {
      items: found.map((entry) => listEntryJson(list, entry)),
      paging: paging(core, request, `/v3/${domain}/${name}`, query, addresses),
    }
  })

  const add = route(`POST ${url}`, {
    operation: 'form_suppression_add',
    access: 'management',
    operationId: id('Add'),
    summary: `Add one address to the ${name}, or up to 1,000 in a JSON array`,
    body: ENTRIES,
    answer: ABOUT_ADDRESS,
  })(async ({ caller, params, body }, core) => {
    const { op, domainId } = await on(core, caller, params.domain)
    const entries = [body].flat().map((entry) => entryOf(list, entry))
    if (entries.length === 0) throw new Fault({ code: 'request_invalid', detail: 'An address is required' })
    await addSuppressions(op, { company: caller.companyId, entries, domainId })
    const [first] = entries
    if (entries.length > 1) return { message: `${entries.length} ${list.several}` }
    const message = `Address has been added to the ${name} table`
    return { message, address: first!.address }
  })

  const show = route(`GET ${url}/:address`, {
    operation: 'form_suppression_read',
    access: 'reading',
    operationId: id('Show'),
    summary: `Get an address of the ${name}`,
    answer: ENTRY,
  })(async ({ caller, params }, core) => {
    const { op } = await on(core, caller, params.domain)
    const wanted = { company: caller.companyId, of: addressOf(list, params.address), types: list.types }
    return listEntryJson(list, await unlessMissing(list, findSuppression(op, wanted)))
  })

  const remove = route(`DELETE ${url}/:address`, {
    operation: 'form_suppression_remove',
    access: 'management',
    operationId: id('Remove'),
    summary: `Remove an address from the ${name}`,
    query: {
      type: 'object',
      properties: {
        tag: { ...LINE, description: 'For an unsubscription: only this tag.' },
      },
    },
    answer: ABOUT_ADDRESS,
  })(async ({ caller, params, query }, core) => {
    const { op } = await on(core, caller, params.domain)
    const { companyId: company } = caller
    const address = addressOf(list, params.address)
    const { tag = '*' } = query
    const all = tag === '*' || name !== 'unsubscribes'
    const removal: Promise<unknown> = all
      ? removeSuppression(op, { company, address, types: list.types })
      : removeUnsubscribedTag(op, { company, address, tag })
    await unlessMissing(list, removal)
    return { message: list.removed, address }
  })

  const clear = route(`DELETE ${url}`, {
    operation: 'form_suppression_clear',
    access: 'management',
    operationId: id('Clear'),
    summary: `Remove all addresses from the ${name}`,
    answer: MESSAGE_ONLY,
  })(async ({ caller, params }, core) => {
    const { op } = await on(core, caller, params.domain)
    await clearSuppressions(op, { company: caller.companyId, types: list.types })
    return { message: list.cleared }
  })

  return [all, add, show, remove, clear]
})

/** The lists belong to the company; the domain only names the path, and the origin of an added entry. */
async function on(
  core: HttpCore,
  caller: Principal,
  name: string,
): Promise<{ op: Operation; domain: string; domainId: string }> {
  const domain = await ownDomain(core, caller, name)
  return { op: operationOfKey(core, caller), domain: domain.name, domainId: domain.id }
}

/** Each address once, whatever types the list shows. */
async function listed(
  op: Operation,
  { companyId: company }: Principal,
  { types }: SuppressionList,
  page: ListPageQuery,
): Promise<Suppression[]> {
  const pages = await Promise.all(types.map((type) => suppressedPage(op, { company, type, ...page })))
  if (pages.length === 1) return pages[0]!
  const all = new Map<string, Suppression>()
  for (const entry of pages.flat()) {
    const key = entry.address.toLowerCase()
    if (!all.has(key)) all.set(key, entry)
  }
  const sorted = [...all.entries()].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const entries = sorted.map(([, entry]) => entry)
  return page.before === undefined ? entries.slice(0, page.limit) : entries.slice(-page.limit)
}

/** A text that is no address is on no list. */
function addressOf(list: SuppressionList, text: string): string {
  if (text.includes('@')) return text
  throw missing(list)
}

async function unlessMissing<Result>(list: SuppressionList, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof OperateError && error.code === 'not_found') throw missing(list)
    throw error
  }
}

function missing(list: SuppressionList): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', detail: list.missing })
}
