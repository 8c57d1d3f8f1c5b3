import type { Command } from 'commander'
import { clip } from '../common/clip.ts'
import { listTlsReports, type TlsReportDescription } from '../operate/domain-reports.ts'
import { tlsReportsJson } from '../operate/shapes/domain-report.ts'
import { command, type JsonOption } from './command.ts'
import { withOperation } from './open.ts'
import { type Cell, formatTime, printJson, printLine, printTable } from './print.ts'

const NONE = 'No sessions were counted.'

export function addTlsReport(program: Command): void {
  command(program, {
    usage: 'tls-report [domain]',
    description:
      'Show how sessions with the mail servers of recipient domains were encrypted, and the TLS reports sent.',
    details:
      'Sessions are counted by UTC day. At the end of the day, each domain that requests reports (RFC 8460, _smtp._tls) gets one, ' +
      'by mail from the address of POSTROAD_SYSTEM_FROM, or over HTTPS. For a sending domain, the command also shows what other mail ' +
      'systems report about sessions with its servers.',
    examples: ['tls-report', 'tls-report gmail.com', 'tls-report gmail.com --day 2026-11-28 --json'],
  })
    .option('--day <day>', 'only this UTC day')
    .action(show)
}

async function show(domain: string | undefined, { day, json }: JsonOption & { day?: string }): Promise<void> {
  await withOperation(async (op) => {
    const found = await listTlsReports(op, { ...(domain && { domain }), ...(day && { day }) })
    if (json) return printJson(tlsReportsJson(found))
    const { reports, received } = found
    printTable(['DAY', 'DOMAIN', 'SUCCEEDED', 'FAILED', 'REPORT', 'SENT', 'TO'], reports.map(rowOf), NONE)
    const failures = reports.flatMap(({ day: of, domain: name, policies }) =>
      policies.flatMap(({ type, failures: some }) =>
        some.map((each) => [
          of,
          name,
          type,
          each.result,
          each.host ?? '',
          String(each.sessions),
          each.reason ?? '',
        ]),
      ),
    )
    if (failures.length > 0) {
      printLine('')
      printTable(['DAY', 'DOMAIN', 'POLICY', 'FAILURE', 'HOST', 'SESSIONS', 'REASON'], failures, NONE)
    }
    if (received.length === 0) return
    printLine('\nReported by others:')
    printTable(
      ['DAY', 'POLICY', 'RESULT', 'HOST', 'SOURCE', 'SESSIONS'],
      received.map(({ day: of, type, failure, sessions }) => [
        of,
        type,
        failure?.result ?? 'success',
        failure?.host ?? '',
        failure?.sourceAddress ?? '',
        String(sessions),
      ]),
      NONE,
    )
  })
}

function rowOf({
  day,
  domain,
  successful,
  failed,
  state,
  sentAt,
  sentTo,
  fault,
}: TlsReportDescription): Cell[] {
  const to = fault === null ? sentTo.join(', ') : fault
  return [day, domain, String(successful), String(failed), state, formatTime(sentAt), clip(to, 100)]
}
