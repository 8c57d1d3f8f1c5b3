/**
 * A cache of recipients' copies of messages: repeated views compose nothing, and simultaneous ones share the work.
 * Companies share the room: the oldest copy of the company that has the most is evicted.
 */
import { LRUCache } from 'lru-cache'
import { type CopyRequest, type RawCopy, rawCopy } from '../operate/raw-copies.ts'
import type { Operation } from '../operate/verb.ts'

/** Ms. If retention removes the content, the cached copy must disappear soon after it. */
const KEPT_FOR = 60_000
/** Approximate octets of an entry besides its message. */
const ENTRY = 1024
/** The most copies of one company, because the room would allow very many small ones. */
const MAX = 100

export class RawCopyCache {
  readonly #room: number
  readonly #companies = new Map<string, LRUCache<string, RawCopy>>()
  readonly #underway = new Map<string, Promise<RawCopy>>()

  /** @param room in octets */
  constructor(room: number) {
    this.#room = room
  }

  /** Octets of all cached copies. */
  get octets(): number {
    let sum = 0
    for (const { calculatedSize } of this.#companies.values()) sum += calculatedSize
    return sum
  }

  /** A cached copy; undefined when it has to be read or composed first. */
  findCached(companyId: string, request: CopyRequest): RawCopy | undefined {
    return this.#companies.get(companyId)?.get(keyOf(request))
  }

  /** `companyId`: that of the email, which must be visible to `op`. */
  async get(op: Operation, companyId: string, request: CopyRequest): Promise<RawCopy> {
    const kept = this.findCached(companyId, request)
    if (kept !== undefined) return kept
    const key = keyOf(request)
    let copy = this.#underway.get(key)
    if (copy === undefined) {
      copy = this.#make(op, companyId, request).finally(() => this.#underway.delete(key))
      this.#underway.set(key, copy)
    }
    return await copy
  }

  async #make(op: Operation, companyId: string, request: CopyRequest): Promise<RawCopy> {
    const copy = await rawCopy(op, request)
    this.#of(companyId).set(keyOf(request), copy)
    while (this.octets > this.#room) this.#giveWay()
    return copy
  }

  #of(companyId: string): LRUCache<string, RawCopy> {
    let copies = this.#companies.get(companyId)
    if (copies === undefined) {
      const made: LRUCache<string, RawCopy> = new LRUCache({
        max: MAX,
        maxSize: this.#room,
        sizeCalculation: ({ message }) => message.byteLength + ENTRY,
        ttl: KEPT_FOR,
        ttlAutopurge: true,
        // The cache may become empty without having held a copy, because a copy that is too large is never stored.
        dispose: () => queueMicrotask(() => made.size === 0 && this.#companies.delete(companyId)),
      })
      this.#companies.set(companyId, made)
      copies = made
    }
    return copies
  }

  #giveWay(): void {
    const most = [...this.#companies.values()].reduce((one, other) =>
      other.calculatedSize > one.calculatedSize ? other : one,
    )
    most.pop()
  }
}

function keyOf({ id, recipient }: CopyRequest): string {
  return recipient === undefined ? id : `${id} ${recipient}`
}
