import { RecentEntries, SizedEntries } from '../../common/recent-entries.ts'
import { organizationOf } from '../../dns/organization.ts'
import type { Resolver } from '../../dns/resolver.ts'
import type { SendRequest } from '../../network/outgoing.ts'
import type { MtaStsStore, StoredMtaStsPolicy } from '../../store/store.ts'
import { fetchPolicy } from './fetch-policy.ts'
import { policyId } from './policy.ts'

interface PolicyDirectoryOptions {
  resolver: Pick<Resolver, 'txt'>
  /** The guarded HTTP client, with the addresses that `resolver` finds. */
  ask: SendRequest
  store: Pick<MtaStsStore, 'mtaStsPolicy' | 'keepMtaStsPolicy'>
  /** Called with the reason when a policy that a domain announces cannot be fetched. */
  onFailure(domain: string, error: Error): void
  /** Unix ms. */
  now?: () => number
  /** Milliseconds that mail waits for a policy to be fetched. */
  patience?: number
  /** Port of policy hosts; another one than 443 is for tests. */
  port?: number
}

/** RFC 8461 3.3: the pause after a policy could not be fetched. */
const PAUSE_MS = 5 * 60_000
/** A policy is fetched again when it is older than this, or than half its life (RFC 8461 10.2). */
const FRESH_MS = 24 * 60 * 60_000
/** An answer of the store is used for this long: another node may have kept a policy since. */
const KNOWN_MS = 60_000
const PATIENCE_MS = 10_000
const MAX_DOMAINS = 20_000
const MAX_CHARACTERS = 8_000_000
/** Policies fetched at once without mail that waits for them. */
const MAX_REFRESHES = 16

export interface PolicyAnswer {
  policy: StoredMtaStsPolicy | null
  /** Why the present policy of the domain is not known; null: it is. */
  fault: PolicyFault | null
}

/** `lookup`: whether the domain has a policy is not known. `fetch`: it announces one that cannot be fetched. */
interface PolicyFault {
  at: 'lookup' | 'fetch'
  /** A sentence without a final dot. */
  message: string
}

interface KnownPolicy {
  policy: StoredMtaStsPolicy | null
  /** Unix ms: when it was read from the store, or fetched. */
  since: number
  /** The store has refused to keep it: a restart would forget it. */
  isUnkept?: true
}

const LATE: PolicyFault = { at: 'fetch', message: `it was not there within ${PATIENCE_MS / 1_000} seconds` }

/**
 * Finds the policies of recipient domains. A policy that was fetched once counts until it expires: an attacker who
 * blocks DNS or the policy's server does not get rid of it (RFC 8461 10.2).
 */
export class PolicyDirectory {
  readonly #options: PolicyDirectoryOptions
  readonly #now: () => number
  readonly #known = new SizedEntries<KnownPolicy>(MAX_DOMAINS, MAX_CHARACTERS)
  readonly #fetches = new Map<string, Promise<PolicyAnswer>>()
  /** `until`: Unix ms; a policy is not fetched again before. */
  readonly #pauses = new RecentEntries<{ until: number; fault: PolicyFault }>(MAX_DOMAINS)

  constructor(options: PolicyDirectoryOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Null for a domain without a policy. Rejects when the store cannot be read. `domain`: in lower case. */
  async find(domain: string): Promise<StoredMtaStsPolicy | null> {
    return (await this.ask(domain)).policy
  }

  /** The same, with the reason why there may be another policy. */
  async ask(domain: string): Promise<PolicyAnswer> {
    const record = `_mta-sts.${domain}`
    const [kept, found] = await Promise.all([this.#kept(domain), this.#options.resolver.txt(record)])
    const known = { policy: kept, fault: null }
    if (found.kind === 'failed') {
      const message = `DNS: the TXT lookup of ${record} failed (${found.reason})`
      return { policy: kept, fault: { at: 'lookup', message } }
    }
    const announced = found.kind === 'found' ? policyId(found.records) : null
    // RFC 8461 3.1: without the TXT record a policy that is kept still counts.
    if (announced === null) return known
    const isNew = announced !== kept?.id
    if (!isNew && this.#isFresh(kept)) return known
    const pause = this.#pauses.get(domain)
    if (pause !== undefined && pause.until > this.#now())
      return { policy: kept, fault: isNew ? pause.fault : null }
    if (isNew) return (await this.#inTime(this.#fetch(domain, announced))) ?? { policy: kept, fault: LATE }
    if (this.#fetches.size < MAX_REFRESHES) void this.#fetch(domain, announced)
    return known
  }

  async #kept(domain: string): Promise<StoredMtaStsPolicy | null> {
    const now = this.#now()
    const known = this.#known.get(domain)
    if (known !== undefined && (known.policy !== null || now - known.since < KNOWN_MS)) {
      if (known.policy === null) return null
      if (known.policy.expiresAt > now) {
        if (known.isUnkept) await this.#inTime(this.#keep(known))
        return known.policy
      }
    }
    const policy = await this.#options.store.mtaStsPolicy(domain, now)
    this.#remember(domain, policy)
    return policy
  }

  #isFresh({ fetchedAt, expiresAt }: StoredMtaStsPolicy): boolean {
    return this.#now() - fetchedAt < Math.min(FRESH_MS, (expiresAt - fetchedAt) / 2)
  }

  /** Calls for the same domain share one request. */
  #fetch(domain: string, id: string): Promise<PolicyAnswer> {
    let fetch = this.#fetches.get(domain)
    if (fetch === undefined) {
      fetch = this.#fetchAndKeep(domain, id).finally(() => this.#fetches.delete(domain))
      this.#fetches.set(domain, fetch)
    }
    return fetch
  }

  async #fetchAndKeep(domain: string, id: string): Promise<PolicyAnswer> {
    const { ask, port, onFailure } = this.#options
    try {
      const { mode, mx, maxAge } = await fetchPolicy(ask, domain, port)
      const fetchedAt = this.#now()
      const policy = { domain, id, mode, mx, fetchedAt, expiresAt: fetchedAt + maxAge * 1_000 }
      await this.#keep(this.#remember(domain, policy))
      return { policy, fault: null }
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      const fault = { at: 'fetch', message: error.message } as const
      this.#pauses.set(domain, { until: this.#now() + PAUSE_MS, fault })
      onFailure(domain, error)
      return { policy: this.#known.get(domain)?.policy ?? null, fault }
    }
  }

  /** Never rejects: the policy counts here anyway, and the next mail to its domain keeps it again. */
  async #keep(known: KnownPolicy): Promise<void> {
    // Mail that comes meanwhile does not keep it a second time.
    delete known.isUnkept
    const policy = known.policy!
    try {
      await this.#options.store.keepMtaStsPolicy(policy, organizationOf(policy.domain))
    } catch {
      known.isUnkept = true
    }
  }

  /** Null when it takes too long; the request goes on, for the mail that comes later. */
  async #inTime<T>(work: Promise<T>): Promise<T | null> {
    const { patience = PATIENCE_MS } = this.#options
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), patience).unref()
    try {
      return await Promise.race([work, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #remember(domain: string, policy: StoredMtaStsPolicy | null): KnownPolicy {
    const hosts = policy?.mx.reduce((size, host) => size + host.length, 0) ?? 0
    const known = { policy, since: this.#now() }
    this.#known.put(domain, known, domain.length + hosts)
    return known
  }
}
