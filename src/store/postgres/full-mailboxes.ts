/**
 * Full mailboxes, which suppress an address only when several of its recipients had one. The parts of statements here
 * belong to a query `refusing`: recipients that lead to a suppression, with `company`, `folded`, `email`, `position`,
 * `at`, and the columns of `repeatColumns`.
 */
import type { SuppressionCause } from '../../email/lifecycle.ts'
import { int4, int8, type SqlColumns } from './columns.ts'

/** The rule of a cause that must be repeated; null: one is enough. */
export function repeatColumns<Item>(causeOf: (item: Item) => SuppressionCause | null): SqlColumns<Item> {
  return {
    refusals: int4((item) => causeOf(item)?.repeated?.refusals ?? null),
    within: int8((item) => causeOf(item)?.repeated?.withinMs ?? null),
  }
}

/** With new reports, this many expired ones are removed, so that the table does not grow. */
const FORGOTTEN = 10

/** Queries that note the new reports. */
export const REPEATS = `full_now AS (
  INSERT INTO full_mailboxes (company, folded, email, position, at)
  SELECT company, folded, email, position, at FROM refusing WHERE refusals IS NOT NULL ORDER BY company, folded, email, position
  ON CONFLICT DO NOTHING
), full_before AS (
  DELETE FROM full_mailboxes WHERE ctid = ANY (ARRAY(
    SELECT f.ctid FROM full_mailboxes f
    WHERE f.at <= (SELECT min(at - within) FROM refusing) ORDER BY f.at LIMIT ${FORGOTTEN} FOR UPDATE SKIP LOCKED
  ))
)`

/**
 * The condition that this row of `refusing` leads to its suppression. A statement does not see the reports that it
 * notes.
 */
export function isRepeated(row: string): string {
  const same = (other: string) => `${other}.company = ${row}.company AND ${other}.folded = ${row}.folded`
  return `(${row}.refusals IS NULL OR ${row}.refusals <=
    (SELECT count(*) FROM refusing n WHERE ${same('n')} AND n.refusals IS NOT NULL)
    + (SELECT count(*) FROM full_mailboxes f WHERE ${same('f')} AND f.at > ${row}.at - ${row}.within
        AND NOT EXISTS (SELECT 1 FROM refusing n WHERE n.email = f.email AND n.position = f.position)))`
}
