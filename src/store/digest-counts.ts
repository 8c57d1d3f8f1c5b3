/** What a step of the digest adds to the counts that are kept. */
import { COUNT_SIZES, type CountDimension, type DigestCount, EVERY_COMPANY } from './digest.ts'
import { type NamedDestinations, OTHERS } from './named-destinations.ts'

interface Counted extends Pick<DigestCount, 'company' | 'domainId' | 'type' | 'value' | 'n'> {
  dimension: CountDimension
  /** Unix ms. */
  at: number
}

export class Counts {
  readonly #counts = new Map<string, DigestCount>()

  add({ company, domainId, type, dimension, value, n, at }: Counted): void {
    const rest = `\0${company}\0${dimension}\0${domainId}\0${value}\0${type}`
    for (const size of SIZES) {
      const start = Math.floor(at / size) * size
      const key = `${size}\0${start}${rest}`
      const known = this.#counts.get(key)
      if (known !== undefined) known.n += n
      else this.#counts.set(key, { company, size, dimension, start, domainId, value, type, n })
    }
  }

  all(): DigestCount[] {
    return [...this.#counts.values()]
  }
}

const SIZES = Object.values(COUNT_SIZES)

interface DayOfCompany {
  company: number
  day: number
  /** What all of the step comes to, by recipient domain. */
  sums: Map<string, number>
  counted: { type: string; at: number; domain: string; n: number }[]
}

/** Counts by recipient domain, until it is known which of these are named. */
export class DestinationCounts {
  readonly #days = new Map<string, DayOfCompany>()

  add(company: number, type: string, at: number, domain: string, n: number): void {
    const day = Math.floor(at / COUNT_SIZES.day)
    for (const whose of [company, EVERY_COMPANY]) {
      const { sums, counted } = this.#of(whose, day)
      sums.set(domain, (sums.get(domain) ?? 0) + n)
      counted.push({ type, at, domain, n })
    }
  }

  count(counts: Counts, destinations: NamedDestinations): void {
    for (const { company, day, sums, counted } of this.#days.values()) {
      const named = destinations.among(company, day, sums)
      for (const { domain, ...rest } of counted) {
        const value = named.has(domain) ? domain : OTHERS
        counts.add({ company, domainId: '', dimension: 'destination', value, ...rest })
      }
    }
  }

  #of(company: number, day: number): DayOfCompany {
    const key = `${company} ${day}`
    let known = this.#days.get(key)
    if (known === undefined) {
      known = { company, day, sums: new Map(), counted: [] }
      this.#days.set(key, known)
    }
    return known
  }
}
