/**
 * The kinds of TLS session that are told apart on a day. Owners of zones choose what makes a kind: domains, policies
 * and failures. So a domain has few kinds, and an organization few with all its domains.
 */
import { RecentEntries } from '../../common/recent-entries.ts'
import { Tally } from '../../common/tally.ts'

const MAX_OF_DOMAIN = 50
const MAX_OF_ORGANIZATION = 500
/** Kinds that are remembered; the one unseen for longest goes first. */
const MAX = 20_000

/**
 * How much of a session is counted:
 * - `whole`: its policy and failure.
 * - `bare`: the type of the policy, and the result.
 * - `none`: nothing. The domain has no other count on this day, so no report leaves sessions out.
 */
export type CountedPart = 'whole' | 'bare' | 'none'

interface SessionKind {
  domain: string
  organization: string
}

export class SessionKinds {
  readonly #ofDomain = new Tally()
  readonly #ofOrganization = new Tally()
  readonly #kinds = new RecentEntries<SessionKind>(MAX, { dispose: (kind) => this.#count(kind, -1) })

  /** `key`: of the session's policy and failure. */
  countedPart(kind: SessionKind, key: string): CountedPart {
    const { domain, organization } = kind
    const name = `${domain} ${key}`
    if (this.#kinds.get(name) !== undefined) return 'whole'
    const others = this.#ofDomain.of(domain)
    const isFull = this.#ofOrganization.of(organization) >= MAX_OF_ORGANIZATION
    // Host names that others make up below a domain do not hide the domain itself.
    if (isFull && others === 0 && domain !== organization) return 'none'
    if (isFull || others >= MAX_OF_DOMAIN) return 'bare'
    this.#count(kind, 1)
    this.#kinds.set(name, kind)
    return 'whole'
  }

  forgetAll(): void {
    this.#kinds.clear()
  }

  #count({ domain, organization }: SessionKind, more: 1 | -1): void {
    this.#ofDomain.add(domain, more)
    this.#ofOrganization.add(organization, more)
  }
}
