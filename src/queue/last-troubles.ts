import { RecentEntries } from '../common/recent-entries.ts'
import type { DeliveryResult } from '../delivery/delivery.ts'
import type { Path } from '../delivery/path/path.ts'
import type { SiteTrouble } from '../store/store.ts'

/** Paths whose last trouble is remembered; the one met longest ago is forgotten. */
const MAX_PATHS = 10_000

/** The trouble that was last met on each path, also after it has passed: for people who look the next morning. */
export class LastTroubles {
  readonly #byPath = new RecentEntries<SiteTrouble>(MAX_PATHS)

  /** Learns from an attempt that ended at `at` (Unix ms). */
  ended({ key }: Path, { pathTrouble, notBefore }: DeliveryResult, at: number): void {
    // A delivery that asked no server has met nothing new.
    if (pathTrouble === undefined || notBefore !== undefined) return
    this.#byPath.set(key, { at, kind: pathTrouble.kind, reason: pathTrouble.message })
  }

  of({ key }: Path): SiteTrouble | null {
    return this.#byPath.peek(key) ?? null
  }
}
