/** What a chart is made of. */

export interface Series {
  name: string
  /** Of Mantine's palette, with a shade that tells it from its neighbours in both schemes. */
  color: string
  /** One for each time; null: nothing is known of it. */
  values: readonly (number | null)[]
}

export interface ChartProps {
  title: string
  about?: string
  /** Unix ms, where each bucket begins. */
  times: readonly number[]
  series: readonly Series[]
  /** `bars`: parts of a whole, one above the other. `lines`: beside each other. */
  kind: 'bars' | 'lines'
  /** How a value is written. */
  format?: (value: number) => string
}
