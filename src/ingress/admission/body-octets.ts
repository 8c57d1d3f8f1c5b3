import type { SharedPool } from '../../common/shared-pool.ts'
import type { Fault } from '../fault.ts'
import { fairPool } from './fair-pool.ts'
import type { CompanyLoad, Visit } from './visit.ts'

interface WaitingBody {
  visit: Visit
  /** The cost of its octets. */
  octets: number
  /** Monotonic ms. */
  until: number
  begin(): void
  fail(fault: Fault): void
}

/** Octets of bodies of one kind, and the visits that wait for some. */
export class Octets {
  readonly pool: SharedPool
  readonly kind: 'small' | 'large'
  waiting: WaitingBody[] = []
  /**
   * Whether the next in line needs more than is free. Among large bodies no visit may overtake it, because it might
   * wait forever.
   */
  blocked = false

  constructor(kind: 'small' | 'large', size: number) {
    this.kind = kind
    this.pool = fairPool(size)
  }

  hasRoom(company: CompanyLoad, octets: number): boolean {
    const mayGoBefore = !this.blocked || this.kind === 'small'
    return mayGoBefore && this.pool.allows(company[this.kind]) && this.pool.fits(octets)
  }

  /** The next body to serve: companies take turns, and a company that has its share must wait. */
  next(): WaitingBody | undefined {
    let next: WaitingBody | undefined
    for (const one of this.waiting) {
      const { company } = one.visit
      if (!this.pool.allows(company[this.kind])) continue
      if (next === undefined || company.turn < next.visit.company.turn) next = one
    }
    return next
  }
}
