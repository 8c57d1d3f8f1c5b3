/** Suppressions as rows of both databases. */
import {
  ALLOW_LIST_TYPES,
  COMPANY_WIDE_TYPES,
  marksOf,
  type Suppression,
  TAGGED_TYPES,
} from '../email/suppression.ts'
import { listOf } from './json-columns.ts'
import type { SuppressionFilter } from './suppression-store.ts'

export type SuppressionRow = Omit<Suppression, 'tags'> & { tags: string | null }

export function suppressionOf({ tags, ...row }: SuppressionRow): Suppression {
  return { ...row, tags: tags === null ? null : listOf(tags) }
}

/**
 * The condition on a suppression `s` that it stops mail from a domain. `domainId`: an expression, evaluated only for
 * suppressions that depend on the domain.
 */
export function concerns(domainId: string): string {
  return `(s.domain_id = '' OR ${isOneOf('s.type', COMPANY_WIDE_TYPES)} OR s.domain_id = ${domainId})`
}

/** The condition that the allow list keeps a suppression of this type from being made. `type`: an expression. */
export const allowListApplies = (type: string) => isOneOf(type, ALLOW_LIST_TYPES)

/** The condition that a suppression of this type may concern only mail with certain tags. */
export const mayHaveTags = (type: string) => isOneOf(type, TAGGED_TYPES)

function isOneOf(type: string, types: readonly string[]): string {
  return `${type} IN (${types.map((each) => `'${each}'`).join(', ')})`
}

/** The values of the columns `tags` and `marks`. */
export function tagColumns(tags: readonly string[] | null): [tags: string | null, marks: string | null] {
  return tags === null ? [null, null] : [JSON.stringify(tags), JSON.stringify(tags.flatMap(marksOf))]
}

/** The page that these rows hold, newest first. The rows include the whole page, and perhaps more, in no order. */
export function newestOf(
  rows: readonly SuppressionRow[],
  { after, before, domainId, limit }: SuppressionFilter,
): Suppression[] {
  const wanted = rows
    .filter(({ id, ...row }) => {
      const within = (after === undefined || id < after) && (before === undefined || id > before)
      return within && (domainId === undefined || row.domainId === domainId)
    })
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  return (before === undefined ? wanted.slice(0, limit) : wanted.slice(-limit)).map(suppressionOf)
}
