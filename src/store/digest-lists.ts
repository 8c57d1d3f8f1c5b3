/** The list entries that one step of the digest adds to the stored lists. */

import { EVENT_TYPES } from '../email/event.ts'
import {
  type Digest,
  EVERY_COMPANY,
  emailTerms,
  isByTerm,
  LIST,
  type ListKind,
  packPlaces,
  packShared,
  sharedKeyOf,
} from './digest.ts'

type DigestList = Digest['lists'][number]

/** A term with at least this many places in a segment has its own list there. */
const OWN_LIST = 8

/** Offsets in one segment by term. */
interface TermOffsets {
  company: number
  kind: ListKind
  segment: number
  offsets: Map<number, number[]>
}

/** The entries of a step, and those for all companies together. */
export class Lists {
  readonly #terms = new Map<string, TermOffsets>()
  #last: TermOffsets | null = null

  add(company: number, kind: ListKind, segment: number, term: number, offsets: readonly number[]): void {
    const terms = this.#of(company, kind, segment)
    const known = terms.offsets.get(term)
    if (known === undefined) terms.offsets.set(term, [...offsets])
    else known.push(...offsets)
  }

  /** Consecutive repetitions are filed once. */
  addOnce(company: number, kind: ListKind, segment: number, term: number, offset: number): void {
    if (this.#of(company, kind, segment).offsets.get(term)?.at(-1) === offset) return
    this.add(company, kind, segment, term, [offset])
  }

  #of(company: number, kind: ListKind, segment: number): TermOffsets {
    let terms = this.#last
    if (terms === null || terms.company !== company || terms.kind !== kind || terms.segment !== segment) {
      const key = `${company} ${kind} ${segment}`
      terms = this.#terms.get(key) ?? { company, kind, segment, offsets: new Map() }
      this.#terms.set(key, terms)
      this.#last = terms
    }
    return terms
  }

  /** All lists, in the order in which they are stored. */
  all(): DigestList[] {
    const own = [...this.#terms.values()].flatMap((terms) =>
      isByTerm(terms.kind) ? byTerm(terms) : bySegment(terms),
    )
    return [...own, ...ofEveryCompany(own)].sort(
      (a, b) => a.company - b.company || a.kind - b.kind || a.major - b.major || a.minor - b.minor,
    )
  }
}

function byTerm({ company, kind, segment, offsets }: TermOffsets): DigestList[] {
  return [...offsets].map(([term, those]) => {
    return { company, kind, major: term, minor: segment, places: packPlaces(those) }
  })
}

function bySegment({ company, kind, segment, offsets }: TermOffsets): DigestList[] {
  const lists: DigestList[] = []
  const shared = new Map<number, number[]>()
  for (const [term, those] of offsets) {
    if (those.length >= OWN_LIST) {
      lists.push({ company, kind, major: segment, minor: term, places: packPlaces(those) })
      continue
    }
    const minor = sharedKeyOf(term)
    let pairs = shared.get(minor)
    if (pairs === undefined) {
      pairs = []
      shared.set(minor, pairs)
    }
    for (const offset of those) pairs.push(term, offset)
  }
  for (const [minor, pairs] of shared) {
    lists.push({ company, kind, major: segment, minor, places: packShared(pairs) })
  }
  return lists
}

const OF_EVENTS: ReadonlySet<number> = new Set(EVENT_TYPES.map(emailTerms.ofEvent))

/**
 * Merges the companies' lists of emails into lists for all companies: places share one order, and these terms do not
 * name a company. Lists of domains and keys are left out, because those belong to one company.
 */
function ofEveryCompany(own: readonly DigestList[]): DigestList[] {
  const merged = new Map<string, { kind: ListKind; major: number; minor: number; parts: Uint8Array[] }>()
  for (const { kind, major, minor, places } of own) {
    if (kind !== LIST.emailsByMany && !(kind === LIST.emailsByFew && OF_EVENTS.has(major))) continue
    const key = `${kind} ${major} ${minor}`
    const known = merged.get(key)
    if (known === undefined) merged.set(key, { kind, major, minor, parts: [places] })
    else known.parts.push(places)
  }
  return [...merged.values()].map(({ parts, ...list }) => {
    const places = parts.length === 1 ? parts[0]! : new Uint8Array(Buffer.concat(parts))
    return { company: EVERY_COMPANY, ...list, places }
  })
}
