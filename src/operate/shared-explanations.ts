/**
 * The resolver, the policies and the turns that the explanations of a service share. Anybody who may read a company's
 * mail may ask for one, about any domain, and each makes dozens of look-ups and a request: so few run at a time,
 * companies take turns, and an answer of DNS or a policy that one has got serves the others.
 */
import { PolicyDirectory } from '../delivery/mta-sts/policy-directory.ts'
import type { Resolver } from '../dns/resolver.ts'
import { SearchTurns } from '../events/search-turns.ts'
import type { SendRequest } from '../network/outgoing.ts'
import type { MtaStsStore } from '../store/store.ts'

type ForecastResolver = Pick<Resolver, 'mx' | 'addresses' | 'tlsa' | 'txt'>

export class SharedExplanations {
  readonly resolver: ForecastResolver
  readonly policies: Pick<PolicyDirectory, 'ask'>
  readonly #turns = new SearchTurns()

  constructor({
    resolver,
    ask,
    store,
  }: {
    resolver: ForecastResolver
    /** The guarded HTTP client. */
    ask: SendRequest
    store: Pick<MtaStsStore, 'mtaStsPolicy'>
  }) {
    this.resolver = resolver
    // Delivery alone keeps policies: otherwise a reader could fill the database with those of any domains, for a year.
    const mtaStsPolicy: MtaStsStore['mtaStsPolicy'] = (domain, now) => store.mtaStsPolicy(domain, now)
    const readOnly = { mtaStsPolicy, async keepMtaStsPolicy() {} }
    this.policies = new PolicyDirectory({ resolver, ask, store: readOnly, onFailure() {} })
  }

  /** Null: an operator's, about any company. Rejects with SearchesBusy when the turn does not come in time. */
  inTurn<Result>(companyId: string | null, explain: () => Promise<Result>): Promise<Result> {
    return this.#turns.take(companyId, explain)
  }
}
