/**
 * The URLs to which TLS reports about a domain are posted (RFC 8460 3, `rua=https:`). A URL names the domain and is
 * signed, so that nobody can find out which domains there are.
 */
import { type Secrets, SignedTokens } from '../../common/signed-tokens.ts'
import { TLS_REPORTS_PATH } from '../../mail/domain-report/report-address.ts'
import { UUID_OCTETS, uuidAt, uuidOctets } from '../../mail/uuid.ts'

const PURPOSE = 'links for TLS reports'

export class ReportLinks {
  readonly #tokens: SignedTokens

  constructor(secrets: Secrets) {
    this.#tokens = new SignedTokens(secrets, PURPOSE)
  }

  /** `base`: the URL at which others reach the service. */
  url(base: string, domainId: string): string {
    return `${base}${TLS_REPORTS_PATH}${this.#tokens.token(uuidOctets(domainId))}`
  }

  /** The id of the domain in the last part of such a URL; null: this installation did not make the URL. */
  domainIn(token: string): string | null {
    const octets = this.#tokens.octetsIn(token)
    return octets?.length === UUID_OCTETS ? uuidAt(octets) : null
  }
}
