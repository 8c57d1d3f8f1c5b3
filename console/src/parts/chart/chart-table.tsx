import type { ReactNode } from 'react'
import { ListTable } from '../list-table.tsx'
import classes from './chart.module.css'
import type { ChartSeries } from './series.ts'

/** The numbers of a chart, the latest first. */
export function ChartTable({
  title,
  times,
  series,
  format,
  linkOf = (_, text) => text,
}: {
  title: string
  times: readonly number[]
  series: readonly ChartSeries[]
  format: (value: number) => string
  /** The things behind the values of a time, by its index. */
  linkOf?: ((at: number, text: string) => ReactNode) | undefined
}) {
  const rows = times.map((time, index) => ({ time, index })).reverse()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users have to reach an area that scrolls (WCAG 2.1.1)
    <section className={classes.table} aria-label={`${title}: numbers`} tabIndex={0}>
      <ListTable
        rows={rows}
        keyOf={({ time }) => time}
        spacing="xs"
        columns={[
          { head: 'Time', cell: ({ time, index }) => linkOf(index, new Date(time).toLocaleString()) },
          ...series.map(({ name, values }) => ({
            head: name,
            right: true,
            cell: ({ index }: { index: number }) => (values[index] == null ? '' : format(values[index])),
          })),
        ]}
      />
    </section>
  )
}
