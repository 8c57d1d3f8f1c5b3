import { Table } from '@mantine/core'
import classes from './chart.module.css'
import type { ChartSeries } from './series.ts'

/** The numbers of a chart, the latest first. */
export function ChartTable({
  title,
  times,
  series,
  format,
}: {
  title: string
  times: readonly number[]
  series: readonly ChartSeries[]
  format: (value: number) => string
}) {
  const rows = times.map((time, index) => ({ time, index })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users have to reach an area that scrolls (WCAG 2.1.1)
    <section className={classes.table} aria-label={`${title}: numbers`} tabIndex={0}>
      <Table stickyHeader withRowBorders={false} verticalSpacing={2} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ time, index }) => (
            <Table.Tr key={time}>
              <Table.Td>{new Date(time).toLocaleString()}</Table.Td>
              {series.map(({ name, values }) => (
                <Table.Td key={name} ta="right">
                  {values[index] == null ? '' : format(values[index])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
