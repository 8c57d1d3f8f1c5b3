/** Draws a chart with uPlot, on a canvas, which handles thousands of points without slowing the page. */
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import classes from './chart.module.css'
import type { ChartProps, ChartSeries } from './series.ts'
import { dashesOf, fillOf } from './texture.ts'

const HEIGHT = 190

interface PlotProps extends Pick<ChartProps, 'times' | 'series' | 'kind'> {
  steps: ChartProps['steps'] | undefined
  format: (value: number) => string
  /** `at`: the index of the time under the pointer; `null` if the pointer is elsewhere. */
  onHover: (at: number | null) => void
  /** Called with the index of a time that was clicked. */
  onPick: ((at: number) => void) | undefined
}

export function Plot({ times, series, kind, steps, format, onHover, onPick }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const hover = useRef(onHover)
  hover.current = onHover
  const pick = useRef(onPick)
  pick.current = onPick
  useEffect(() => {
    const element = place.current!
    const color = (name: string) =>
      getComputedStyle(element).getPropertyValue(`--mantine-color-${name}`).trim()
    const axis = {
      stroke: color('dimmed'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: color('default-border'), width: 1 },
      ticks: { show: false },
    }
    const plot = new uPlot(
      {
        width: element.clientWidth || 300,
        height: HEIGHT,
        legend: { show: false },
        // On the right there is room for half of the last time.
        padding: [8, 20, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
        scales: {
          ...(kind === 'bars' && { x: { range: wholeBars } }),
          y: steps ? stepped(steps) : { range: (_, __, max) => [0, Math.max(max, 1)] },
        },
        axes: [
          { ...axis, grid: { show: false }, size: 38, space: 70, values: timeWords },
          {
            ...axis,
            size: 58,
            ...(steps && {
              splits: (_, __, min, max) => steps.filter((step) => step >= min && step <= max),
              filter: (_, splits) => splits,
            }),
            values: (_, ticks) => ticks.map((tick) => format(tick)),
          },
        ],
        series: [
          {},
          ...series.map((each) =>
            kind === 'bars' && !each.isLine
              ? barsOf(each, color(each.color))
              : lineOf(each, color(each.color)),
          ),
        ],
        hooks: {
          setCursor: [({ cursor }) => hover.current(cursor.left! < 0 ? null : (cursor.idx ?? null))],
        },
      },
      dataOf(times, series, kind, steps?.[0]),
      element,
    )
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    watch.observe(element)
    const picked = () => {
      const { left, idx } = plot.cursor
      if (left! >= 0 && idx != null) pick.current?.(idx)
    }
    plot.over.addEventListener('click', picked)
    if (pick.current !== undefined) plot.over.style.cursor = 'pointer'
    return () => {
      watch.disconnect()
      plot.destroy()
    }
  }, [times, series, kind, steps, format])
  // Hidden from screen readers: the legend and the table hold the same numbers.
  return <div ref={place} className={classes.plot} aria-hidden />
}

/**
 * A logarithmic scale from the step below the least value to the step above the greatest. Zero has no place
 * on it.
 */
function stepped(steps: readonly number[]): uPlot.Scale {
  const [first = 1] = steps
  return {
    distr: 3,
    log: 10,
    range: (_, min, max) => [
      steps.findLast((step) => step <= min) ?? first,
      steps.find((step) => step >= max) ?? Math.max(max, first),
    ],
  }
}

/** Half a bar more on both sides, so that the first and the last are not cut. */
function wholeBars({ data: [times] }: uPlot, first: number, last: number): uPlot.Range.MinMax {
  const half = times.length > 1 ? (times[1]! - times[0]!) / 2 : 0
  return [first - half, last + half]
}

function lineOf({ name, values, texture }: ChartSeries, color: string): uPlot.Series {
  const alone = values.flatMap((_, index) => (isAlone(values, index) ? [index] : []))
  const points = { show: alone.length > 0, size: 6, fill: color, filter: () => alone }
  return { label: name, stroke: color, width: 2, dash: dashesOf(texture), points }
}

function barsOf({ name, texture }: ChartSeries, color: string): uPlot.Series {
  return {
    label: name,
    fill: ({ ctx }) => fillOf(ctx, color, texture),
    width: 0,
    points: { show: false },
    paths: uPlot.paths.bars!({ size: [0.8, 48] }),
  }
}

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const DAY_IN_SECONDS = 86_400

/** Formats ticks in the viewer's time zone and locale, with the date where a new day begins. */
function timeWords(_: uPlot, ticks: number[], __: number, ___: number, between: number): string[] {
  let before = ''
  return ticks.map((tick) => {
    const day = DAY.format(tick * 1000)
    if (between >= DAY_IN_SECONDS) return day
    const another = day !== before
    before = day
    return another ? `${HOUR.format(tick * 1000)}\n${day}` : HOUR.format(tick * 1000)
  })
}

/** Whether a value has no neighbor to draw a line to. */
function isAlone(values: readonly (number | null)[], index: number): boolean {
  return values[index] != null && values[index - 1] == null && values[index + 1] == null
}

/**
 * The data of uPlot, with times in seconds. Bars are stacked: each series lies on top of those after it in
 * the list, so that the first is drawn behind all others. Lines are not stacked.
 */
function dataOf(
  times: readonly number[],
  series: ChartProps['series'],
  kind: ChartProps['kind'],
  least = 0,
): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1000)
  const line = (value: number | null) => (value === null ? null : Math.max(value, least))
  if (kind === 'lines') return [seconds, ...series.map(({ values }) => values.map(line))]
  const heights = times.map(() => 0)
  const stacked = series.toReversed().map(({ values, isLine }) => {
    // A line along the axis would only be in the way.
    if (isLine) return values.map((value) => (values.some(Boolean) ? line(value) : null))
    return values.map((value, index) => {
      heights[index]! += value ?? 0
      return heights[index]!
    })
  })
  return [seconds, ...stacked.reverse()]
}
