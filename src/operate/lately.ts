/** Answers that cost the more the more there is, and that many look at again and again. */
import { LRUCache } from 'lru-cache'
import type { Store } from '../store/store.ts'

/** An answer is given again for so many times as long as it took: a long queue is not counted all the time. */
const REST = 20
/** Ms: it may have waited for its turn, too. */
const LONGEST_REST = 60_000
const MOST_KEPT = 1_000

/** What was asked, by its key, of each store. */
export class Lately<Answer> {
  readonly #kept = new WeakMap<Store, LRUCache<string, Promise<Answer>>>()

  /** As it is, or was a moment ago. Who asks while it is being found out waits for the same answer. */
  of(store: Store, key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const kept = this.#of(store)
    const known = kept.get(key)
    if (known !== undefined) return known
    const began = performance.now()
    const asked = ask()
    kept.set(key, asked)
    asked.then(
      () => kept.set(key, asked, { ttl: restAfter(performance.now() - began) }),
      () => kept.delete(key),
    )
    return asked
  }

  #of(store: Store): LRUCache<string, Promise<Answer>> {
    let kept = this.#kept.get(store)
    if (kept === undefined) {
      kept = new LRUCache({ max: MOST_KEPT })
      this.#kept.set(store, kept)
    }
    return kept
  }
}

function restAfter(ms: number): number {
  return Math.min(LONGEST_REST, Math.max(1, REST * ms))
}
