/**
 * A short-lived cache of answers that become more expensive with the amount of data, and that many clients request
 * repeatedly.
 */
import { RecentEntries } from '../common/recent-entries.ts'
import type { Store } from '../store/store.ts'

/** An answer is reused for this many times as long as it took, so that a long queue is not counted all the time. */
const REST = 20
/** Ms. The measured time may include waiting for a turn, so the reuse has an upper bound. */
const LONGEST_REST = 60_000
const MAX_KEPT = 1_000

/** Answers by key, for each store. */
export class RecentAnswers<Answer> {
  readonly #kept = new WeakMap<Store, RecentEntries<Promise<Answer>>>()

  /** Returns a cached answer or asks for a fresh one. Calls that come while the answer is being computed share it. */
  answerOf(store: Store, key: string, ask: () => Promise<Answer>): Promise<Answer> {
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

  #of(store: Store): RecentEntries<Promise<Answer>> {
    let kept = this.#kept.get(store)
    if (kept === undefined) {
      kept = new RecentEntries(MAX_KEPT, { ttlAutopurge: true })
      this.#kept.set(store, kept)
    }
    return kept
  }
}

function restAfter(ms: number): number {
  return Math.min(LONGEST_REST, Math.max(1, REST * ms))
}
