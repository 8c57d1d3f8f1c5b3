import { Fault } from '../../../ingress/fault.ts'
import { OpenIdProvider } from '../../../operate/openid-provider.ts'
import type { HttpCore } from '../../core.ts'

/** The provider of an installation. */
export class ProviderCache {
  #made: OpenIdProvider | null = null

  /** Null: the settings name none. */
  providerOf({ deps: { settings, ask } }: HttpCore): OpenIdProvider | null {
    if (settings.openid === null) return null
    this.#made ??= new OpenIdProvider(settings.openid, ask, settings.allowPrivateNetworks)
    return this.#made
  }

  requireProvider(core: HttpCore): OpenIdProvider {
    const found = this.providerOf(core)
    if (found !== null) return found
    throw new Fault({ code: 'path_unknown' })
  }
}
