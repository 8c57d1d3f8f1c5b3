/**
 * The last part of a page's URL. It contains everything that the next request needs, because not all clients repeat
 * their query.
 */

import { Fault } from '../../../ingress/fault.ts'
import type { HttpCore } from '../../core.ts'
import type { EventQuery } from './query.ts'

/**
 * A position in the log: the events after a number, or up to it, nearest first. `recipient`: if the event with that
 * number is reported for each recipient, the recipient after whom, or up to whom, the page goes.
 */
export type LogCursor = { after: number; recipient?: number } | { upTo: number; recipient?: number }

interface TokenContent {
  place: LogCursor
  query: EventQuery
}

export function pageToken(
  { pageTokens }: Pick<HttpCore, 'pageTokens'>,
  companyId: string,
  page: TokenContent,
): string {
  return pageTokens.tokenOf(companyId, page)
}

/** Throws a Fault for anything but a token of the company. */
export function readToken(
  { pageTokens }: Pick<HttpCore, 'pageTokens'>,
  companyId: string,
  token: string,
): TokenContent {
  const page = pageTokens.placeOf(companyId, token) as TokenContent | undefined
  if (page !== undefined) return page
  throw new Fault({ code: 'request_invalid', detail: 'This page does not exist: follow the URLs in paging' })
}
