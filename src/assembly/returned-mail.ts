import { configuredResolver } from '../dns/resolver.ts'
import { reportReceiver } from '../domain-reports/received/report-receiver.ts'
import { createInbound, type Inbound } from '../inbound/inbound.ts'
import { RETURN_PATHS, ReturnPathKey } from '../mail/return-path/return-path.ts'
import { BounceMailbox } from '../mailbox/bounce-mailbox.ts'
import type { WithDelivery } from './delivery.ts'

/** Receives returned mail, whichever way it arrives. */
export function openInbound({
  settings,
  store,
  directory,
  seal,
  workers,
  metrics,
  log,
}: WithDelivery): Inbound {
  return createInbound({
    store,
    domainReports: reportReceiver({
      store,
      workers,
      heldDomain: (name) => directory.heldDomain(name),
      now: Date.now,
    }),
    fullMailbox: settings.fullMailbox,
    directory,
    returnPathKey: new ReturnPathKey(seal.derive(RETURN_PATHS)),
    resolver: configuredResolver(settings),
    workers,
    hostname: settings.hostname,
    registry: metrics.registry,
    log,
  })
}

/** The bounce mailbox, where there is one. */
export async function openMailbox(
  { settings, store, token, metrics, log, started }: WithDelivery,
  { receiveMail }: Inbound,
): Promise<BounceMailbox | null> {
  const { bounceMailbox, emailRetention, roles } = settings
  if (bounceMailbox === null || !roles.includes('delivery')) return null
  const mailbox = await BounceMailbox.open({
    session: { mailbox: bounceMailbox },
    store,
    token,
    receive: receiveMail,
    probe: () => store.probe(0),
    retention: emailRetention,
    onMessage: (result) => metrics.mailboxMessages.inc({ result }),
    log,
  })
  started.defer(() => mailbox.stop(settings.shutdownTimeout))
  return mailbox
}
