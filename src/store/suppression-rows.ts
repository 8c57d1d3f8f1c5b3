/** Suppressions as rows of both databases. */
import { COMPANY_WIDE_TYPES, marksOf, type Suppression } from '../email/suppression.ts'
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
  const everywhere = COMPANY_WIDE_TYPES.map((type) => `'${type}'`).join(', ')
  return `(s.domain_id = '' OR s.type IN (${everywhere}) OR s.domain_id = ${domainId})`
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
