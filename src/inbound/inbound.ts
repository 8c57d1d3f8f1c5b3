/** Puts together what receives returned mail. */
import type { Registry } from 'prom-client'
import type { AccountDirectory } from '../accounts/directory.ts'
import type { Log } from '../common/logging.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { ReportReceiver } from '../domain-reports/received/report-receiver.ts'
import type { ReturnPathKey } from '../mail/return-path/return-path.ts'
import type { Workers } from '../workers/workers.ts'
import { Addressees } from './addressees.ts'
import type { ReceiveMail } from './arrived-mail.ts'
import { InboundMetrics } from './inbound-metrics.ts'
import { type InboundParts, mailReceiver } from './receive-mail.ts'

export interface Inbound {
  receiveMail: ReceiveMail
  addressees: Addressees
  metrics: InboundMetrics
  domainReports: ReportReceiver
}

export interface InboundOptions {
  store: InboundParts['store']
  domainReports: ReportReceiver
  fullMailbox: InboundParts['fullMailbox']
  directory: Pick<AccountDirectory, 'snapshot'>
  returnPathKey: ReturnPathKey
  resolver: Pick<Resolver, 'txt'>
  workers: Workers
  hostname: string
  registry: Registry
  log: Pick<Log, 'info'>
}

export function createInbound({
  directory,
  hostname,
  registry,
  log,
  resolver,
  ...parts
}: InboundOptions): Inbound {
  const metrics = new InboundMetrics(registry)
  return {
    addressees: new Addressees(parts.returnPathKey, directory, hostname),
    metrics,
    domainReports: parts.domainReports,
    receiveMail: mailReceiver({
      ...parts,
      keys: (name) => resolver.txt(name),
      now: () => Date.now(),
      onReceived({ source }, { id, kind, outcome, note, emailId, events }) {
        metrics.received.inc({ source, outcome })
        const refusal = note === null ? {} : { note }
        log.info({ inboundId: id, source, kind, outcome, ...refusal, emailId, events }, 'Mail came back')
      },
    }),
  }
}
