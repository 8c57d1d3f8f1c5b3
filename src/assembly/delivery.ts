import { openDelivery } from '../delivery/open.ts'
import { SigningKeys } from '../delivery/signing-keys.ts'
import { TlsSessionCounts } from '../domain-reports/sent/tls-session-counts.ts'
import { LinkTokens } from '../email/mailed-links.ts'
import { unsubscribeLinks } from '../email/unsubscribe-link.ts'
import type { TlsSession } from '../mail/domain-report/tls-report.ts'
import { SERVICE } from '../operate/authority.ts'
import type { DomainChecksParts } from '../operate/check-rounds.ts'
import { DomainChecks } from '../operate/domain-checks.ts'
import { operationOn } from '../operate/open.ts'
import { SetupChecks } from '../operate/setup-checks.ts'
import { RetrySchedule } from '../queue/retry-schedule.ts'
import { Scheduler } from '../queue/scheduler.ts'
import { RetentionLoop } from '../store/retention.ts'
import type { WithNode } from './node.ts'
import { openOutgoing, rareWarning } from './start.ts'

/** `scheduler`: null on a node that does not deliver. */
export type WithDelivery = WithNode & { scheduler: Scheduler | null; apiUrl(): string }

export async function startDelivery(node: WithNode): Promise<Scheduler> {
  const { settings, store, accounts, directory, seal, plan, metrics, log, started } = node
  const sessions = new TlsSessionCounts({
    store,
    onFault: rareWarning(log, 'Could not write the counts of TLS sessions; retrying'),
  })
  started.defer(() => sessions.stop())
  const onTlsSessions = (some: readonly TlsSession[]) => sessions.count(some)
  const couriers = openDelivery({
    ...node,
    onTlsSessions,
    accounts: directory,
    ask: openOutgoing(node).ask,
    maxDeliveries: plan.deliveries,
    onDeath: (cause) => {
      metrics.isolatedDeaths.inc({ cause })
      log.warn(
        { cause },
        'The isolated process for suspect mail crashed on its job; a new process replaces it',
      )
    },
  })
  const scheduler = new Scheduler({
    ...node,
    ...couriers,
    onTlsSessions,
    accounts: directory,
    signingKeys: new SigningKeys(seal),
    links: unsubscribeLinks(settings.publicUrl, seal),
    linkTokens: settings.delivery.kind === 'capture' ? null : new LinkTokens(seal),
    retrySchedule: new RetrySchedule(settings.retrySchedule, Math.random, settings.deliverWithin),
    fullMailbox: settings.fullMailbox,
    warmUp: settings.warmUp,
    limits: {
      concurrency: settings.concurrency,
      maxDeliveries: plan.deliveries,
      maxBytes: plan.ready,
      maxLargeBytes: plan.readyLarge,
    },
  })
  started.defer(() => scheduler.stop(settings.shutdownTimeout))
  accounts.onRead(() => scheduler.domainsChanged())
  const retention = new RetentionLoop(
    store,
    settings,
    () => directory.snapshot,
    (error) => log.error({ err: error }, 'Could not remove expired mail; retrying in a minute'),
  )
  started.defer(() => retention.stop())
  started.defer(() => couriers.present.stop())
  await couriers.present.start()
  await node.unlessStopped(node.membership.haveSources(couriers.sources))
  await node.unlessStopped(scheduler.start())
  retention.start()
  startDomainChecks(node)
  return scheduler
}

function startDomainChecks({ settings, store, directory, seal, log, started }: WithNode): void {
  const parts: DomainChecksParts = {
    operation: () => operationOn(settings, store, SERVICE, directory.snapshot, { seal }),
    onNews({ domain: { name }, verification, news }) {
      const wrong = verification.records.filter(({ state }) => state !== 'right')
      const records = wrong.map((record) => `${record.type} ${record.name}: ${record.state}`)
      log[verification.verified ? 'info' : 'warn']({ domain: name, records }, news.join(' '))
    },
    onFault: rareWarning(log, 'Could not check the DNS records of domains; retrying'),
  }
  for (const checks of [new DomainChecks(parts), new SetupChecks(parts)]) {
    started.defer(() => checks.stop())
    checks.start()
  }
}
