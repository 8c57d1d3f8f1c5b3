/** A table with one column a property. On a narrow screen each row becomes a card. */
import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './list-table.module.css'
import { type LoadingQuery, Pending } from './pending.tsx'

export interface TableColumn<Row> {
  /** The header of the column, and the label of its value on a card. */
  head: string
  /** Shows the header to screen readers only, for columns that explain themselves. */
  headHidden?: boolean
  cell: (row: Row) => ReactNode
  /** Aligns numbers, and the buttons at the end of a row, to the right. */
  right?: boolean
  width?: string | number
  /** On a card, the buttons at the end of a row stand below its values: the heading has the whole line. */
  below?: boolean
  /** The value is the heading of its row. */
  rowHead?: boolean
}

export interface ListTableProps<Row> {
  /** Shown until there are rows. */
  query?: LoadingQuery
  rows: readonly Row[] | undefined
  /** Shown in place of a table without rows. */
  empty?: ReactNode
  keyOf: (row: Row, index: number) => string | number
  /** A column that is `false` is left out. */
  columns: readonly (TableColumn<Row> | false)[]
  label?: string
  spacing?: 'xs' | 'sm'
}

export function ListTable<Row>({
  query,
  rows,
  empty = null,
  keyOf,
  columns,
  label,
  spacing = 'sm',
}: ListTableProps<Row>) {
  if (rows === undefined) return query ? <Pending of={query} height={160} /> : null
  if (rows.length === 0) return empty
  const shown = columns.filter((column) => column !== false)
  const isHeadless = shown.every(({ headHidden }) => headHidden)
  return (
    <Table verticalSpacing={spacing} className={classes.table} aria-label={label}>
      <Table.Thead className={isHeadless ? classes.unseen : undefined}>
        <Table.Tr>
          {shown.map(({ head, headHidden, right, width }) => (
            <Table.Th key={head} ta={right ? 'right' : undefined} w={width}>
              {headHidden ? <VisuallyHidden>{head}</VisuallyHidden> : head}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, index) => (
          <Table.Tr key={keyOf(row, index)}>
            {shown.map(({ head, headHidden, cell, right, below, rowHead, width }) => {
              const Cell = rowHead ? Table.Th : Table.Td
              return (
                <Cell
                  key={head}
                  scope={rowHead ? 'row' : undefined}
                  ta={right ? 'right' : undefined}
                  w={isHeadless ? width : undefined}
                  data-head={headHidden ? undefined : head}
                  className={`${classes.cell} ${right ? classes.right : ''} ${below ? classes.below : ''}`}
                >
                  <div className={classes.value}>{cell(row)}</div>
                </Cell>
              )
            })}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
