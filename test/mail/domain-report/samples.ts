/** Reports of the domain x.test, as receivers send them. */
import type { TlsReport } from '../../../src/mail/domain-report/tls-report.ts'

/** 2026-11-20, 00:00 to 24:00 UTC. */
export const BEGIN = Date.UTC(2026, 10, 20)
export const END = BEGIN + 86_400_000 - 1_000

export interface SampleRecord {
  source: string
  count: number | string
  dkim?: string
  spf?: string
  disposition?: string
  headerFrom?: string
}

export function recordXml({
  source,
  count,
  dkim = 'pass',
  spf = 'pass',
  disposition = 'none',
  headerFrom = 'x.test',
}: SampleRecord): string {
  return `<record><row><source_ip>${source}</source_ip><count>${count}</count>
    <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
    <identifiers><header_from>${headerFrom}</header_from></identifiers>
    <auth_results><dkim><domain>x.test</domain><selector>a</selector><result>${dkim}</result></dkim>
    <spf><domain>bounces.x.test</domain><result>${spf}</result></spf></auth_results></record>`
}

export function dmarcXml(
  records: SampleRecord[],
  { id = 'r1', domain = 'x.test', begin = BEGIN, end = END, root = 'feedback' } = {},
): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root}><report_metadata><org_name>receiver.test</org_name><email>noreply@receiver.test</email><report_id>${id}</report_id>
<date_range><begin>${begin / 1_000}</begin><end>${end / 1_000}</end></date_range></report_metadata>
<policy_published><domain>${domain}</domain><p>none</p></policy_published>
${records.map(recordXml).join('\n')}
</${root.split(' ')[0]}>`
}

export const TLS_REPORT: TlsReport = {
  organization: 'receiver.test',
  contact: 'postmaster@receiver.test',
  reportId: 't1',
  begin: BEGIN,
  end: END,
  policies: [
    {
      type: 'sts',
      policy: ['version: STSv1', 'mode: enforce', 'mx: mx.x.test', 'max_age: 604800'],
      domain: 'x.test',
      hosts: ['mx.x.test'],
      successful: 5,
      failed: 2,
      failures: [
        {
          result: 'certificate-expired',
          sourceAddress: '192.0.2.9',
          host: 'mx.x.test',
          address: '192.0.2.1',
          sessions: 2,
          reason: 'CERT_HAS_EXPIRED',
        },
      ],
    },
  ],
}

/** A mail with one file. */
export function mailWith(octets: Uint8Array, type: string, filename: string): Buffer {
  const body = Buffer.from(octets).toString('base64').replace(/.{76}/g, '$&\r\n')
  return Buffer.from(`From: noreply@receiver.test\r
To: reports@bounces.x.test\r
Subject: Report Domain: x.test Submitter: receiver.test Report-ID: r1\r
MIME-Version: 1.0\r
Content-Type: multipart/mixed; boundary=b1\r
\r
--b1\r
Content-Type: text/plain\r
\r
This is a report.\r
--b1\r
Content-Type: ${type}; name="${filename}"\r
Content-Disposition: attachment; filename="${filename}"\r
Content-Transfer-Encoding: base64\r
\r
${body}\r
--b1--\r
`)
}
