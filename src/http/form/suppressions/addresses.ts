/** The parts that the lists of addresses share. */
import { Fault } from '../../../ingress/fault.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { OperateError } from '../../../operate/error.ts'
import type { SuppressionPageRequest } from '../../../operate/suppressions.ts'
import { ADDRESS } from '../../bounds.ts'
import type { LinkedPage } from '../linked-page.ts'

/** The query parameters of their pages. */
export const NAMES = {
  key: 'address',
  prefix: 'term',
  prefixDescription: 'The beginning of the addresses.',
  bound: ADDRESS,
} as const

/** A text that sorts after every address. */
const END = '\u{10ffff}'

/** Throws a Refusal for a next or previous page without an address. */
export function addressPage(page: LinkedPage): Omit<SuppressionPageRequest, 'company' | 'domain'> {
  const { limit, prefix, backwards, after, before = backwards ? END : undefined } = page
  if (after === '' || before === '') {
    throw invalidField('address', `it is required with page=${after === '' ? 'next' : 'previous'}`)
  }
  return { limit, term: prefix || undefined, after, before }
}

/** Rejects with a Fault of this dialect when the verb finds no such entry. */
export async function orMissing<Result>(detail: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof OperateError && error.code === 'not_found') throw missing(detail)
    throw error
  }
}

export function missing(detail: string): Fault {
  return new Fault({ code: 'operation_refused', why: 'not_found', detail })
}
