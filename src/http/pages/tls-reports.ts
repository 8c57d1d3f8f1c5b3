/** `POST /tls-reports/{token}`: a TLS report about a domain, as other mail systems send it (RFC 8460 5.4). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ReportLinks } from '../../domain-reports/received/report-links.ts'
import { REPORTERS } from '../../domain-reports/received/report-receiver.ts'
import { addressNetwork } from '../../ingress/admission/address-group.ts'
import { TLS_REPORTS_PATH } from '../../mail/domain-report/report-address.ts'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { readBody } from '../body.ts'
import type { HttpCore } from '../core.ts'
import type { ErrorBody } from '../error-body.ts'

export const TLS_REPORTS_ROUTE = `${TLS_REPORTS_PATH}:token`

export interface TlsReportsRoute {
  Params: { token: string }
}

/** Octets of a report as it is sent. */
const MAX_OCTETS = 1024 * 1024

export class TlsReportsPage {
  readonly #core: HttpCore
  readonly #links: ReportLinks

  constructor(core: HttpCore) {
    this.#core = core
    this.#links = new ReportLinks(core.deps)
  }

  /** The link is all that the sender shows, so it is checked before the body is read. */
  async take({ raw, params }: FastifyRequest<TlsReportsRoute>, reply: FastifyReply): Promise<Answer> {
    const { deps, limit, admission, clientAddress } = this.#core
    const id = this.#links.domainIn(params.token)
    const domain = id === null ? undefined : deps.accounts.directory.domain(id)
    if (domain === undefined) return refusal(404, 'Nobody takes TLS reports here.')
    // Anybody can find the link in DNS, so these requests do not count against the share of the company.
    admission.admit(raw, REPORTERS)
    const party = addressNetwork(clientAddress.addressOf(raw))
    const octets = await readBody(raw, reply.raw, limit.upTo(MAX_OCTETS))
    const receipt = await deps.domainReports.receiveTlsReport(octets, domain.id, party)
    if (receipt.kind === 'refused') return refusal(422, receipt.reason)
    return { status: 200, type: JSON_TYPE, body: JSON.stringify({ received: true }) }
  }
}

function refusal(statusCode: 404 | 422, message: string): Answer {
  const name = statusCode === 404 ? 'not_found' : 'validation_error'
  const body: ErrorBody = { statusCode, message, name }
  return { status: statusCode, type: JSON_TYPE, body: JSON.stringify(body) }
}
