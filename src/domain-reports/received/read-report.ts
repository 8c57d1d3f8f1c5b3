/** Reads a report as it was sent. Pure, and run by a worker when it may take long. */
import { type DmarcReport, readDmarcReport } from '../../mail/domain-report/dmarc-report.ts'
import { DomainReportError } from '../../mail/domain-report/report-error.ts'
import { type DomainReportKind, reportOfMail } from '../../mail/domain-report/report-mail.ts'
import { readTlsReport, type TlsReport } from '../../mail/domain-report/tls-report.ts'
import { unpackReport } from '../../mail/domain-report/unpack.ts'

export type ReadReport =
  | { kind: 'dmarc'; report: DmarcReport }
  | { kind: 'tls'; report: TlsReport }
  /** The octets claim to be a report, and cannot be read. */
  | { kind: 'unreadable'; reason: string }
  /** The mail carries no report. */
  | { kind: 'none' }

/** `mail`: a whole message; otherwise the packed report of this kind. */
export interface ReportOctets {
  form: DomainReportKind | 'mail'
  octets: Uint8Array
}

export async function readDomainReport({ form, octets }: ReportOctets): Promise<ReadReport> {
  if (form === 'mail') {
    const found = reportOfMail(octets)
    return found === null ? { kind: 'none' } : await readPacked(found.kind, found.octets)
  }
  return await readPacked(form, octets)
}

async function readPacked(kind: DomainReportKind, octets: Uint8Array): Promise<ReadReport> {
  try {
    const text = (await unpackReport(octets)).toString()
    return kind === 'dmarc' ? { kind, report: readDmarcReport(text) } : { kind, report: readTlsReport(text) }
  } catch (error) {
    if (!(error instanceof DomainReportError)) throw error
    return { kind: 'unreadable', reason: error.message }
  }
}
