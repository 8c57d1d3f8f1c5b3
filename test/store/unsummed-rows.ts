/** Rows of reports about domains as they were kept before migration 0025, and the sums after it. */
import assert from 'node:assert/strict'
import type { Store } from '../../src/store/store.ts'

/** An IPv6 address with a long zone, as reports could contain it. */
const SOURCE = `fe80::1%${'a'.repeat(5_000)}`
const NAMES = { headerFrom: 'a.test', dkimDomain: 'a.test', spfDomain: null }
const DMARC = { source: SOURCE, ...NAMES, dkim: true, spf: false, disposition: 'none', policy: 'reject' }
const TLS = { type: 'sts', policy: [], hosts: [], failure: null }

export const INSERT_UNSUMMED = `INSERT INTO domain_report_rows (domain_id, kind, day, key, detail, amount)
  VALUES ('d1', 'dmarc', '2026-11-20', 'k', '${JSON.stringify(DMARC)}', 3),
    ('d1', 'tls', '2026-11-20', 'k', '${JSON.stringify(TLS)}', 4)`

export async function assertSummedUp(store: Pick<Store, 'dmarcSums'>): Promise<void> {
  const { days, sources } = await store.dmarcSums('d1', '2026-11-20', { sources: 9, reporters: 9 })
  assert.deepEqual(days, [{ day: '2026-11-20', verified: false, messages: 3, failing: 0 }])
  assert.deepEqual(
    sources.map(({ source, dkim, domains }) => [source, dkim, domains]),
    [[SOURCE.slice(0, 45), 3, ['a.test']]],
  )
}

/** The next report about the domain, which fills the columns of the others. */
export async function keepEmptyReport(store: Pick<Store, 'keepDomainReport'>): Promise<void> {
  const at = Date.UTC(2026, 10, 20)
  const times = { begin: at, end: at, receivedAt: at }
  const names = { domainId: 'd1', kind: 'dmarc', reporter: 'a.test', author: null, reportId: 'r1' } as const
  const most = { proven: { size: 1, kept: 0, timesFree: 1 }, others: 1, rows: 1 }
  await store.keepDomainReport(
    { ...names, ...times, organization: null, amount: 0, failing: 0 },
    { named: [], unnamed: [] },
    most,
  )
}
