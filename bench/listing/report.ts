/** What a measurement of listings comes to. */
import type { Kept } from '../../harness/results.ts'
import type { HistoryShape } from '../history/shape.ts'

export interface ListingRun extends Kept {
  database: string
  shape: HistoryShape
  suppressions: number
  /** Times each question was asked. */
  rounds: number
  /** How long it took to make ready what searches need. */
  digest: { events: number; seconds: number }
  rows: ListingRow[]
}

export interface ListingRow {
  question: string
  /** An index serves it. */
  served: boolean
  /** Ms. */
  median: number
  p99: number
  /** Emails, events or suppressions of an answer, on average. */
  found: number
}

export function listingLine({ question, median, p99, found, served }: ListingRow): string {
  const figures = [median.toFixed(1), p99.toFixed(1), found.toFixed(0)].map((text) => text.padStart(8))
  return `${question.padEnd(68)}${figures.join('')}${served ? '' : '  (bounded)'}`
}
