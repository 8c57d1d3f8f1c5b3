/** A chart of numbers over time, with a table of the numbers and a download as CSV. */

import { Group, useComputedColorScheme } from '@mantine/core'
import { ChartNoAxesColumn, Download, Table2 } from 'lucide-react'
import { Suspense, useMemo, useState } from 'react'
import { csvOf } from '../csv.ts'
import { download } from '../download.ts'
import { IconButton } from '../icon-button.tsx'
import { later } from '../later.ts'
import { Section } from '../section.tsx'
import classes from './chart.module.css'
import { ChartTable } from './chart-table.tsx'
import { Mark } from './mark.tsx'
import type { ChartProps } from './series.ts'

/** The chart library is as large as the rest of the page, and is loaded after it. */
const Plot = later(() => import('./plot.tsx'), 'Plot')

const plain = (value: number) => value.toLocaleString()

export function Chart({ title, about, times, series, kind, steps, linksOf, format = plain }: ChartProps) {
  const scheme = useComputedColorScheme('light')
  const [numbers, setNumbers] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  // The legend starts with the lowest part of a stacked bar, which is the last of them, and ends with the lines.
  const listed = useMemo(() => {
    if (kind === 'lines') return series
    return [...series.filter(({ isLine }) => !isLine).reverse(), ...series.filter(({ isLine }) => isLine)]
  }, [series, kind])
  const save = () => {
    const head = ['time', ...series.map(({ name }) => name)]
    const rows = times.map((time, index) => [
      new Date(time).toISOString(),
      ...series.map(({ values }) => String(values[index] ?? '')),
    ])
    download(`${title.toLowerCase().replaceAll(/\W+/g, '-')}.csv`, csvOf([head, ...rows]))
  }
  return (
    <Section
      compact
      title={title}
      about={about}
      action={
        <Group gap={2} wrap="nowrap">
          <IconButton
            icon={numbers ? ChartNoAxesColumn : Table2}
            label={numbers ? 'Show the chart' : 'Show the numbers'}
            name={`${title}: ${numbers ? 'show the chart' : 'show the numbers'}`}
            onClick={() => setNumbers(!numbers)}
          />
          <IconButton icon={Download} label="Save as CSV" name={`${title}: save as CSV`} onClick={save} />
        </Group>
      }
    >
      <ul className={classes.legend}>
        {listed.map((each) => {
          const { name, color, texture, isLine = false, values, whole = sumOf(values) } = each
          const value = at === null ? whole : (values[at] ?? null)
          return (
            <li key={name}>
              <Mark key={scheme} {...{ color, texture }} isLine={isLine || kind === 'lines'} />
              {linksOf?.series(name, name) ?? name} <b>{value === null ? 'none' : format(value)}</b>
            </li>
          )
        })}
        <li className={classes.when} aria-live="off">
          {at === null ? '' : new Date(times[at]!).toLocaleString()}
        </li>
      </ul>
      {numbers ? (
        <ChartTable {...{ title, times, series, format }} linkOf={linksOf?.time} />
      ) : (
        <Suspense fallback={<div className={classes.plot} />}>
          <Plot
            key={scheme}
            {...{ times, series, kind, steps, format }}
            onHover={setAt}
            onPick={linksOf?.open}
          />
        </Suspense>
      )}
    </Section>
  )
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}
