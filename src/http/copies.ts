/**
 * Copies of messages as they leave, kept for a while: looking at one again composes nothing, and all who ask for one at
 * once get the same. Companies share the room: what has to go is the oldest of the company that has the most.
 */
import { LRUCache } from 'lru-cache'
import { type CopyWanted, type RawCopy, rawCopy } from '../operate/raw-copies.ts'
import type { Operation } from '../operate/verb.ts'

/** Ms. Retention may remove the content meanwhile, and nobody should see it for long then. */
const KEPT_FOR = 60_000
/** Octets that one takes beside its message, about. */
const ENTRY = 1024
/** Copies of one company: there are small ones, too. */
const MOST = 100

export class Copies {
  readonly #room: number
  readonly #companies = new Map<string, LRUCache<string, RawCopy>>()
  readonly #underway = new Map<string, Promise<RawCopy>>()

  /** @param room in octets */
  constructor(room: number) {
    this.#room = room
  }

  /** Octets of all kept copies. */
  get octets(): number {
    let sum = 0
    for (const { calculatedSize } of this.#companies.values()) sum += calculatedSize
    return sum
  }

  /** One that is kept; undefined where it has to be read or composed first. */
  kept(companyId: string, wanted: CopyWanted): RawCopy | undefined {
    return this.#companies.get(companyId)?.get(keyOf(wanted))
  }

  /** `companyId`: of the email, which `op` may know of. */
  async get(op: Operation, companyId: string, wanted: CopyWanted): Promise<RawCopy> {
    const kept = this.kept(companyId, wanted)
    if (kept !== undefined) return kept
    const key = keyOf(wanted)
    let copy = this.#underway.get(key)
    if (copy === undefined) {
      copy = this.#make(op, companyId, wanted).finally(() => this.#underway.delete(key))
      this.#underway.set(key, copy)
    }
    return await copy
  }

  async #make(op: Operation, companyId: string, wanted: CopyWanted): Promise<RawCopy> {
    const copy = await rawCopy(op, wanted)
    this.#of(companyId).set(keyOf(wanted), copy)
    while (this.octets > this.#room) this.#giveWay()
    return copy
  }

  #of(companyId: string): LRUCache<string, RawCopy> {
    let copies = this.#companies.get(companyId)
    if (copies === undefined) {
      const made: LRUCache<string, RawCopy> = new LRUCache({
        max: MOST,
        maxSize: this.#room,
        sizeCalculation: ({ message }) => message.byteLength + ENTRY,
        ttl: KEPT_FOR,
        ttlAutopurge: true,
        // A copy without room is not kept at all, so what is emptied here may never have been full.
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

function keyOf({ id, recipient }: CopyWanted): string {
  return recipient === undefined ? id : `${id} ${recipient}`
}
