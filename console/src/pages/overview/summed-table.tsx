/** A table of sums on the overview, which can be saved as CSV. */
import { Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { csvOf } from '../../parts/csv.ts'
import { download } from '../../parts/download.ts'
import { IconButton } from '../../parts/icon-button.tsx'
import { ListTable, type ListTableProps } from '../../parts/list-table.tsx'
import { Section } from '../../parts/section.tsx'

interface SummedTableProps<Row> extends Pick<ListTableProps<Row>, 'keyOf' | 'columns'> {
  title: string
  about: string
  /** Null: there is too much to add up. */
  rows: readonly Row[] | null
  /** The words in place of a table without rows. */
  empty: string
  /** The lines of the file, the first one with the names of the columns. */
  csv: () => string[][]
}

export function SummedTable<Row>({ title, about, rows, empty, csv, ...table }: SummedTableProps<Row>) {
  const save = () => download(`${title.toLowerCase().replaceAll(' ', '-')}.csv`, csvOf(csv()))
  return (
    <Section
      compact
      title={title}
      about={about}
      action={
        <IconButton icon={Download} label="Save as CSV" name={`${title}: save as CSV`} onClick={save} />
      }
    >
      {rows === null ? (
        <Text size="sm">There is too much mail to add up. Choose a shorter period.</Text>
      ) : (
        <ListTable
          {...table}
          rows={rows}
          spacing="xs"
          empty={
            <Text size="sm" c="dimmed">
              {empty}
            </Text>
          }
        />
      )}
    </Section>
  )
}
