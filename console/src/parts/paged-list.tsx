import { Text } from '@mantine/core'
import { useState } from 'react'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { NumberedPages } from './numbered-pages.tsx'
import { SearchField } from './search-field.tsx'

const PAGE = 50
/** A shorter list needs no search field. */
const WORTH_A_SEARCH = 10

/** A list that is loaded as a whole, with pages and a search. */
export function PagedList<Row>({
  what,
  find,
  textOf,
  rows,
  empty,
  ...table
}: ListTableProps<Row> & {
  /** The plural of a row, in lower case. */
  what: string
  /** The placeholder of the search field. */
  find: string
  /** The text of a row that the search looks at. */
  textOf: (row: Row) => string
  rows: readonly Row[]
}) {
  const [wanted, setWanted] = useState('')
  const [page, setPage] = useState(1)
  const words = wanted.trim().toLowerCase()
  const found = rows.filter((row) => textOf(row).toLowerCase().includes(words))
  const at = Math.min(page, Math.max(1, Math.ceil(found.length / PAGE)))
  return (
    <>
      {rows.length > WORTH_A_SEARCH && (
        <SearchField
          label={`Find ${what}`}
          placeholder={find}
          value={wanted}
          search={(text = '') => setWanted(text)}
        />
      )}
      <ListTable
        {...table}
        spacing="xs"
        rows={found.slice((at - 1) * PAGE, at * PAGE)}
        empty={rows.length === 0 ? empty : <Text c="dimmed">No {what} match.</Text>}
      />
      <NumberedPages what={what} total={found.length} size={PAGE} page={at} onPage={setPage} />
    </>
  )
}
