import type { HeldMail } from './held-mail.ts'
import { companyKey } from './path-part.ts'
import type { Trouble } from './trouble.ts'

/** A trouble is forgotten this long after its path could be tried again, if no mail has met it since. */
const FORGET_MS = 2 * 3_600_000

/**
 * The most troubles remembered, of the mail of one company and in all: any zone can have a site for each name in it.
 * Beyond that, the trouble met longest ago is forgotten: its path counts as open. Its mail is still released when the
 * path has been found open; of more such paths than this, it waits for its own due time.
 */
const MAX_OF_COMPANY = 2_000
const MAX_TROUBLES = 10_000
const MAX_FORGOTTEN = 10_000
/** Mail waits no longer for a path that was forgotten. */
const RELEASE_MS = 24 * 3_600_000

/** The troubles of all paths, by key of the part that they concern; those that were met longest ago come first. */
export class Troubles {
  readonly #all = new Map<string, Trouble>()
  /** Keys of the troubles of each company's mail, in the same order. */
  readonly #ofCompany = new Map<string, Set<string>>()
  /** Companies with a trouble of their own, by key of the whole that their mail is a part of. */
  readonly #companies = new Map<string, Set<string>>()

  /** The mail that was held for forgotten troubles, by key; those forgotten longest ago come first. */
  readonly #forgotten = new Map<string, { held: HeldMail; at: number }>()

  get size(): number {
    return this.#all.size
  }

  /** False: no trouble is remembered, nor the mail of one. */
  get any(): boolean {
    return this.#all.size > 0 || this.#forgotten.size > 0
  }

  [Symbol.iterator](): MapIterator<[string, Trouble]> {
    return this.#all.entries()
  }

  values(): MapIterator<Trouble> {
    return this.#all.values()
  }

  get(key: string): Trouble | undefined {
    return this.#all.get(key)
  }

  /** The troubles that each concern one company's mail within the part with this key. */
  companiesIn(whole: string): [key: string, trouble: Trouble][] {
    const keys = [...(this.#companies.get(whole) ?? [])].map((companyId) => companyKey(whole, companyId))
    return keys.map((key) => [key, this.#all.get(key)!])
  }

  /** The trouble becomes the one that was met last. Forgets troubles that are too old or too many. */
  put(key: string, trouble: Trouble, now: number): void {
    this.delete(key)
    this.#all.set(key, trouble)
    const left = this.takeForgotten(key)
    if (left !== undefined) trouble.held.addAll(left)
    const { companyId, domainId } = trouble
    if (companyId !== null) {
      const own = valuesOf(this.#ofCompany, companyId)
      own.add(key)
      if (domainId === null) valuesOf(this.#companies, wholeOf(key, companyId)).add(companyId)
      if (own.size > MAX_OF_COMPANY) {
        const [oldest] = own
        this.#forget(oldest!, now)
      }
    }
    for (const [oldest, { probeAt }] of this.#all) {
      if (oldest === key || (now - probeAt < FORGET_MS && this.#all.size <= MAX_TROUBLES)) return
      this.#forget(oldest, now)
    }
  }

  #forget(key: string, now: number): void {
    const { held } = this.#all.get(key)!
    this.delete(key)
    if (held.none) return
    this.#forgotten.set(key, { held, at: now })
    for (const [oldest, { at }] of this.#forgotten) {
      if (this.#forgotten.size <= MAX_FORGOTTEN && now - at < RELEASE_MS) break
      this.#forgotten.delete(oldest)
    }
  }

  /** The mail that was held for this trouble until it was forgotten. */
  takeForgotten(key: string): HeldMail | undefined {
    const forgotten = this.#forgotten.get(key)
    this.#forgotten.delete(key)
    return forgotten?.held
  }

  delete(key: string): void {
    const trouble = this.#all.get(key)
    if (trouble === undefined) return
    this.#all.delete(key)
    const { companyId, domainId } = trouble
    if (companyId === null) return
    remove(this.#ofCompany, companyId, key)
    if (domainId === null) remove(this.#companies, wholeOf(key, companyId), companyId)
  }
}

function wholeOf(key: string, companyId: string): string {
  return key.slice(0, -companyKey('', companyId).length)
}

function valuesOf(map: Map<string, Set<string>>, key: string): Set<string> {
  let values = map.get(key)
  if (values === undefined) {
    values = new Set()
    map.set(key, values)
  }
  return values
}

function remove(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key)
  values?.delete(value)
  if (values?.size === 0) map.delete(key)
}
