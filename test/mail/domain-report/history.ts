/** Eight days of reports about a domain, one a day of each kind by each author, up to yesterday. Null: of nobody known. */
import type { SendingDomain } from '../../../src/accounts/account.ts'
import { dmarcRows, tlsRows } from '../../../src/domain-reports/received/report-rows.ts'
import { domainOf } from '../../../src/mail/address/address-domain.ts'
import { readDmarcReport } from '../../../src/mail/domain-report/dmarc-report.ts'
import type { DomainReportStore } from '../../../src/store/store.ts'
import { dmarcXml, type SampleRecord, TLS_REPORT } from './samples.ts'

const DAY = 86_400_000

export async function keepHistory(
  store: Pick<DomainReportStore, 'keepDomainReport'>,
  { id: domainId, name }: Pick<SendingDomain, 'id' | 'name'>,
  sample: SampleRecord[],
  authors: readonly (string | null)[] = ['reports@receiver.test'],
): Promise<void> {
  const today = Math.floor(Date.now() / DAY) * DAY
  for (let back = 1; back <= 8; back++) {
    const begin = today - back * DAY
    const xml = dmarcXml(sample, { begin, end: begin + DAY - 1_000, domain: name })
    const { records, policy, reporter } = readDmarcReport(xml)
    const facts = { domainId, begin, end: begin + DAY - 1, receivedAt: today, reporter, reportId: `r${back}` }
    const most = { proven: { size: 10, kept: 0, timesFree: 1 }, others: 10, rows: 1_000 }
    for (const author of authors) {
      const { rows, ...sums } = dmarcRows(records, { begin, policy, verified: author !== null })
      const organization = author && domainOf(author)
      await store.keepDomainReport({ ...facts, ...sums, author, organization, kind: 'dmarc' }, rows, most)
    }
    const { rows, ...sums } = tlsRows(TLS_REPORT.policies, begin)
    await store.keepDomainReport(
      { ...facts, ...sums, author: null, organization: null, kind: 'tls' },
      rows,
      most,
    )
  }
}
