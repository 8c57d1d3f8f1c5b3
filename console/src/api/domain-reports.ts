import type { JsonAnswer } from './client.ts'
import { read } from './queries.ts'

const ONE = 'GET /companies/:company/domains/:domain/reports'
const SENT = 'GET /installation/tls-reports'

type DomainReports = JsonAnswer<typeof ONE>
export type DmarcSummary = DomainReports['dmarc']
export type TlsResult = DomainReports['tls'][number]
export type SentTlsReport = JsonAnswer<typeof SENT>['reports'][number]

export const domainReportsQuery = (company: string, domain: string) => read(ONE, { company, domain })
export const sentTlsReportsQuery = read(SENT)
