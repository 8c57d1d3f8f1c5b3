import type { ReplyRule, SiteBlock, SiteBlocks, SiteLimits, SiteTerms, SiteTls } from './site-block.ts'

/** The limits of a site, and the block that they come from. */
export interface SiteAgreement {
  /** The name of the block; null: `[default]`. */
  provider: string | null
  limits: SiteLimits
  replies: readonly ReplyRule[]
  /** Where the figures are from. */
  source: string | null
}

export interface RecognisedSite extends SiteAgreement {
  /** All its servers are the provider's: its mail shares the provider's limits with that of all other domains there. */
  whole: boolean
}

/** A block with the file over it, as it holds. */
export interface ProviderBlock extends SiteAgreement {
  provider: string
  mx: readonly string[]
  domains: readonly string[]
}

const SHARED_DEFAULTS: SiteLimits = {
  sessions: 20,
  messagesPerSession: 100,
  messagesPerMinute: null,
  messagesPerHour: null,
  recipientsPerTransaction: 100,
  tls: 'opportunistic' satisfies SiteTls,
  envelopeBehindDot: true,
  size: null,
  backOff: null,
}

/**
 * The providers that are recognised, and the limits of every site. The operator's file lies over the one that is
 * shipped: its keys replace those of the block with the same name, and its own blocks are looked at first. Immutable.
 */
export class SiteTable {
  readonly providers: readonly ProviderBlock[]
  readonly #general: SiteAgreement
  /** Index of the first block for a host name, for the names below one, and for a recipient domain. */
  readonly #hosts = new Map<string, number>()
  readonly #below = new Map<string, number>()
  readonly #domains = new Map<string, number>()

  /** `sessions`: POSTROAD_SITE_CONCURRENCY. Shipped figures are never above it. */
  constructor(shipped: SiteBlocks, own: SiteBlocks | null, sessions: number) {
    const general = { ...SHARED_DEFAULTS, ...shipped.general.limits, sessions, ...own?.general.limits }
    this.#general = {
      provider: null,
      limits: general,
      replies: [...(own?.general.replies ?? []), ...shipped.general.replies],
      source: own?.general.source ?? shipped.general.source,
    }
    this.providers = this.#merged(shipped.sites, own?.sites ?? [])
    for (const [index, { mx, domains }] of this.providers.entries()) {
      for (const name of mx) {
        if (name.startsWith('*.')) keepFirst(this.#below, name.slice(2), index)
        else keepFirst(this.#hosts, name, index)
      }
      for (const domain of domains) keepFirst(this.#domains, domain, index)
    }
  }

  /** The limits of a site that no block names. */
  get general(): SiteAgreement {
    return this.#general
  }

  /** The block with this name, in whatever case. */
  provider(name: string): ProviderBlock | null {
    const wanted = name.toLowerCase()
    return this.providers.find(({ provider }) => provider.toLowerCase() === wanted) ?? null
  }

  /** The block of a single host. */
  ofHost(host: string): ProviderBlock | null {
    const index = this.#indexOf(host)
    return index === null ? null : this.providers[index]!
  }

  /** `ranks`: the hosts of equal preference, best first. */
  recognise(domain: string, ranks: readonly (readonly string[])[]): RecognisedSite {
    const own = this.#domains.get(domain)
    if (own !== undefined) return { ...this.providers[own]!, whole: true }
    const best = this.#blockOf(ranks[0] ?? [], domain)
    if (best === null) return { ...this.#general, whole: false }
    // A zone may name a provider's servers beside its own. Its mail goes to the provider first, so the limits hold. But
    // what its own servers answer must not count against the mail of others.
    const whole = ranks.every((rank) => this.#blockOf(rank, domain) === best)
    return { ...this.providers[best]!, whole }
  }

  /**
   * The index of the one block that all these hosts of the domain belong to. A domain without MX record is its own host
   * (RFC 5321 5.1): a web server or a subscriber's line below a provider's name is not one of the provider's mail
   * servers.
   */
  #blockOf(hosts: readonly string[], domain: string): number | null {
    const [first] = hosts
    if (first === undefined) return null
    const indexOf = (host: string) => this.#indexOf(host, host !== domain)
    const index = indexOf(first)
    return index !== null && hosts.every((host) => indexOf(host) === index) ? index : null
  }

  #indexOf(host: string, byPattern = true): number | null {
    const name = host.toLowerCase()
    let found = this.#hosts.get(name) ?? Number.POSITIVE_INFINITY
    for (let dot = byPattern ? name.indexOf('.') : -1; dot !== -1; dot = name.indexOf('.', dot + 1)) {
      found = Math.min(found, this.#below.get(name.slice(dot + 1)) ?? found)
    }
    return found === Number.POSITIVE_INFINITY ? null : found
  }

  #merged(shipped: readonly SiteBlock[], own: readonly SiteBlock[]): ProviderBlock[] {
    const over = new Map(own.map((block) => [block.name.toLowerCase(), block]))
    const known = new Set(shipped.map(({ name }) => name.toLowerCase()))
    const added = own.filter(({ name }) => !known.has(name.toLowerCase()))
    return [
      ...added.map((block) => this.#provider(block, block.limits)),
      ...shipped.map((block) => {
        const changed = over.get(block.name.toLowerCase())
        const limits = { ...block.limits }
        if (limits.sessions !== undefined)
          limits.sessions = Math.min(limits.sessions, this.#general.limits.sessions)
        return changed === undefined
          ? this.#provider(block, limits)
          : this.#provider(overlaid(block, changed), { ...limits, ...changed.limits })
      }),
    ]
  }

  #provider({ name, mx, domains, replies, source }: SiteBlock, limits: SiteTerms['limits']): ProviderBlock {
    const { limits: general, replies: common } = this.#general
    return {
      provider: name,
      mx,
      domains,
      limits: { ...general, ...limits },
      replies: [...replies, ...common],
      source,
    }
  }
}

function overlaid(block: SiteBlock, { mx, domains, replies, source }: SiteBlock): SiteBlock {
  return {
    ...block,
    mx: mx.length > 0 ? mx : block.mx,
    domains: domains.length > 0 ? domains : block.domains,
    replies: [...replies, ...block.replies],
    source: source ?? block.source,
  }
}

function keepFirst(map: Map<string, number>, name: string, index: number): void {
  if (!map.has(name)) map.set(name, index)
}
