/** The policies of MTA-STS (RFC 8461) that recipient domains have published, until they expire. */

/** The mode of a policy (RFC 8461 5). */
export type MtaStsMode = 'enforce' | 'testing' | 'none'

export interface MtaStsPolicy {
  mode: MtaStsMode
  /** Patterns of the domain's mail hosts in lower case: `mx.example.com`, `*.example.net`. */
  mx: string[]
  /** Unix ms: the policy does not count from then on. */
  expiresAt: number
}

export interface StoredMtaStsPolicy extends MtaStsPolicy {
  /** The recipient domain, in lower case. */
  domain: string
  /** The ID in the domain's TXT record, which changes with the policy. */
  id: string
  /** Unix ms. */
  fetchedAt: number
}

export interface MtaStsStore {
  /** The policy that was kept last; null when there is none, or it had expired by `now`. */
  mtaStsPolicy(domain: string, now: number): Promise<StoredMtaStsPolicy | null>
  /**
   * Replaces an earlier policy of the domain, and never one that was fetched later. If an organization then has more
   * than a thousand policies, those fetched longest ago are removed.
   */
  keepMtaStsPolicy(policy: StoredMtaStsPolicy, organization: string): Promise<void>
  /**
   * Removes at most `limit` of the policies beyond the `most` that are kept: those fetched longest ago. Returns the
   * number removed.
   */
  forgetMtaStsPolicies(most: number, limit: number): Promise<number>
}
