/** Messages of the mailbox that could not be read, and how often. */

/** Attempts after which a message is put aside. */
const MAX_TRIES = 3

export class FailedMessages {
  #validity = ''
  readonly #tries = new Map<number, number>()
  readonly #left = new Set<number>()

  /** UIDs are those of the folder in this state (RFC 3501 2.3.1.1). Returns whether others were forgotten. */
  within(validity: string): boolean {
    if (validity === this.#validity) return false
    this.#validity = validity
    this.#tries.clear()
    this.#left.clear()
    return true
  }

  add(uid: number): void {
    this.#tries.set(uid, (this.#tries.get(uid) ?? 0) + 1)
  }

  /** It was read, or it is gone. */
  forget(uid: number): void {
    this.#tries.delete(uid)
  }

  /** It can neither be read nor moved: it stays where it is. */
  leave(uid: number): void {
    this.#tries.delete(uid)
    this.#left.add(uid)
  }

  isSuspect(uid: number): boolean {
    return this.#tries.has(uid)
  }

  isHopeless(uid: number): boolean {
    return (this.#tries.get(uid) ?? 0) >= MAX_TRIES
  }

  isLeft(uid: number): boolean {
    return this.#left.has(uid)
  }
}
