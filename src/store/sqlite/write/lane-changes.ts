import type { Facts } from '../../../email/lifecycle.ts'
import type { Damage } from './damage.ts'
import type { Lanes } from './lanes.ts'
import type { StateCache } from './state-caches.ts'

export interface LaneKey {
  /** The company's number. */
  company: number
  domain: string
}

type QueueStanding = Pick<Facts, 'state' | 'dueAt'>

interface LaneChange extends LaneKey {
  /** Growth of the number of waiting recipients. */
  more: number
  /** The earliest due time of the added recipients. */
  dueAt: number
  /** True when some have left, or wait until another time than before. */
  left: boolean
}

/**
 * The effect of changed recipients on their lanes: noted one by one, written lane by lane. Each operation writes its
 * notes before it ends.
 */
export class LaneChanges implements StateCache {
  readonly #lanes: Lanes
  readonly #damage: Damage
  readonly #changes = new Map<string, LaneChange>()

  constructor(lanes: Lanes, damage: Damage) {
    this.#lanes = lanes
    this.#damage = damage
  }

  /** Notes a recipient's standing before and after; null: it did not exist. */
  note(lane: LaneKey, before: QueueStanding | null, after: QueueStanding): void {
    const waited = before?.state === 'waiting'
    const waits = after.state === 'waiting'
    if (!waited && !waits) return
    if (waited && waits && before.dueAt === after.dueAt) return
    const change = this.#of(lane)
    if (waited) {
      change.more--
      change.left = true
    }
    if (waits) {
      change.more++
      change.dueAt = Math.min(change.dueAt, Math.round(after.dueAt!))
    }
  }

  /** The lane's turn is over: it takes its place again. */
  turned(lane: LaneKey): void {
    this.#of(lane).left = true
  }

  write(): void {
    for (const change of this.#changes.values()) this.#writeOne(change)
    this.#changes.clear()
  }

  /** Does the same, but leaves out damaged lanes, so that damage affects only its own lane. */
  writeAround(now: number): void {
    for (const change of this.#changes.values()) {
      const { company, domain } = change
      if (this.#damage.lane(company, domain, now)) continue
      this.#damage.inLane(company, domain, now, () => this.#writeOne(change))
    }
    this.#changes.clear()
  }

  forget(): void {
    this.#changes.clear()
  }

  #of({ company, domain }: LaneKey): LaneChange {
    const key = `${company} ${domain}`
    const known = this.#changes.get(key)
    if (known !== undefined) return known
    const change = { company, domain, more: 0, dueAt: Number.POSITIVE_INFINITY, left: false }
    this.#changes.set(key, change)
    return change
  }

  #writeOne({ company, domain, more, dueAt, left }: LaneChange): void {
    if (left) this.#lanes.refresh(company, domain, -more)
    else this.#lanes.add(company, domain, dueAt, more)
  }
}
