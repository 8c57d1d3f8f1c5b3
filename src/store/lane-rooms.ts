import type { ClaimRequest } from './store.ts'

interface Room {
  left: number
}

/** The room left in a claim for each lane: a company's mail to one recipient domain. */
export class LaneRooms<Company> {
  readonly #lanes = new Map<Company, Map<string, Room>>()
  readonly #companies = new Map<Company, Room>()
  readonly #roomOfOthers: number
  /** True in the usual case: every lane has room. */
  readonly #unlimited: boolean

  /** `companyOf`: the company as the store names it; undefined: it has no mail. */
  constructor(
    { rooms, roomOfOthers }: Pick<ClaimRequest, 'rooms' | 'roomOfOthers'>,
    companyOf: (id: string) => Company | undefined,
  ) {
    this.#roomOfOthers = roomOfOthers
    this.#unlimited = rooms.length === 0 && roomOfOthers === Number.POSITIVE_INFINITY
    for (const { companyId, domains, room } of rooms) {
      const company = companyOf(companyId)
      if (company === undefined) continue
      const shared = { left: room }
      if (domains === null) this.#companies.set(company, shared)
      else for (const domain of domains) this.#limit(company, domain, shared)
    }
  }

  left(company: Company, domain: string): number {
    if (this.#unlimited) return Number.POSITIVE_INFINITY
    const lane = this.#lanes.get(company)?.get(domain)?.left ?? this.#roomOfOthers
    return Math.min(lane, this.leftOf(company))
  }

  /** The room left for all lanes of the company together. */
  leftOf(company: Company): number {
    return this.#companies.get(company)?.left ?? Number.POSITIVE_INFINITY
  }

  take(company: Company, domain: string, recipients: number): void {
    if (this.#unlimited) return
    const ofCompany = this.#companies.get(company)
    if (ofCompany !== undefined) ofCompany.left -= recipients
    let lane = this.#lanes.get(company)?.get(domain)
    if (lane === undefined) {
      if (this.#roomOfOthers === Number.POSITIVE_INFINITY) return
      lane = { left: this.#roomOfOthers }
      this.#limit(company, domain, lane)
    }
    lane.left -= recipients
  }

  /** The lanes with a limit of their own, and those of which something was taken. */
  *lanes(): Generator<{ company: Company; domain: string; left: number }> {
    for (const [company, lanes] of this.#lanes) {
      for (const [domain, { left }] of lanes) yield { company, domain, left }
    }
  }

  /** If a lane has several limits, the smallest counts. */
  #limit(company: Company, domain: string, room: Room): void {
    let lanes = this.#lanes.get(company)
    if (lanes === undefined) {
      lanes = new Map()
      this.#lanes.set(company, lanes)
    }
    const known = lanes.get(domain)
    if (known === undefined || room.left < known.left) lanes.set(domain, room)
  }
}
