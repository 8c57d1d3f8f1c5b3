/** Eight days of reports about a domain, one a day of each kind, up to yesterday. */
import type { SendingDomain } from '../../../src/accounts/account.ts'
import { dmarcRows, tlsRows } from '../../../src/domain-reports/received/sum-up.ts'
import { readDmarcReport } from '../../../src/mail/domain-report/dmarc-report.ts'
import type { DomainReportStore } from '../../../src/store/store.ts'
import { dmarcXml, type SampleRecord, TLS_REPORT } from './samples.ts'

const DAY = 86_400_000

export async function keepHistory(
  store: Pick<DomainReportStore, 'keepDomainReport'>,
  { id: domainId, name }: Pick<SendingDomain, 'id' | 'name'>,
  sample: SampleRecord[],
): Promise<void> {
  const today = Math.floor(Date.now() / DAY) * DAY
  const amount = sample.reduce((sum, { count }) => sum + Number(count), 0)
  for (let back = 1; back <= 8; back++) {
    const begin = today - back * DAY
    const xml = dmarcXml(sample, { begin, end: begin + DAY - 1_000, domain: name })
    const { records, policy, reporter } = readDmarcReport(xml)
    const facts = { domainId, begin, end: begin + DAY - 1, receivedAt: today, amount }
    const report = { ...facts, reporter, reportId: `r${back}` }
    const most = { reports: 10, rows: 1_000 }
    await store.keepDomainReport({ ...report, kind: 'dmarc' }, dmarcRows(records, { begin, policy }), most)
    await store.keepDomainReport({ ...report, kind: 'tls' }, tlsRows(TLS_REPORT.policies, begin), most)
  }
}
