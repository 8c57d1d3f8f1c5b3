/** The content of exported files. Pure. */
import type { Static } from 'typebox'
import type { REASONS, UNCLIPPED } from '../../../../src/http/console/contract/emails.ts'
import { csvOf } from '../../parts/csv.ts'
import type { EmailListItem } from './merge.ts'

/** Characters of a subject in the name of a file. */
const LONGEST_NAME = 60

export type UnclippedEmail = Static<typeof UNCLIPPED>['emails'][number]

/** The fields that rows of a list leave out. */
export interface EmailRowDetails {
  /** Why mail of it was refused last, or is late. */
  reason?: Static<typeof REASONS>['reasons'][number]
  /** Absent: the row has them in full. */
  texts?: UnclippedEmail
}

const COLUMNS: readonly (readonly [
  title: string,
  cellOf: (email: EmailListItem, more: EmailRowDetails) => string,
])[] = [
  ['id', ({ id }) => id],
  ['accepted', ({ createdAt }) => createdAt],
  ['last_event', ({ lastEvent }) => lastEvent],
  ['reason', (_, { reason }) => reason?.category ?? ''],
  ['permanent', (_, { reason }) => (reason === undefined ? '' : String(reason.permanent))],
  ['from', (row, { texts = row }) => texts.from],
  ['to', (row, { texts = row }) => texts.to],
  ['recipients', ({ recipients }) => String(recipients)],
  ['subject', (row, { texts = row }) => texts.subject],
  ['tags', (row, { texts = row }) => texts.tags.join(' ')],
]

/** `more`: by id. */
export function emailsCsv(
  emails: readonly EmailListItem[],
  more: ReadonlyMap<string, EmailRowDetails>,
): string {
  const rows = emails.map((email) => COLUMNS.map(([, cellOf]) => cellOf(email, more.get(email.id) ?? {})))
  return csvOf([COLUMNS.map(([title]) => title), ...rows])
}

/**
 * The name of a message among others, by which files sort by time: `2026-11-28 171215 Your order <id>.eml`. Strangers
 * wrote the subject, so nothing of it can name a folder.
 */
export function messageName({ id, createdAt, subject }: EmailListItem): string {
  const time = createdAt.slice(0, 19).replace('T', ' ').replaceAll(':', '')
  const words = subject
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, LONGEST_NAME)
    .toWellFormed()
    .trim()
  return `${[time, words, id].filter((part) => part !== '').join(' ')}.eml`
}
