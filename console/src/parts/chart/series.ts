/** What a chart is made of. */

export interface Series {
  name: string
  /** Of Mantine's palette, with a shade that tells it from its neighbours in both schemes. */
  color: string
  /** One for each time; null: nothing is known of it. */
  values: readonly (number | null)[]
  /** Of all times together; absent: the sum of the values. */
  whole?: number | null
}

export interface ChartProps {
  title: string
  about?: string
  /** Unix ms, where each bucket begins. */
  times: readonly number[]
  series: readonly Series[]
  /** `bars`: parts of a whole, one above the other. `lines`: beside each other. */
  kind: 'bars' | 'lines'
  /** Values that the axis names, each some times the one before: for values that are far apart. */
  steps?: readonly number[]
  /** How a value is written. */
  format?: (value: number) => string
}
