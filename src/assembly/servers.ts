import { monotonic } from '../common/clock.ts'
import { configuredResolver } from '../dns/resolver.ts'
import { Live } from '../events/live.ts'
import { NoticeReader } from '../events/notice-reader.ts'
import { Searches } from '../events/searches.ts'
import { createServer } from '../http/server.ts'
import { HandedInMail } from '../inbound/handed-in-mail.ts'
import { ReturnedMailPace } from '../inbound/pace.ts'
import { RemoteFiles } from '../intake/remote-file.ts'
import { newDnsTurns } from '../operate/dns-turns.ts'
import { operationOn } from '../operate/open.ts'
import { SharedExplanations } from '../operate/shared-explanations.ts'
import { SubmissionMetrics } from '../submission/metrics.ts'
import { RETURNED_MAIL, returnedMailPolicy } from '../submission/returned-mail.ts'
import { createSmtpServer, type SmtpServer } from '../submission/server.ts'
import { submissionPolicy } from '../submission/submission-policy.ts'
import { version } from '../version.ts'
import type { WithIntake } from './intake.ts'
import { openOutgoing, rareWarning } from './start.ts'

/** HTTP, SMTP submission, and the listener for returned mail: they are ready to listen. */
export async function createServers(parts: WithIntake) {
  const { settings, store, directory, seal, workers, scheduler, apiUrl, sites, inbound } = parts
  const { metrics, log, started } = parts
  const searches = new Searches({ store, noticeReader: new NoticeReader(store) })
  const { ask } = openOutgoing(parts)
  const api = settings.roles.includes('api')
  let submission: SmtpServer | null = null
  let bounces: SmtpServer | null = null
  const pace = new ReturnedMailPace({
    now: monotonic,
    isSending: () =>
      (scheduler?.counts.inSession ?? 0) > 0 ||
      server.core.admission.besides(RETURNED_MAIL) > handedInMail.underWay,
    utilization: () => performance.eventLoopUtilization(),
    onWaiting: (mails) => inbound.metrics.waiting.set(mails),
  })
  const handedInMail = new HandedInMail(inbound.receiveMail, pace)
  const explanations = new SharedExplanations({
    resolver: configuredResolver(settings),
    ask,
    store,
  })
  const dnsTurns = newDnsTurns()
  const server = await createServer({
    ...parts,
    api,
    submission: () => submission?.open ?? [],
    searches,
    live: new Live({
      store,
      onFault: rareWarning(log, 'Could not read changes for the live pages of the console; retrying'),
    }),
    operation: (caller) =>
      operationOn(settings, store, caller, directory.snapshot, {
        seal,
        turns: searches.turns,
        dnsTurns,
        workers,
        apiUrl,
        sites: () => sites.table,
        explanations,
        deliveries: scheduler,
      }),
    ask,
    handedInMail,
    derive: (purpose) => seal.derive(purpose),
    domainReports: inbound.domainReports,
    remoteFiles: new RemoteFiles({ ask, maxOctets: settings.maxMessageSize }),
    registry: metrics.registry,
    version: version(),
    ready: (room) => store.probe(room),
  })
  if (api && settings.submission.length > 0) {
    const counts = new SubmissionMetrics(metrics.registry, () => submission?.sessions ?? 0)
    const policy = submissionPolicy(settings.maxMessageSize, counts)
    submission = await createSmtpServer(server.core, policy, settings.submission, settings)
  }
  if (api && settings.bounceListeners.length > 0) {
    const policy = returnedMailPolicy({ ...inbound, pace, maxMessageSize: settings.maxMessageSize })
    bounces = await createSmtpServer(server.core, policy, settings.bounceListeners, settings)
  }
  // Closed together, so that clients that are slow to finish a request neither use up the time of open SMTP
  // transactions nor add to it.
  started.defer(async () => {
    const { shutdownTimeout } = settings
    await Promise.all([
      server.close(shutdownTimeout),
      submission?.close(shutdownTimeout),
      bounces?.close(shutdownTimeout),
      scheduler?.stop(shutdownTimeout),
    ])
  })
  return { server, submission, bounces, pace }
}
