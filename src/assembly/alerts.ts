import { type AlertTransports, alertChannels } from '../operate/alerts/alert-channels.ts'
import { AlertWatch } from '../operate/alerts/alert-watch.ts'
import { alertLine } from '../operate/alerts/alert-words.ts'
import { Announcer } from '../operate/alerts/announcer.ts'
import { SERVICE } from '../operate/authority.ts'
import { operationOn } from '../operate/open.ts'
import { consoleUrl } from '../people/link.ts'
import { version } from '../version.ts'
import type { WithIntake } from './intake.ts'
import { openOutgoing, rareWarning } from './start.ts'

/** Looks for problems, which the console shows, and sends alerts about them, if there are addresses for them. */
export function startAlerts(parts: WithIntake, base: string | null): void {
  const { settings, store, directory, seal, systemMail, token, log, started } = parts
  const { alertTo, alertWebhook, hostname, publicUrl } = settings
  // In capture mode no mail leaves, so problems are only searched for if somebody gets alerts about them.
  if (systemMail === null && alertWebhook === null && settings.delivery.kind === 'capture') return
  const url = base === null ? null : consoleUrl(publicUrl ?? base)
  const ways: AlertTransports = {
    systemMail,
    alertTo: alertTo ?? [],
    webhook:
      alertWebhook === null
        ? null
        : { url: alertWebhook, ask: openOutgoing(parts).ask, userAgent: `Postroad/${version()}` },
    store,
    origin: { hostname, console: url },
  }
  const operation = () => operationOn(settings, store, SERVICE, directory.snapshot, { seal })
  const onFault = rareWarning(log, 'Could not check for problems, or send alerts about them; retrying')
  const announcer = new Announcer({
    store: () => store,
    now: () => operation().now(),
    channels: () => alertChannels(ways),
    onFault,
  })
  const watch = new AlertWatch({
    operation,
    token,
    delivers: settings.roles.includes('delivery'),
    hasChannel: systemMail !== null || alertWebhook !== null,
    patienceMs: settings.nodeTimeout,
    announcer,
    onChange(alert, isOver) {
      const { fields, message } = alertLine(alert, isOver)
      log.warn(fields, message)
    },
    onFault,
  })
  started.defer(() => watch.stop())
  watch.start()
}
