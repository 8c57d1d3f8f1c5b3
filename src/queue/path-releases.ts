/** Releases the mail that was held for paths which are open again. */
import { HeldMail } from './held-mail.ts'

/**
 * Releases the mail of this sending domain to these recipient domains (null: to any) that is held for a closed path.
 * Never rejects.
 */
type Release = (domainId: string, domains: readonly string[] | null) => Promise<void>

export class PathReleases {
  readonly #release: Release
  /** Sending domains (ids) whose mail is being released. */
  readonly #releasing = new Set<string>()
  /** The mail to be released next. */
  readonly #next = new HeldMail()

  constructor(release: Release) {
    this.#release = release
  }

  add(held: HeldMail): void {
    this.#next.addAll(held)
    for (const [domainId] of held) void this.#releaseOf(domainId)
  }

  /** One release at a time: deliveries given back meanwhile are released by the next one. */
  async #releaseOf(domainId: string): Promise<void> {
    if (this.#releasing.has(domainId)) return
    this.#releasing.add(domainId)
    let domains = this.#next.take(domainId)
    while (domains !== undefined) {
      await this.#release(domainId, domains && [...domains])
      domains = this.#next.take(domainId)
    }
    this.#releasing.delete(domainId)
  }
}
