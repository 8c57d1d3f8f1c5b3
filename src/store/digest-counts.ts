/** The counts that one step of the digest adds to the stored ones. */
import { COUNT_SIZES, type CountDimension, type DigestCount, EVERY_COMPANY } from './digest.ts'
import { type NamedDestinations, OTHERS } from './named-destinations.ts'

/** The fields shared by counts that differ only in value and time. */
type CountKey = Pick<DigestCount, 'company' | 'domainId' | 'type'> & { dimension: CountDimension }

const MINUTE = COUNT_SIZES.minute

export class Counts {
  readonly #series = new Map<string, CountSeries>()

  seriesOf({ company, domainId, type, dimension }: CountKey): CountSeries {
    const key = `${company} ${domainId} ${type} ${dimension}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = new CountSeries({ company, domainId, type, dimension })
      this.#series.set(key, series)
    }
    return series
  }

  all(): DigestCount[] {
    const counts: DigestCount[] = []
    for (const series of this.#series.values()) series.into(counts)
    return counts
  }
}

/** Hours and days are summed up from minutes, because most values occur in only one minute of a step. */
class CountSeries {
  readonly #counted: CountKey
  readonly #values = new Map<string, Map<number, number>>()

  constructor(counted: CountKey) {
    this.#counted = counted
  }

  /** `minute`: minutes since the Unix epoch. */
  add(value: string, minute: number, n: number): void {
    const minutes = this.#values.get(value)
    if (minutes === undefined) this.#values.set(value, new Map([[minute, n]]))
    else minutes.set(minute, (minutes.get(minute) ?? 0) + n)
  }

  into(counts: DigestCount[]): void {
    const sizes = sizesOf(this.#counted.dimension)
    for (const [value, minutes] of this.#values) {
      for (const size of sizes) {
        for (const [start, n] of sumsBy(size, minutes)) {
          counts.push({ ...this.#counted, size, start, value, n })
        }
      }
    }
  }
}

const ALL_SIZES = Object.values(COUNT_SIZES)
const LONG_SIZES = [COUNT_SIZES.hour, COUNT_SIZES.day]

/** Destinations are only added up, never drawn as a chart, so hours are fine enough. */
function sizesOf(dimension: CountDimension): readonly number[] {
  return dimension === 'destination' ? LONG_SIZES : ALL_SIZES
}

/** Sums of the minutes by bucket. `size`: milliseconds of a bucket; `start`: its beginning in Unix milliseconds. */
function sumsBy(size: number, minutes: ReadonlyMap<number, number>): Iterable<[start: number, n: number]> {
  if (minutes.size === 1) {
    const [[minute, n]] = minutes as unknown as [[number, number]]
    return [[startOf(size, minute), n]]
  }
  const sums = new Map<number, number>()
  for (const [minute, n] of minutes) {
    const start = startOf(size, minute)
    sums.set(start, (sums.get(start) ?? 0) + n)
  }
  return sums
}

function startOf(size: number, minute: number): number {
  return Math.floor((minute * MINUTE) / size) * size
}

interface CompanyDay {
  company: number
  day: number
  /** Total of the step, by recipient domain. */
  sums: Map<string, number>
  counted: { type: string; minute: number; domain: string; n: number }[]
}

/** Counts by recipient domain, until it is known which of the domains are named. */
export class DestinationCounts {
  readonly #days = new Map<string, CompanyDay>()

  add(company: number, type: string, minute: number, domains: ReadonlyMap<string, number>): void {
    if (domains.size === 0) return
    const day = Math.floor((minute * MINUTE) / COUNT_SIZES.day)
    for (const whose of [company, EVERY_COMPANY]) {
      const { sums, counted } = this.#of(whose, day)
      for (const [domain, n] of domains) {
        sums.set(domain, (sums.get(domain) ?? 0) + n)
        counted.push({ type, minute, domain, n })
      }
    }
  }

  count(counts: Counts, destinations: NamedDestinations): void {
    for (const { company, day, sums, counted } of this.#days.values()) {
      const named = destinations.among(company, day, sums)
      for (const { type, minute, domain, n } of counted) {
        const series = counts.seriesOf({ company, domainId: '', type, dimension: 'destination' })
        series.add(named.has(domain) ? domain : OTHERS, minute, n)
      }
    }
  }

  #of(company: number, day: number): CompanyDay {
    const key = `${company} ${day}`
    let known = this.#days.get(key)
    if (known === undefined) {
      known = { company, day, sums: new Map(), counted: [] }
      this.#days.set(key, known)
    }
    return known
  }
}
