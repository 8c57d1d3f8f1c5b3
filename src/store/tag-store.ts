/** What was said of tags that mail of a domain had. What was counted of them is in the digest. */

export interface TagNote {
  domainId: string
  tag: string
  description: string
  /** Unix ms: it is not listed before it is seen again. Null: it is. */
  removedAt: number | null
}

export interface TagStore {
  /** By tag; `tag`: that one alone. */
  tagNotes(domainId: string, tag?: string): Promise<TagNote[]>
  /** Instead of what was said before. Nothing is kept of a domain that is not there. */
  noteTag(note: TagNote): Promise<void>
}
