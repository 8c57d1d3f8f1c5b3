/** When the mailbox was last read, and by which node it is read: a follower of the store whose cursor is a time. */
import type { FollowerStore } from '../store/store.ts'

const NAME = 'bounce-mailbox'
/**
 * Milliseconds for which a node does not ask the store again whether the mailbox is still its own. If another node has
 * taken it meanwhile, both read it, and each report still counts once.
 */
const TAKEN_MS = 2_000
/** Ms between two notes while messages are read. */
const NOTE_MS = 10_000

export class LastRead {
  readonly #store: FollowerStore
  #token: number | null = null
  #at = 0
  #takenUntil = Number.NEGATIVE_INFINITY

  constructor(store: FollowerStore) {
    this.#store = store
  }

  /** Whether this node may read the mailbox. `token`: the node's own; null while it has none. */
  async take(token: number | null): Promise<boolean> {
    if (token === null) return false
    const now = performance.now()
    if (token === this.#token && now < this.#takenUntil) return true
    const at = await this.#store.takeFollower(NAME, token, 0)
    this.#token = token
    this.#takenUntil = at === null ? Number.NEGATIVE_INFINITY : now + TAKEN_MS
    if (at !== null) this.#at = at
    return at !== null
  }

  /** Leaves the mailbox to the node that takes it next, which may be this one. */
  async giveUp(): Promise<void> {
    this.#takenUntil = Number.NEGATIVE_INFINITY
    if (this.#token !== null) await this.#store.leaveFollower(NAME, this.#token)
  }

  /** Notes that some messages have been read. */
  async noteSome(now: number): Promise<void> {
    if (now - this.#at >= NOTE_MS) await this.note(now)
  }

  /** Notes that every message in the mailbox has been read. */
  async note(now: number): Promise<void> {
    if (this.#token === null) return
    if (await this.#store.advanceFollower(NAME, this.#token, this.#at, now)) this.#at = now
  }
}

/** When messages of the mailbox, or its end, were last read, in Unix milliseconds; null: never. */
export async function lastRead(store: Pick<FollowerStore, 'followerCursor'>): Promise<number | null> {
  return (await store.followerCursor(NAME)) || null
}
