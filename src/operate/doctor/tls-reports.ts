/** Whether reports about TLS (RFC 8460) can be mailed. */
import type { Operation } from '../verb.ts'
import { ok, type PlannedCheck, warning } from './check.ts'

export function tlsReportsCheck({ setup, store }: Operation): PlannedCheck {
  return {
    id: 'tls-reports',
    title: 'TLS reports',
    async run() {
      if (setup.delivery.kind !== 'direct') return ok('Only direct delivery counts sessions for TLS reports.')
      if (setup.systemFrom !== null) return ok(`TLS reports are mailed from ${setup.systemFrom}.`)
      const counted = await store.tlsReports({ limit: 1 })
      if (counted.length === 0) return ok('No session with a domain that asks for TLS reports was counted.')
      const result = warning(
        'Sessions are counted for domains that ask for TLS reports, but reports by email cannot be sent: POSTROAD_SYSTEM_FROM is not set.',
        'Set POSTROAD_SYSTEM_FROM to an address of a domain that sends. “Encrypted sessions” on the page Installation shows what was counted.',
      )
      return { ...result, code: 'postroad tls-report' }
    },
  }
}
