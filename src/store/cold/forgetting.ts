import { type ColdStatement, statement } from './statement.ts'

/**
 * Removes the oldest rows of a table, $2 at most, whose `time` is before $1. Rows that another node is removing are
 * left to that node. `key`: as for `isAmong`. `returning`: the clause, if the removed rows are wanted.
 */
export function forgetBefore<Row>(
  table: string,
  key: string,
  time: string,
  returning = '',
): ColdStatement<Row> {
  return statement(({ isAmong }) => {
    const oldest = `FROM ${table} WHERE ${time} < $1 ORDER BY ${time} LIMIT $2 FOR UPDATE SKIP LOCKED`
    return `DELETE FROM ${table} WHERE ${isAmong(key, oldest)} ${returning}`
  })
}
