/** The results of a measurement of listings. */
import type { Kept } from '../../harness/results.ts'
import type { HistoryShape } from '../history/shape.ts'

export interface ListingRun extends Kept {
  database: string
  shape: HistoryShape
  suppressions: number
  /** How often each question was asked. */
  rounds: number
  /** The events in the digest, and how long it took to make it; null: an earlier run made it. */
  digest: { events: number; seconds: number | null }
  rows: ListingRow[]
}

export interface ListingRow {
  question: string
  /** Whether an index serves the question. */
  served: boolean
  /** Milliseconds, when the questions are asked for the second time. */
  median: number
  p99: number
  /** Milliseconds, when the same questions are asked for the first time: their pages may not be in memory yet. */
  first: { median: number; p99: number }
  /** Emails, events or suppressions in an answer, on average. */
  found: number
}

export const LISTING_HEAD = `${' '.repeat(68)}  median     p99   found  (first: median     p99)`

export function listingLine({ question, median, p99, first, found, served }: ListingRow): string {
  const figures = [median.toFixed(1), p99.toFixed(1), found.toFixed(0)].map((text) => text.padStart(8))
  const before = [first.median, first.p99].map((ms) => ms.toFixed(1).padStart(8))
  return `${question.padEnd(68)}${figures.join('')}         ${before.join('')} ${served ? '' : '  (bounded)'}`
}
