/** The tags of mail as both databases return them: in one row, so that no more than a page is read into objects. */
import { COUNT_SIZES, type CountDimension } from './digest.ts'
import type { SeenTag, SeenTags, TagOrder } from './digest-store.ts'

/** The counts that tags are found in: days are kept longest. */
export const TAG_COUNTS = { dimension: 'tag', size: COUNT_SIZES.day } satisfies {
  dimension: CountDimension
  size: number
}

/** `tags` is JSON; null when there are none. */
export interface SeenTagsRow {
  tags: string | null
  total: number
  rows: number
}

type TagEntry = [tag: string, description: string, first: number, last: number, domainIds: string[] | null]

/** Null when more than `looks` counts would have to be gone through. */
export function seenTagsOf({ tags, total, rows }: SeenTagsRow, looks: number): SeenTags | null {
  if (rows > looks) return null
  const listed = JSON.parse(tags ?? '[]') as TagEntry[]
  return {
    tags: listed.map(([tag, description, first, last, domainIds]): SeenTag => {
      return { tag, description, first, last, domainIds: domainIds ?? [] }
    }),
    total,
  }
}

/** The ORDER BY terms for tags. */
export function tagOrder(by: TagOrder, falling: boolean): string {
  return by === 'tag' ? `tag ${falling ? 'DESC' : 'ASC'}` : `${by} ${falling ? 'DESC' : 'ASC'}, tag ASC`
}

/**
 * Tags that differ only in the case of their letters are one tag, shown in the first spelling seen. `first`: an
 * expression for the time of a spelling's first occurrence, as text of 15 digits.
 */
export function firstSpelling(first: string): string {
  return `substr(min(${first} || c.value), 16)`
}
