/** The store of a running service behind another HTTP server, which serves the given APIs. */
import assert from 'node:assert/strict'
import { LiveAccounts } from '../../src/accounts/live-accounts.ts'
import { planMemory } from '../../src/config/memory-plan.ts'
import { reportReceiver } from '../../src/domain-reports/received/report-receiver.ts'
import { Live } from '../../src/events/live.ts'
import { NoticeReader } from '../../src/events/notice-reader.ts'
import { Searches } from '../../src/events/searches.ts'
import type { ApiClass } from '../../src/http/api.ts'
import type { HttpDeps } from '../../src/http/deps.ts'
import { createServer, type HttpServer } from '../../src/http/server.ts'
import { noHandover } from '../../src/intake/handover.ts'
import { Intake } from '../../src/intake/intake.ts'
import { createLogger } from '../../src/log.ts'
import { LoopMonitor } from '../../src/loop-monitor.ts'
import { Metrics } from '../../src/metrics.ts'
import { operationOn } from '../../src/operate/open.ts'
import type { Workers } from '../../src/workers/workers.ts'
import type { Service } from '../support/service.ts'

export async function serveApis(
  service: Service,
  workers: Workers,
  apis: readonly ApiClass[],
  handedInMail: HttpDeps['handedInMail'] = { receive: () => assert.fail('no mail comes back here') },
): Promise<HttpServer> {
  const { store } = service
  const metrics = new Metrics()
  const settings = {
    ...service.settings,
    listen: { host: '127.0.0.1', port: 0 },
    maxMessageSize: 1_000_000,
    metrics: 'same' as const,
  }
  const log = createLogger('silent')
  const accounts = new LiveAccounts({ source: store, onFault: assert.fail, onLook: () => {} })
  await accounts.refresh()
  const intake = { store, accounts, handover: noHandover, deriveText: () => '', limits: settings, metrics }
  return createServer(
    {
      api: true,
      settings,
      plan: planMemory(settings),
      monitor: new LoopMonitor(metrics.registry, log),
      accounts,
      intake: new Intake(intake),
      workers,
      submission: () => [],
      remoteFiles: { fetch: () => assert.fail('no file is fetched here') },
      systemMail: null,
      store,
      searches: new Searches({ store, noticeReader: new NoticeReader(store) }),
      live: new Live({ store, onFault: (error) => assert.fail(String(error)) }),
      operation: (caller) =>
        operationOn(service.settings, store, caller, accounts.directory.snapshot, { seal: service.app.seal }),
      seal: service.app.seal,
      ask: () => assert.fail('no other server is asked here'),
      handedInMail,
      derive: (purpose) => service.app.seal.derive(purpose),
      domainReports: reportReceiver({
        store,
        workers,
        heldDomain: (name) => accounts.directory.heldDomain(name),
        now: Date.now,
      }),
      registry: metrics.registry,
      log,
      version: '0.0.0',
      ready: (room) => store.probe(room),
    },
    apis,
  )
}
