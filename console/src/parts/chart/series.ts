/** The data of a chart. */
import type { ReactNode } from 'react'
import type { Texture } from './texture.ts'

export interface ChartSeries {
  name: string
  /** A color of Mantine's palette, with a shade that differs from its neighbors in both color schemes. */
  color: string
  texture?: Texture
  /** One value for each time; `null` if it is unknown. */
  values: readonly (number | null)[]
  /** Drawn as a line across the bars, because it is no part of the whole. */
  isLine?: true
  /** The value for the whole period. If absent, it is the sum of the values. */
  whole?: number | null
}

export interface ChartProps {
  title: string
  about?: string
  /** The start of each bucket, in Unix milliseconds. */
  times: readonly number[]
  series: readonly ChartSeries[]
  /** `bars`: parts of a whole, stacked. `lines`: independent values. */
  kind: 'bars' | 'lines'
  /** The ticks of a logarithmic axis, for values of different magnitudes. */
  steps?: readonly number[]
  /** The things behind the values of a series, or behind those of a time, as links. */
  linksOf?: {
    series: (name: string, text: ReactNode) => ReactNode
    time: (at: number, text: ReactNode) => ReactNode
    /** Opens what is behind a time: it was clicked. */
    open: (at: number) => void
  }
  /** Formats a value. */
  format?: (value: number) => string
}
