import type { SharedPool } from '../../common/shared-pool.ts'
import type { Fault } from '../fault.ts'
import { fairPool } from './fair-pool.ts'
import type { Company, Visit } from './visit.ts'

export interface Waiting {
  visit: Visit
  /** What it needs, with what it costs. */
  octets: number
  /** Monotonic ms. */
  until: number
  begin(): void
  fail(fault: Fault): void
}

/** Octets of bodies of one kind, and who waits for some. */
export class Octets {
  readonly pool: SharedPool
  readonly kind: 'small' | 'large'
  waiting: Waiting[] = []
  /**
   * The next in line needs more than is free. Where bodies are large nobody goes before it, or it would wait for ever.
   */
  blocked = false

  constructor(kind: 'small' | 'large', size: number) {
    this.kind = kind
    this.pool = fairPool(size)
  }

  hasRoom(company: Company, octets: number): boolean {
    const mayGoBefore = !this.blocked || this.kind === 'small'
    return mayGoBefore && this.pool.allows(company[this.kind]) && this.pool.fits(octets)
  }

  /** The one that is next: companies take turns, and one that has its share lets others go before it. */
  next(): Waiting | undefined {
    let next: Waiting | undefined
    for (const one of this.waiting) {
      const { company } = one.visit
      if (!this.pool.allows(company[this.kind])) continue
      if (next === undefined || company.turn < next.visit.company.turn) next = one
    }
    return next
  }
}
