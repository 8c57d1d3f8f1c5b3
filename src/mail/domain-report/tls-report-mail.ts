/** The mail that carries a TLS report (RFC 8460 5.3). */
import { encodeContent } from '../raw/encode.ts'

interface TlsReportMail {
  from: string
  to: string
  /** The domain that the report is about, and the domain of the sender. */
  domain: string
  submitter: string
  reportId: string
  /** Unix ms. */
  begin: number
  end: number
  /** The report, packed with gzip. */
  report: Uint8Array
}

/** A ready message, without Message-ID and Date. */
export function tlsReportMail({ from, to, domain, submitter, report, ...facts }: TlsReportMail): Buffer {
  const { reportId, begin, end } = facts
  const boundary = `tls-report-${reportId.replace(/[^A-Za-z0-9]/g, '').slice(0, 40)}`
  const [start, stop] = [begin, end].map((time) => Math.floor(time / 1_000))
  const name = `${submitter}!${domain}!${start}!${stop}.json.gz`
  const { body } = encodeContent(Buffer.from(report), false)
  const day = new Date(begin).toISOString().slice(0, 10)
  return Buffer.from(
    [
      `From: ${from}`,
      `To: <${to}>`,
      `Subject: Report Domain: ${domain}`,
      ` Submitter: ${submitter}`,
      ` Report-ID: <${reportId}>`,
      `TLS-Report-Domain: ${domain}`,
      `TLS-Report-Submitter: ${submitter}`,
      // RFC 8689 5: broken TLS must not stop the report about it.
      'TLS-Required: No',
      // RFC 3834 5: nobody should answer it automatically.
      'Auto-Submitted: auto-generated',
      'MIME-Version: 1.0',
      `Content-Type: multipart/report; report-type="tlsrpt"; boundary="${boundary}"`,
      '',
      `--${boundary}`,
      'Content-Type: text/plain; charset=us-ascii',
      '',
      `This is an aggregate TLS report about ${domain} on ${day} (UTC), from ${submitter}.`,
      `--${boundary}`,
      `Content-Type: application/tlsrpt+gzip; name="${name}"`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: attachment; filename="${name}"`,
      '',
      body.toString('latin1'),
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  )
}
