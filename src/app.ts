/**
 * Creates the parts of the service, starts them in order, and stops them in reverse. The only module that knows all
 * parts.
 */
import { setFlagsFromString } from 'node:v8'
import { LiveAccounts } from './accounts/live-accounts.ts'
import type { Seal } from './accounts/seal.ts'
import { openSeal } from './accounts/secret-key.ts'
import { NodeMembership } from './cluster/membership.ts'
import { nameNode } from './cluster/node-name.ts'
import { SendingRight } from './cluster/sending-right.ts'
import { UnrecordedMessages } from './cluster/unrecorded-messages.ts'
import { monotonic } from './common/clock.ts'
import { LogThrottle } from './common/log-throttle.ts'
import { type MemoryPlan, planMemory } from './config/memory-plan.ts'
import { ownUrl } from './config/own-url.ts'
import type { Settings } from './config/settings.ts'
import { openDelivery } from './delivery/open.ts'
import { SigningKeys } from './delivery/signing-keys.ts'
import { SitesFile } from './delivery/sites/sites-file.ts'
import { hostAddresses } from './dns/host-addresses.ts'
import { configuredServers, nameServers, unaskedServers } from './dns/name-server.ts'
import { Resolver } from './dns/resolver.ts'
import { reportReceiver } from './domain-reports/received/report-receiver.ts'
import { TlsReportSender } from './domain-reports/sent/tls-report-sender.ts'
import { TlsSessionCounts } from './domain-reports/sent/tls-session-counts.ts'
import { PasswordTokens } from './email/password-order.ts'
import { unsubscribeLinks } from './email/unsubscribe-link.ts'
import { digestFollower } from './events/digest.ts'
import { Live } from './events/live.ts'
import { NoticeReader } from './events/notice-reader.ts'
import { Searches } from './events/searches.ts'
import { WEBHOOK_SCHEDULE } from './events/webhooks/schedule.ts'
import { Webhooks } from './events/webhooks/webhooks.ts'
import { createServer } from './http/server.ts'
import { HandedInMail } from './inbound/handed-in-mail.ts'
import { createInbound, type Inbound } from './inbound/inbound.ts'
import { ReturnedMailPace } from './inbound/pace.ts'
import { derivedText } from './intake/derived-text.ts'
import { noHandover } from './intake/handover.ts'
import { Intake } from './intake/intake.ts'
import { RemoteFiles } from './intake/remote-file.ts'
import { SystemMail } from './intake/system-mail.ts'
import type { Logger } from './log.ts'
import { LoopMonitor } from './loop-monitor.ts'
import { parseMailbox } from './mail/address/address.ts'
import type { TlsSession } from './mail/domain-report/tls-report.ts'
import { tlsReportMail } from './mail/domain-report/tls-report-mail.ts'
import { RETURN_PATHS, ReturnPathKey } from './mail/return-path/return-path.ts'
import { BounceMailbox } from './mailbox/bounce-mailbox.ts'
import { Metrics } from './metrics.ts'
import { Outgoing } from './network/outgoing.ts'
import { addressGuard } from './network/private-address.ts'
import { AlertWatch } from './operate/alerts/alert-watch.ts'
import { type AlertChannels, tellAlert } from './operate/alerts/tell-alert.ts'
import { SERVICE } from './operate/authority.ts'
import { DomainChecks } from './operate/domain-checks.ts'
import { type FirstStart, firstSignIn, firstStart as makeUp } from './operate/first-start.ts'
import { operationOn } from './operate/open.ts'
import { SharedExplanations } from './operate/shared-explanations.ts'
import { consoleUrl, signInUrl } from './people/link.ts'
import { RetrySchedule } from './queue/retry-schedule.ts'
import { Scheduler } from './queue/scheduler.ts'
import { openStore } from './store/open.ts'
import { RetentionLoop } from './store/retention.ts'
import type { Store } from './store/store.ts'
import { SubmissionMetrics } from './submission/metrics.ts'
import { RETURNED_MAIL, returnedMailPolicy } from './submission/returned-mail.ts'
import { createSmtpServer, type SmtpAddresses, type SmtpServer } from './submission/server.ts'
import { submissionPolicy } from './submission/submission-policy.ts'
import { version } from './version.ts'
import { Workers } from './workers/workers.ts'

/** Connections to one server of attachments named by URL: the same limit as for all such servers together. */
const REMOTE_CONNECTIONS = 64

const NO_ADDRESSES: SmtpAddresses = { urls: [], withoutLogin: [], taken: [] }

/** A running service. */
export interface App {
  /** Base address of the API, e.g. `http://127.0.0.1:8587`. */
  url: string
  /** The URL of `/metrics`, if it has its own listener. */
  metricsUrl: string | null
  /** The addresses of SMTP submission. */
  submission: SmtpAddresses
  /** The addresses that take returned mail. */
  bounces: string[]
  /** The accounts created by the first start on an empty database, else null. */
  firstStart: FirstStart | null
  /** The URL of the console; null: this process does not serve it. */
  console: string | null
  /** Signs the first operator in, once, while nobody else could sign in. The link is shown only here. */
  signInLink: string | null
  /** There is no company yet, so nobody can send. */
  empty: boolean
  /** The service's store and seal, for code in the same process that builds on the service. */
  store: Store
  seal: Seal
  /** Resolves when every change of accounts committed so far is in effect. */
  refreshAccounts(): Promise<void>
  /** Accepts no new work; open requests and SMTP transactions finish or are given back. */
  close(): Promise<void>
}

/** The parts that every step of a start uses. */
interface Start {
  settings: Settings
  log: Logger
  metrics: Metrics
  plan: MemoryPlan
  monitor: LoopMonitor
  /** Each started part adds its stop; the last one is stopped first. */
  started: AsyncDisposableStack
  /** Rejects as soon as the start is to be stopped. */
  unlessStopped<T>(work: Promise<T>): Promise<T>
}

/** The same with the parts of the steps so far. `scheduler` is null on a node that does not deliver. */
type WithStore = Start & Awaited<ReturnType<typeof openData>>
type WithNode = WithStore & Awaited<ReturnType<typeof joinNodes>> & { sites: SitesFile }
type WithDelivery = WithNode & { scheduler: Scheduler | null; apiUrl(): string }
type WithIntake = WithDelivery & { intake: Intake; systemMail: SystemMail | null; inbound: Inbound }

/**
 * Starts the service. Rejects with a sentence for the operator when a part cannot start (store in use, port taken,
 * wrong secret key, ...), and as soon as `signal` aborts; then every part that had started is stopped again.
 */
export async function startApp(settings: Settings, log: Logger, signal?: AbortSignal): Promise<App> {
  await using started = new AsyncDisposableStack()
  const metrics = new Metrics()
  const plan = planMemory(settings)
  // For this thread and all threads started from here on.
  if (plan.heapGrowth !== null) setFlagsFromString(`--heap-growing-percent=${plan.heapGrowth}`)
  const monitor = new LoopMonitor(metrics.registry, log)
  const start: Start = { settings, log, metrics, plan, monitor, started, unlessStopped: stoppable(signal) }
  const unasked = unaskedServers(nameServers(configuredServers(settings.dnsServers), settings.dnsValidating))
  if (unasked !== null) log.warn(`DNS: ${unasked}`)
  const data: WithStore = { ...start, ...(await openData(start)) }
  // Delivery starts before HTTP, because mail that earlier processes left behind is older than any new request.
  const sites = openSites(start)
  const node: WithNode = { ...data, ...(await joinNodes(data)), sites }
  startDigest(node)
  const scheduler = settings.roles.includes('delivery') ? await startDelivery(node) : null
  let apiUrl = ownUrl(settings)
  const delivering: WithDelivery = { ...node, scheduler, apiUrl: () => apiUrl }
  const webhooks = createWebhooks(delivering)
  const inbound = openInbound(delivering)
  const mailbox = await start.unlessStopped(openMailbox(delivering, inbound))
  watchGauges(delivering, webhooks, mailbox)
  const intake = createIntake(delivering)
  const { systemFrom: from, delivery } = settings
  const direct = delivery.kind === 'direct'
  const systemMail = from === null ? null : new SystemMail({ from, direct }, intake, data.directory)
  const accepting: WithIntake = { ...delivering, intake, systemMail, inbound }
  const { server, submission, bounces, pace } = await createServers(accepting)
  const { url, metricsUrl, consoleUrl: base } = await start.unlessStopped(server.listen())
  if (settings.roles.includes('api')) apiUrl = settings.publicUrl ?? url
  // Webhooks start only now, because their events contain URLs of stored messages, for which `apiUrl` has to be known.
  webhooks.start()
  mailbox?.start((gone) => pace.turn('bounce mailbox', gone))
  startAlerts(accepting, base)
  startTlsReports(accepting)
  const listen = (smtp: SmtpServer | null) =>
    smtp === null ? NO_ADDRESSES : start.unlessStopped(smtp.listen())
  const smtp = await listen(submission)
  const { urls: bounceUrls } = await listen(bounces)
  const addresses = {
    url,
    metricsUrl,
    submission: smtp,
    bounces: bounceUrls,
    console: base && consoleUrl(base),
  }
  const first = await welcome(data, base)
  // Started last: starting keeps the thread busy, and no client is waiting yet.
  monitor.start()
  started.defer(() => monitor.stop())
  reportListening(node, addresses)
  const { store, seal, accounts } = data
  const running = started.move()
  const close = () => running.disposeAsync()
  return { ...addresses, ...first, store, seal, refreshAccounts: () => accounts.refresh(), close }
}

/** The store and its accounts, and the workers. */
async function openData({ settings, log, metrics, plan, started, unlessStopped }: Start) {
  const store = await unlessStopped(
    openStore(settings.database, {
      exclusive: true,
      onFault: (error) =>
        log.error({ err: error }, 'The database is damaged; the undamaged part stays in use'),
    }),
  )
  started.defer(() => store.close())
  const accounts = new LiveAccounts({
    source: store,
    onFault: (error) => log.error({ err: error }, 'Could not read account changes; retrying in a second'),
    onLook: () => metrics.accountLooks.inc(),
  })
  const { directory } = accounts
  started.defer(() => accounts.stop())
  await unlessStopped(accounts.start())
  const seal = await unlessStopped(
    openSeal(settings, { domains: directory.domains(), routes: directory.routes() }),
  )
  const workers = new Workers({
    memory: Math.floor(plan.workerHeap / 1024 ** 2),
    onDeath: (cause, detail) => {
      metrics.workerDeaths.inc({ cause })
      log.warn({ cause, detail }, 'A worker crashed on its job; a new worker replaces it')
    },
  })
  started.defer(() => workers.close())
  return { store, accounts, directory, seal, workers }
}

function openSites({ settings, log, started }: Start): SitesFile {
  const sites = new SitesFile(settings, log)
  started.defer(() => sites.close())
  return sites
}

/** This node among those that share the database. */
async function joinNodes({ settings, store, log, metrics, started, unlessStopped }: WithStore) {
  const { nodeName, nodeDirectory, roles, nodeTimeout, database } = settings
  const place = database.engine === 'postgres' ? { directory: nodeDirectory, database: database.url } : null
  const { name, claim } = nameNode(nodeName, place)
  const node = { name, roles, timeoutMs: nodeTimeout, since: Date.now() }
  const right = new SendingRight()
  const unrecorded = new UnrecordedMessages(
    UnrecordedMessages.shared(settings.maxUnrecorded, settings.deliveryThreads),
  )
  /** Known once delivery is open. */
  const present: { sources: (() => readonly string[]) | null } = { sources: null }
  const sources = () => present.sources?.() ?? null
  const membership = new NodeMembership({ store, node, sources, claim, right, metrics, log })
  started.defer(() => membership.leave())
  await unlessStopped(membership.start())
  return {
    nodeName: name,
    membership,
    present,
    right,
    unrecorded,
    token: () => membership.lease?.token ?? null,
  }
}

function startDigest({ store, token, log, started }: WithNode): void {
  const onFault = rareWarning(log, 'Could not update the index for searches and counts; retrying')
  const digest = digestFollower({ store, token, onFault })
  started.defer(() => digest.stop())
  digest.start()
}

async function startDelivery(node: WithNode): Promise<Scheduler> {
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
    passwords: new PasswordTokens(seal),
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
  node.present.sources = couriers.sources
  await node.unlessStopped(scheduler.start())
  retention.start()
  startDomainChecks(node)
  return scheduler
}

function startDomainChecks({ settings, store, directory, seal, log, started }: WithNode): void {
  const checks = new DomainChecks({
    operation: () => operationOn(settings, store, SERVICE, directory.snapshot, { seal }),
    onNews({ domain: { name }, verification, news }) {
      const wrong = verification.records.filter(({ state }) => state !== 'right')
      const records = wrong.map((record) => `${record.type} ${record.name}: ${record.state}`)
      log.warn({ domain: name, records }, news.join(' '))
    },
    onFault: rareWarning(log, 'Could not check the DNS records of domains; retrying'),
  })
  started.defer(() => checks.stop())
  checks.start()
}

/** Looks for problems, which the console shows, and sends alerts about them, if there are addresses for them. */
function startAlerts(parts: WithIntake, base: string | null): void {
  const { settings, store, directory, seal, systemMail, token, log, started } = parts
  const { alertTo, alertWebhook, roles, hostname, publicUrl } = settings
  if (!roles.includes('delivery')) return
  // Where no mail leaves, problems of delivery harm nobody who did not ask to hear of them.
  if (systemMail === null && alertWebhook === null && settings.delivery.kind === 'capture') return
  const url = base === null ? null : consoleUrl(publicUrl ?? base)
  const channels: AlertChannels = {
    systemMail,
    alertTo: alertTo ?? [],
    webhook:
      alertWebhook === null
        ? null
        : { url: alertWebhook, ask: openOutgoing(parts).ask, userAgent: `Postroad/${version()}` },
    store,
    origin: { hostname, console: url },
    log,
  }
  const watch = new AlertWatch({
    operation: () => operationOn(settings, store, SERVICE, directory.snapshot, { seal }),
    async isFirst() {
      const nodes = await store.nodes()
      return nodes.find((node) => node.roles.includes('delivery'))?.token === token()
    },
    tell: (alert, isOver) => tellAlert(channels, alert, isOver),
    onFault: rareWarning(log, 'Could not check for problems, or send alerts about them; retrying'),
  })
  started.defer(() => watch.stop())
  watch.start()
}

/** Sends TLS reports to recipients' domains. */
function startTlsReports(parts: WithIntake): void {
  const { settings, store, systemMail, log, started } = parts
  const { systemFrom, hostname, roles, dnsServers, dnsValidating } = settings
  if (!roles.includes('delivery')) return
  const from = systemFrom ?? `postmaster@${hostname}`
  const { domain: organization, address: contact } =
    systemFrom === null ? { domain: hostname, address: from } : parseMailbox(systemFrom)
  const sender = new TlsReportSender({
    store,
    resolver: new Resolver({ servers: dnsServers, validating: dnsValidating }),
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

function createWebhooks({ settings, store, seal, token, apiUrl, metrics, log, started }: WithDelivery) {
  const { database, dnsServers, dnsValidating, allowPrivateNetworks } = settings
  const userAgent = `Postroad/${version()}`
  const thread = {
    database,
    dnsServers,
    dnsValidating,
    allowPrivateNetworks,
    schedule: WEBHOOK_SCHEDULE,
    userAgent,
  }
  const webhooks = new Webhooks({ store, seal, token, base: apiUrl, thread, metrics, log })
  started.defer(() => webhooks.stop())
  return webhooks
}

/** The bounce mailbox, where there is one. */
async function openMailbox(
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

function watchGauges(
  { metrics, membership, scheduler, store, unrecorded, sites, directory }: WithDelivery,
  webhooks: Webhooks,
  mailbox: BounceMailbox | null,
): void {
  metrics.watch({
    nodes: () => membership.nodes,
    deliveries: () => scheduler?.counts ?? { ready: 0, inSession: 0, halted: false, closed: new Map() },
    recipients: () => store.counts(Date.now()),
    unrecorded: () => unrecorded.held,
    sitesFault: () => sites.fault,
    domainsWithoutRecords: () => directory.domains().filter(({ lostSince }) => lostSince !== null).length,
    webhooks: () => webhooks.states,
    mailbox: () => mailbox?.state ?? null,
  })
}

/** HTTP, SMTP submission, and the listener for returned mail: they are ready to listen. */
async function createServers(parts: WithIntake) {
  const { settings, store, directory, seal, workers, scheduler, apiUrl, sites, inbound } = parts
  const { metrics, log, started } = parts
  const searches = new Searches({ store, teller: new NoticeReader(store) })
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
    resolver: new Resolver({ servers: settings.dnsServers, validating: settings.dnsValidating }),
    ask,
    store,
  })
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
        workers,
        apiUrl,
        sites: () => sites.table,
        explanations,
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
    const policy = returnedMailPolicy({ ...inbound, pace })
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

/** Receives returned mail, whichever way it arrives. */
function openInbound({ settings, store, directory, seal, workers, metrics, log }: WithDelivery): Inbound {
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
    resolver: new Resolver({ servers: settings.dnsServers, validating: settings.dnsValidating }),
    workers,
    hostname: settings.hostname,
    registry: metrics.registry,
    log,
  })
}

function createIntake({ settings, store, accounts, workers, scheduler, metrics, log }: WithDelivery): Intake {
  return new Intake({
    store,
    accounts,
    handover: scheduler ?? noHandover,
    deriveText: (html, companyId) =>
      derivedText(html, workers, companyId, (error) => {
        // The text part is optional: a message is not refused because it has none.
        log.warn(
          { err: error },
          'Could not derive a text version from the HTML of a message; it is sent without one',
        )
      }),
    limits: settings,
    sourceAddresses: settings.sourceAddresses?.map(({ address }) => address) ?? [],
    metrics,
  })
}

/** Makes requests to servers that strangers name. */
function openOutgoing({ settings, started }: Start): Outgoing {
  const { dnsServers, dnsValidating, allowPrivateNetworks } = settings
  const outgoing = new Outgoing({
    guard: addressGuard({ allowPrivateNetworks }),
    resolve: hostAddresses(new Resolver({ servers: dnsServers, validating: dnsValidating }), {
      hostsFile: allowPrivateNetworks,
    }),
    connections: REMOTE_CONNECTIONS,
  })
  started.defer(() => outgoing.close())
  return outgoing
}

/**
 * Prepares the first sign-in. It runs when nothing else can fail, because the key that it creates is shown only once.
 */
async function welcome({ settings, store, accounts, directory }: WithStore, base: string | null) {
  const firstStart = await makeUp(settings, store, directory.companies())
  // Another node may have been first.
  if (firstStart !== null || directory.companies().length === 0) await accounts.refresh()
  const token = base === null ? null : await firstSignIn(store, Date.now())
  const signInLink = base === null || token === null ? null : signInUrl(base, token)
  return { firstStart, signInLink, empty: directory.companies().length === 0 }
}

function reportListening(
  { settings, nodeName, log }: WithNode,
  { submission, bounces, ...urls }: Pick<App, 'url' | 'metricsUrl' | 'submission' | 'bounces' | 'console'>,
): void {
  const { delivery, roles } = settings
  const smtp = {
    ...(submission.urls.length > 0 && { submissionUrls: submission.urls }),
    ...(bounces.length > 0 && { bounceUrls: bounces }),
  }
  log.info({ ...urls, ...smtp, delivery: delivery.kind, roles, node: nodeName }, 'Postroad is listening')
  if (delivery.kind === 'capture')
    log.info('Capture mode: mail is kept here and not delivered; set POSTROAD_DELIVERY to deliver it')
}

/** Warns of a fault that is likely to come again soon: once a minute. */
function rareWarning(log: Logger, message: string): (error: unknown) => void {
  const faults = new LogThrottle(60_000)
  return (error) => {
    if (faults.due() !== null) log.warn({ err: error }, message)
  }
}

/**
 * Wraps the work of a start that can be stopped: the wrapped promise rejects with the signal's reason as soon as it
 * aborts. The work itself ends when its parts are stopped, or with the process; an unfinished migration is rolled back.
 */
function stoppable(signal: AbortSignal | undefined): <T>(work: Promise<T>) => Promise<T> {
  if (signal === undefined) return (work) => work
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  if (signal.aborted) reject(signal.reason)
  stopped.catch(() => {})
  return (work) => Promise.race([stopped, work])
}
