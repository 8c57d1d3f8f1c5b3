/** Reads a report as it was sent. Pure, and run by a worker when it may take long. */
import { type DmarcReport, readDmarcReport } from '../../mail/domain-report/dmarc-report.ts'
import { DomainReportError } from '../../mail/domain-report/report-error.ts'
import { type DomainReportKind, reportOfMail } from '../../mail/domain-report/report-mail.ts'
import { readTlsReport, type TlsReport } from '../../mail/domain-report/tls-report.ts'
import { unpackReport } from '../../mail/domain-report/unpack.ts'

interface Reports {
  dmarc: DmarcReport
  tls: TlsReport
}

type ReadOf<Kind extends DomainReportKind> = { kind: Kind; report: Reports[Kind] }
/** A report of any kind. */
export type AnyDomainReport = { [Kind in DomainReportKind]: ReadOf<Kind> }[DomainReportKind]

export type ReadReport =
  | AnyDomainReport
  /** The octets claim to be a report, and cannot be read. */
  | { kind: 'unreadable'; reason: string }
  /** The mail carries no report. */
  | { kind: 'none' }

/** `mail`: a whole message; otherwise the packed report of this kind. */
export interface ReportOctets {
  form: DomainReportKind | 'mail'
  octets: Uint8Array
}

const READERS: { [Kind in DomainReportKind]: (text: string) => ReadOf<Kind> } = {
  dmarc: (text) => ({ kind: 'dmarc', report: readDmarcReport(text) }),
  tls: (text) => ({ kind: 'tls', report: readTlsReport(text) }),
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
    return READERS[kind]((await unpackReport(octets)).toString())
  } catch (error) {
    if (!(error instanceof DomainReportError)) throw error
    return { kind: 'unreadable', reason: error.message }
  }
}
