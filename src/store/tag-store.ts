/** What was said of tags that mail of a domain had. What was counted of them is in the digest. */

/** Tags are compared without regard to the case of ASCII letters. */
export interface TagNote {
  domainId: string
  /** It is read back in lower case. */
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
