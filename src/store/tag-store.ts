/** The notes on tags of a domain's mail. Their counts are in the digest. */

/** Tags are compared without regard to the case of ASCII letters. */
export interface TagNote {
  domainId: string
  /** Reads return it in lower case. */
  tag: string
  description: string
  /** Unix ms: the tag was removed, and is not listed until it is seen again. Null: it is listed. */
  removedAt: number | null
}

export interface TagStore {
  /** By tag; `tag`: only that one. */
  tagNotes(domainId: string, tag?: string): Promise<TagNote[]>
  /** Replaces the earlier note. Nothing is stored for a domain that does not exist. */
  noteTag(note: TagNote): Promise<void>
}
