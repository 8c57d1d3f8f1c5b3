/** The HTTP server: the parts shared by all its APIs, and its listeners. */
import { LogThrottle } from '../common/log-throttle.ts'
import { Admission } from '../ingress/admission/admission.ts'
import { watchAdmission } from '../ingress/admission/gauges.ts'
import { Callers } from '../ingress/caller.ts'
import { ClientAddress } from '../ingress/client-address.ts'
import type { Ingress } from '../ingress/ingress.ts'
import { KeyUses } from '../ingress/key-uses.ts'
import { RateLimits } from '../ingress/rate-limit.ts'
import { Reasons } from '../ingress/reasons.ts'
import { RequestLog } from '../ingress/request-log/request-log.ts'
import { SmtpLogins } from '../ingress/smtp-logins.ts'
import { readCertificate } from '../ingress/tls.ts'
import { AnswerSender } from './answer.ts'
import type { ApiClass } from './api.ts'
import { APIS, consoleListenerApis, servedApis } from './apis.ts'
import { BodyLimit } from './body.ts'
import type { HttpCore } from './core.ts'
import type { HttpDeps } from './deps.ts'
import { HttpListener } from './listener.ts'
import { MetricsListener } from './metrics-listener.ts'
import { PageTokens } from './page-tokens.ts'
import { PublicUrl } from './public-url.ts'
import { RawCopyCache } from './raw-copy-cache.ts'

export interface HttpServer {
  /** The parts for every API, and for SMTP submission: they share all limits. */
  readonly core: HttpCore
  /** Starts to accept. With port 0 in the settings the system chooses one. */
  listen(): Promise<Addresses>
  /** Stops accepting, lets open requests finish, and after `ms` closes connections that are still open. */
  close(ms?: number): Promise<void>
}

/** E.g. `http://127.0.0.1:8587`. */
export interface Addresses {
  url: string
  /** Null: metrics have no listener. */
  metricsUrl: string | null
  /** The URL of the console for people; null: this node does not serve it. */
  consoleUrl: string | null
}

/** `apis`: the APIs besides the pages, on a node that accepts mail. Throws when the TLS files cannot be used. */
export async function createServer(deps: HttpDeps, apis: readonly ApiClass[] = APIS): Promise<HttpServer> {
  const { settings, log, registry } = deps
  const certificate = settings.tls && (await readCertificate(settings.tls))
  const admission = new Admission(deps.plan, deps.monitor)
  watchAdmission(admission, registry)
  const limit = new BodyLimit(deps.plan.body.max, settings.maxMessageSize, admission)
  const rate = new RateLimits(settings.rateLimit, (companyId) => deps.accounts.directory.rateOf(companyId))
  const faults = new LogThrottle(60_000)
  const requestLog = new RequestLog({
    store: deps.store,
    registry,
    onFault: (err) => {
      if (faults.due() !== null) log.warn({ err }, 'Could not write the log of API requests')
    },
  })
  const keyUses = new KeyUses({
    store: deps.store,
    onFault: (err) => {
      if (faults.due() !== null) log.warn({ err }, 'Could not note the last use of API keys')
    },
  })
  const answers = new AnswerSender(log, registry, admission, rate, requestLog)
  const reasons = new Reasons(log)
  const address = new ClientAddress(settings.trustedProxies)
  const callers = new Callers({ accounts: deps.accounts, address, rate, admission, uses: keyUses })
  const smtpLogins = new SmtpLogins({ accounts: deps.accounts, callers, counter: deps.store })
  const publicUrl = new PublicUrl(settings.publicUrl, address)
  const pageTokens = new PageTokens(deps)
  const copies = new RawCopyCache(deps.plan.copies)
  const ingress: Ingress = { deps, admission, callers, smtpLogins, reasons, requestLog }
  const shared = { ...ingress, deps, answers, limit, copies, clientAddress: address, pageTokens }
  const core: HttpCore = { ...shared, publicUrl, apiUrl: publicUrl }

  const { connections } = admission
  const main = await HttpListener.open({
    at: settings.listen,
    setting: 'POSTROAD_LISTEN',
    apis: servedApis(core, apis),
    core,
    connections,
    certificate,
  })
  const consoleAlone = await openConsole()
  const metrics =
    typeof settings.metrics === 'string' ? null : new MetricsListener(settings.metrics, registry, log)
  let port = 0

  /** Opens the console's own listener; null when it has none. */
  async function openConsole(): Promise<HttpListener | null> {
    if (typeof settings.console === 'string' || !deps.api) return null
    const urls = {
      publicUrl: new PublicUrl(null, address),
      apiUrl: new PublicUrl(settings.publicUrl, address, () => port),
    }
    const own = { ...shared, ...urls }
    return await HttpListener.open({
      at: settings.console,
      setting: 'POSTROAD_CONSOLE_LISTEN',
      apis: consoleListenerApis(own),
      core: own,
      connections,
      certificate,
    })
  }

  return {
    core,
    async listen() {
      const metricsUrl = metrics ? await metrics.listen() : null
      const url = await main.listen()
      port = Number(new URL(url).port)
      const shared = deps.api && settings.console === 'same' ? (settings.publicUrl ?? url) : null
      const consoleUrl = consoleAlone ? await consoleAlone.listen() : shared
      return { url, metricsUrl, consoleUrl }
    },
    async close(ms = 10_000) {
      try {
        await Promise.all([main.close(ms), consoleAlone?.close(ms)])
        await metrics?.close()
      } finally {
        admission.close()
        await Promise.all([requestLog.stop(), keyUses.stop()])
      }
    },
  }
}
