/** Reads all rows of a list that comes in pages, so that people can choose them at once. */

/** The most rows that can be selected at once. */
export const MAX_CHOSEN = 10_000
const PAGE = 100

interface Page<Row> {
  rows: readonly Row[]
  next: string | null
}

/** Returns at most `most` rows. `onPage`: called after each page with the number of rows so far. */
export async function allRows<Row>(
  read: (cursor: string | undefined, limit: number) => Promise<Page<Row>>,
  onPage: (count: number) => void = () => {},
  most = MAX_CHOSEN,
): Promise<Row[]> {
  const found: Row[] = []
  let cursor: string | undefined
  do {
    const { rows, next } = await read(cursor, Math.min(PAGE, most - found.length))
    found.push(...rows)
    onPage(found.length)
    cursor = next ?? undefined
  } while (cursor !== undefined && found.length < most)
  return found
}
