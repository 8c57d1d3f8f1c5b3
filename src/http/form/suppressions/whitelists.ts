/** `/v3/{domain}/whitelists`: addresses and domains that bounces do not suppress. */

import type { AllowEntry } from '../../../email/suppression.ts'
import { utcDate } from '../../../ingress/message-form/date.ts'
import { Refusal } from '../../../intake/refusal.ts'
import { addAllowed, allowedPage, findAllowed, removeAllowed } from '../../../operate/allow-list.ts'
import { LINE, PASSAGE } from '../../bounds.ts'
import type { Endpoint } from '../../endpoint.ts'
import { keyedListRoutes, listAction } from '../keyed-list.ts'
import { MESSAGE_ONLY, TEXT } from '../schemas.ts'
import { addressPage, NAMES, orMissing } from './addresses.ts'

const MISSING = 'Address/Domain not found in whitelists table'

const ABOUT_VALUE = {
  type: 'object',
  required: ['message', 'value'],
  properties: { message: TEXT, type: TEXT, value: TEXT },
} as const

const ENTRY = {
  type: 'object',
  required: ['value', 'reason', 'type', 'createdAt'],
  properties: { value: TEXT, reason: TEXT, type: { enum: ['address', 'domain'] }, createdAt: TEXT },
} as const

function entryJson({ value, kind, reason, createdAt }: AllowEntry) {
  return { value, reason: reason ?? '', type: kind, createdAt: utcDate(createdAt) }
}

export const whitelistRoutes: readonly Endpoint[] = keyedListRoutes<AllowEntry>({
  name: 'whitelists',
  operation: 'form_whitelist',
  ids: { entry: 'Whitelist', list: 'Whitelists' },
  key: 'value',
  names: NAMES,
  entry: ENTRY,
  entryJson,
  summary: 'List the addresses and domains that bounces do not suppress, by value',
  page: ({ op, company, domain }, page) =>
    allowedPage(op, { company, domain: domain.id, ...addressPage(page) }),
  actions: {
    add: listAction({
      summary: 'Keep bounces from suppressing an address or a domain',
      body: { type: 'object', properties: { address: LINE, domain: LINE, reason: PASSAGE } },
      answer: ABOUT_VALUE,
      async work({ op, company, domain: { id } }, { address, domain, reason }) {
        const value = address || domain
        if (!value) throw new Refusal({ code: 'field_missing', field: 'address' })
        await addAllowed(op, { company, domain: id, entries: [{ value, reason }] })
        const message = 'Address/Domain has been added to the whitelists table'
        return { message, type: value.includes('@') ? 'address' : 'domain', value }
      },
    }),
    show: {
      summary: 'Get an address or a domain of the allow list',
      answer: ENTRY,
      work: async ({ op, company, domain, key: value }) =>
        entryJson(await orMissing(MISSING, findAllowed(op, { company, domain: domain.id, value }))),
    },
    remove: {
      summary: 'Remove an address or a domain from the allow list',
      answer: ABOUT_VALUE,
      async work({ op, company, domain, key: value }) {
        await orMissing(MISSING, removeAllowed(op, { company, domain: domain.id, value }))
        return { message: 'Whitelist address/domain has been removed', value }
      },
    },
    clear: {
      summary: 'Remove all entries of the allow list',
      answer: MESSAGE_ONLY,
      async work({ op, company, domain }) {
        await removeAllowed(op, { company, domain: domain.id })
        return { message: 'Whitelist addresses/domains for this domain have been removed' }
      },
    },
  },
})
