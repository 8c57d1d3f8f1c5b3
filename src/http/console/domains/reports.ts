/** The reports of receivers about a sending domain. */
import { ReportLinks } from '../../../domain-reports/received/report-links.ts'
import { listTlsReports, receivedTlsReports, showDmarc } from '../../../operate/domain-reports.ts'
import { receivedTlsJson } from '../../../operate/shapes/domain-report.ts'
import { isoTime } from '../../../operate/shapes/time.ts'
import type { DOMAIN_REPORT_ROUTES, TLS_REPORT_ROUTES } from '../contract/domain-reports.ts'
import type { Handlers } from '../handlers.ts'
import { requireDomain } from './domain-lookup.ts'

const MAX_FAILURES = 3

export const domainReportHandlers: Handlers<typeof DOMAIN_REPORT_ROUTES> = {
  'GET /companies/:company/domains/:domain/reports': async ({ op, company, params, request }, core) => {
    requireDomain(op, company, params.domain)
    const { domain: _, ...dmarc } = await showDmarc(op, params)
    const received = await receivedTlsReports(op, params)
    const tls = received.map(receivedTlsJson)
    const tlsUrl = new ReportLinks(core.deps).url(core.apiUrl.urlOf(request.raw), params.domain)
    // RFC 8460 3: reports are posted to https alone.
    return { dmarc, tls, tlsUrl: tlsUrl.startsWith('https:') ? tlsUrl : null }
  },
}

export const tlsReportHandlers: Handlers<typeof TLS_REPORT_ROUTES> = {
  'GET /installation/tls-reports': async ({ op }) => {
    const { reports } = await listTlsReports(op, {})
    return {
      reports: reports.map(({ domain, day, state, sentAt, sentTo, fault, successful, failed, policies }) => ({
        domain,
        day,
        state,
        sentTo,
        fault,
        successful,
        failed,
        sentAt: isoTime(sentAt),
        failures: policies
          .flatMap(({ failures }) => failures)
          .toSorted((a, b) => b.sessions - a.sessions)
          .slice(0, MAX_FAILURES)
          .map(({ result, host, sessions }) => ({ result, host, sessions })),
      })),
    }
  },
}
