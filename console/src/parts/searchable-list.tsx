import { Text } from '@mantine/core'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { SearchField } from './search-field.tsx'

/** A shorter list needs no search field. */
const WORTH_A_SEARCH = 10

/** The newest rows of a list, and a search on the server that finds the others. */
export function SearchableList<Row>({
  what,
  total = 0,
  search,
  onSearch,
  empty,
  ...table
}: ListTableProps<Row> & {
  /** The plural of a row, in lower case. */
  what: string
  /** The number of rows that match. */
  total: number | undefined
  search: string | undefined
  onSearch: (text: string | undefined) => void
}) {
  const shown = table.rows?.length ?? 0
  return (
    <>
      {(total > WORTH_A_SEARCH || search !== undefined) && (
        <SearchField label={`Search ${what}`} value={search} search={onSearch} />
      )}
      <ListTable
        {...table}
        empty={search === undefined ? empty : <Text c="dimmed">{`No ${what} match “${search}”.`}</Text>}
      />
      {shown < total && (
        <Text c="dimmed" size="sm" mt="sm">
          Showing the newest {shown} of {total}. Search to find others.
        </Text>
      )}
    </>
  )
}
