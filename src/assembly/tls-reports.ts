import { configuredResolver } from '../dns/resolver.ts'
import { TlsReportSender } from '../domain-reports/sent/tls-report-sender.ts'
import { parseMailbox } from '../mail/address/address.ts'
import { tlsReportMail } from '../mail/domain-report/tls-report-mail.ts'
import { version } from '../version.ts'
import type { WithIntake } from './intake.ts'
import { openOutgoing, rareWarning } from './start.ts'

/** Sends TLS reports to recipients' domains. */
export function startTlsReports(parts: WithIntake): void {
  const { settings, store, systemMail, log, started } = parts
  const { systemFrom, hostname, roles, dnsServers, dnsValidating } = settings
  if (!roles.includes('delivery')) return
  const from = systemFrom ?? `postmaster@${hostname}`
  const { domain: organization, address: contact } =
    systemFrom === null ? { domain: hostname, address: from } : parseMailbox(systemFrom)
  const sender = new TlsReportSender({
    store,
    resolver: configuredResolver({ dnsServers, dnsValidating }),
    author: { organization, contact },
    async mail(to, { octets, domain, reportId, begin, end }, key) {
      if (systemMail === null) throw new Error('POSTROAD_SYSTEM_FROM is not set')
      const facts = { domain, submitter: organization, reportId, begin, end }
      const raw = tlsReportMail({ from, to, ...facts, report: octets })
      await systemMail.sendReport({ to, raw, key })
    },
    ask: openOutgoing(parts).ask,
    userAgent: `Postroad/${version()}`,
    onFault: rareWarning(log, 'Could not send a TLS report; retrying'),
  })
  started.defer(() => sender.stop())
  sender.start()
}
