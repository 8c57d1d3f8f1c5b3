/** Whether reports about TLS (RFC 8460) can be mailed. */
import type { StoredTlsReport } from '../../store/store.ts'
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, warning } from './check.ts'

/** Reports that are looked at. */
const MAX_REPORTS = 1_000

/** Only at the end of a day is a domain asked whether it wants the report, so until then nobody is known to. */
function isOwedByMail({ fault }: StoredTlsReport): boolean {
  return fault !== null && /^mailto:/i.test(fault)
}

export function tlsReportsCheck({ setup, store }: Operation): PlannedCheck {
  return {
    id: 'tls-reports',
    title: 'TLS reports',
    async run() {
      if (setup.delivery.kind !== 'direct') return ok('Only direct delivery counts sessions for TLS reports.')
      if (setup.systemFrom !== null) return ok(`TLS reports are mailed from ${setup.systemFrom}.`)
      const latest = await store.tlsReports({ limit: MAX_REPORTS })
      if (!latest.some(isOwedByMail)) {
        return ok(
          'No domain is known to ask for TLS reports by email. If one of them asks, POSTROAD_SYSTEM_FROM has to be set.',
        )
      }
      const result = warning(
        'TLS reports cannot be mailed: POSTROAD_SYSTEM_FROM is not set.',
        'Set POSTROAD_SYSTEM_FROM to an address of a domain that sends. “Encrypted sessions” on the page Installation shows what was counted.',
      )
      return { ...result, code: 'bin/postroad tls-report' }
    },
  }
}
