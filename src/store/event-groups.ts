/** Groups of counts as both databases return them: in one row, so that no more than a page is read into objects. */
import { FAILURES } from '../email/event.ts'
import type { EventGroups, GroupRequest, TypeSums } from './digest-store.ts'

/** The number in a row of counts if the row counts failures, otherwise 0. */
export const FAILED = `CASE WHEN type IN (${FAILURES.map((type) => `'${type}'`).join(', ')}) THEN n ELSE 0 END`

/** `groups` and `sums` are JSON; null when there are none. */
export interface GroupsRow {
  groups: string | null
  sums: string | null
  total: number
  rows: number
}

/** The parameter of the statements: by what they group in addition to time; null: by nothing else. */
export function groupKey({ value }: GroupRequest['by']): 'value' | 'domain' | 'both' | null {
  if (typeof value === 'string') return value
  return value ? 'value' : null
}

/** Null when the groups are sums of more than `most` counts. */
export function groupsOf({ groups, sums, total, rows }: GroupsRow, most: number): EventGroups | null {
  if (rows > most) return null
  const found = JSON.parse(groups ?? '[]') as [start: number | null, value: string, sums: TypeSums][]
  return {
    groups: found.map(([start, value, sums]) => ({ start, value, sums })),
    total,
    sums: JSON.parse(sums ?? '{}') as TypeSums,
  }
}
