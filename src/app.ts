/** Starts the service step by step, and stops it in reverse. The steps are in `assembly`. */
import { setFlagsFromString } from 'node:v8'
import type { Seal } from './accounts/seal.ts'
import { startAlerts } from './assembly/alerts.ts'
import { openData, type WithStore } from './assembly/data.ts'
import { startDelivery, type WithDelivery } from './assembly/delivery.ts'
import { createWebhooks, startDigest } from './assembly/followers.ts'
import { watchGauges } from './assembly/gauges.ts'
import { createIntake, type WithIntake } from './assembly/intake.ts'
import { joinNodes, openSites, type WithNode } from './assembly/node.ts'
import { openInbound, openMailbox } from './assembly/returned-mail.ts'
import { createServers } from './assembly/servers.ts'
import { type Start, stoppable } from './assembly/start.ts'
import { startTlsReports } from './assembly/tls-reports.ts'
import { planMemory } from './config/memory-plan.ts'
import { ownUrl } from './config/own-url.ts'
import type { Settings } from './config/settings.ts'
import { configuredServers, ignoredServers, nameServers, unusedTrust } from './dns/name-server.ts'
import { SystemMail } from './intake/system-mail.ts'
import type { Logger } from './log.ts'
import { LoopMonitor } from './loop-monitor.ts'
import { Metrics } from './metrics.ts'
import { firstStart as createFirstAccounts, type FirstStart, firstSignIn } from './operate/first-start.ts'
import { consoleUrl, signInUrl } from './people/link.ts'
import type { Store } from './store/store.ts'
import type { SmtpAddresses, SmtpServer } from './submission/server.ts'

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
  /**
   * A link that signs the first operator in once, as long as no operator can sign in otherwise. It is shown only here.
   */
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
  warnOfNameServers(start)
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

function warnOfNameServers({ settings, log }: Start): void {
  const { dnsServers, dnsValidating } = settings
  const servers = configuredServers(dnsServers)
  const unasked = ignoredServers(nameServers(servers, dnsValidating))
  if (unasked !== null) log.warn(`DNS: ${unasked}`)
  const useless = unusedTrust(servers, dnsValidating)
  if (useless !== null) log.warn(`DNS: ${useless}`)
}

/**
 * Prepares the first sign-in. It runs after everything that can fail, because its key and its link are shown only once.
 */
async function welcome({ settings, store, accounts, directory }: WithStore, base: string | null) {
  const firstStart = await createFirstAccounts(settings, store, directory.companies())
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
