/** `/v3/{domain}/bounces`, `unsubscribes` and `complaints`: the lists of one domain. */

import type { Suppression } from '../../../email/suppression.ts'
import { Fault } from '../../../ingress/fault.ts'
import {
  addSuppressions,
  clearSuppressions,
  findSuppression,
  removeSuppression,
  removeUnsubscribedTag,
  suppressedPage,
} from '../../../operate/suppressions.ts'
import { LINE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { type KeyedList, keyedListRoutes, type ListCall, listAction } from '../keyed-list.ts'
import type { LinkedPage } from '../linked-page.ts'
import { MESSAGE_ONLY } from '../schemas.ts'
import { addressPage, missing, NAMES, orMissing } from './addresses.ts'
import { ENTRIES, entryOf } from './input.ts'
import { ENTRY, LISTS, listEntryJson, type SuppressionList } from './lists.ts'

const ABOUT_ADDRESS = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' }, address: { type: 'string' } },
} as const

function keyedList(list: SuppressionList): KeyedList<Suppression> {
  const { name, types } = list
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
  return {
    name,
    operation: 'form_suppression',
    ids: { entry: title, list: title },
    key: 'address',
    names: NAMES,
    entry: ENTRY,
    entryJson: (entry) => listEntryJson(list, entry),
    summary: `List the ${name} of the domain, by address`,
    page: (call, page) => pageOf(list, call, page),
    actions: {
      add: listAction({
        summary: `Add one address to the ${name}, or up to 1,000 in a JSON array`,
        body: ENTRIES,
        answer: ABOUT_ADDRESS,
        async work({ op, company, domain }, body) {
          const entries = [body].flat().map((entry) => entryOf(list, entry))
          const [first] = entries
          if (!first) throw new Fault({ code: 'request_invalid', detail: 'An address is required' })
          await addSuppressions(op, { company, domain: domain.id, entries })
          if (entries.length > 1) return { message: `${entries.length} ${list.several}` }
          return { message: `Address has been added to the ${name} table`, address: first.address }
        },
      }),
      show: {
        summary: `Get an address of the ${name}`,
        answer: ENTRY,
        async work({ op, company, domain, key: address }) {
          requireAddress(list, address)
          const wanted = { company, domain: domain.id, of: address, types }
          const found = await orMissing(list.missing, findSuppression(op, wanted))
          return listEntryJson(list, found)
        },
      },
      remove: listAction({
        summary: `Remove an address from the ${name}`,
        query: {
          type: 'object',
          properties: { tag: { ...LINE, description: 'For an unsubscription: only this tag.' } },
        },
        answer: ABOUT_ADDRESS,
        async work({ op, company, domain, key: address }, { tag = '*' }) {
          requireAddress(list, address)
          const of = { company, domain: domain.id, address }
          const removal: Promise<unknown> =
            tag === '*' || name !== 'unsubscribes'
              ? removeSuppression(op, { ...of, types })
              : removeUnsubscribedTag(op, { ...of, tag })
          await orMissing(list.missing, removal)
          return { message: list.removed, address }
        },
      }),
      clear: {
        summary: `Remove all addresses from the ${name}`,
        answer: MESSAGE_ONLY,
        async work({ op, company, domain }) {
          await clearSuppressions(op, { company, domain: domain.id, types })
          return { message: list.cleared }
        },
      },
    },
  }
}

/** A page with each address once, even if it is on the list with several types. */
async function pageOf(
  { types }: SuppressionList,
  { op, company, domain }: ListCall,
  page: LinkedPage,
): Promise<Suppression[]> {
  const bounds = { company, domain: domain.id, ...addressPage(page) }
  const pages = await Promise.all(types.map((type) => suppressedPage(op, { ...bounds, type })))
  if (pages.length === 1) return pages[0]!
  const all = new Map<string, Suppression>()
  for (const entry of pages.flat()) {
    const key = entry.address.toLowerCase()
    if (!all.has(key)) all.set(key, entry)
  }
  const sorted = [...all.entries()].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const entries = sorted.map(([, entry]) => entry)
  return page.backwards ? entries.slice(-page.limit) : entries.slice(0, page.limit)
}

/** A text that is not an address is on no list. */
function requireAddress(list: SuppressionList, text: string): void {
  if (!text.includes('@')) throw missing(list.missing)
}

export const suppressionRoutes: readonly Endpoint[] = LISTS.flatMap((list) =>
  keyedListRoutes(keyedList(list)),
)
