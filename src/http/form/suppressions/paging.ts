/** Lists in the order of their addresses: a page is named by the address before it, or the one after it. */

import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../../intake/refusal.ts'
import { ADDRESS } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { LIMIT, lastOf } from '../limit.ts'
import { linkTo } from '../link.ts'

export const PAGE_QUERY = {
  type: 'object',
  required: ['limit', 'page', 'address', 'term'],
  properties: {
    limit: LIMIT,
    page: { enum: ['', 'first', 'last', 'next', 'previous'], default: '' },
    address: { ...ADDRESS, default: '', description: 'The entry at which `page` continues.' },
    term: { ...ADDRESS, default: '', description: 'The beginning of the addresses.' },
  },
} as const

export interface PageQuery {
  limit: number | number[]
  page: '' | 'first' | 'last' | 'next' | 'previous'
  address: string
  term: string
}

/** Sorts after every address. */
const END = '\u{10ffff}'

export interface ListPageQuery {
  limit: number
  term?: string
  after?: string
  before?: string
}

/** Throws a Refusal. */
export function listPageQuery({ limit, page, address, term }: PageQuery): ListPageQuery {
  const wanted = { limit: lastOf(limit), ...(term !== '' && { term }) }
  if (page === 'last') return { ...wanted, before: END }
  if (page === '' || page === 'first') return wanted
  if (address === '') throw invalidField('address', `it is required with page=${page}`)
  return page === 'next' ? { ...wanted, after: address } : { ...wanted, before: address }
}

export const PAGING = {
  type: 'object',
  properties: {
    first: { type: 'string' },
    last: { type: 'string' },
    next: { type: 'string' },
    previous: { type: 'string' },
  },
} as const

/** `found`: the addresses of this page, in order. */
export function paging(
  core: HttpCore,
  request: FastifyRequest,
  path: string,
  { limit, term, address }: PageQuery,
  found: readonly string[],
) {
  const link = (page: string, from: string) => {
    const query = new URLSearchParams({ page, address: from, limit: String(lastOf(limit)), term })
    return linkTo(core, request, `${path}?${query}`)
  }
  return {
    first: link('first', ''),
    last: link('last', ''),
    next: link('next', found.at(-1) ?? address),
    previous: link('previous', found[0] ?? address),
  }
}
