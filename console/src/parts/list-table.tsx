/** A table with one column a property. On a narrow screen each row becomes a card. */
import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './list-table.module.css'

export interface TableColumn<Row> {
  /** The header of the column, and the label of its value on a card. */
  head: string
  /** Shows the header to screen readers only, for columns that explain themselves. */
  headHidden?: boolean
  cell: (row: Row) => ReactNode
  /** Aligns numbers, and the buttons at the end of a row, to the right. */
  right?: boolean
  width?: string | number
}

interface ListTableProps<Row> {
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** A column that is `false` is left out. */
  columns: readonly (TableColumn<Row> | false)[]
  label?: string
  spacing?: 'xs' | 'sm'
}

export function ListTable<Row>({ rows, keyOf, columns, label, spacing = 'sm' }: ListTableProps<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <Table verticalSpacing={spacing} className={classes.table} aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {shown.map(({ head, headHidden, right, width }) => (
            <Table.Th key={head} ta={right ? 'right' : undefined} w={width}>
              {headHidden ? <VisuallyHidden>{head}</VisuallyHidden> : head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {shown.map(({ head, headHidden, cell, right }) => (
              <Table.Td
                key={head}
                ta={right ? 'right' : undefined}
                data-head={headHidden ? undefined : head}
                className={right ? classes.right : undefined}
              >
                <div className={classes.value}>{cell(row)}</div>
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
