/** Recipient domains of one sending domain that are noted one by one, at most; with more, all its mail is meant. */
const MAX_DOMAINS = 1_000

/** The recipient domains of held mail; null: any. */
type HeldDomains = Set<string> | null

/** The mail that was held because of a trouble, by sending domain (id). */
export class HeldMail {
  readonly #domains = new Map<string, HeldDomains>()

  get none(): boolean {
    return this.#domains.size === 0
  }

  add(domainId: string, domains: Iterable<string> | null): void {
    const known = this.#domains.get(domainId)
    this.#domains.set(domainId, known === null ? null : together(known ?? new Set(), domains))
  }

  [Symbol.iterator](): MapIterator<[domainId: string, domains: HeldDomains]> {
    return this.#domains.entries()
  }

  addAll(others: HeldMail): void {
    for (const [domainId, domains] of others) this.add(domainId, domains)
  }

  /** Forgets the mail of the sending domain, and returns its recipient domains. */
  take(domainId: string): HeldDomains | undefined {
    const domains = this.#domains.get(domainId)
    this.#domains.delete(domainId)
    return domains
  }
}

function together(known: Set<string>, more: Iterable<string> | null): HeldDomains {
  if (more === null) return null
  for (const domain of more) known.add(domain)
  return known.size > MAX_DOMAINS ? null : known
}
