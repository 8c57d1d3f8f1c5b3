/** A scheduler between a real store and a real SMTP server; faults of the store are put in between. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { NO_LIMITS, type SendingDomain } from '../../src/accounts/account.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { Seal } from '../../src/accounts/seal.ts'
import { NodeMembership } from '../../src/cluster/membership.ts'
import { type Clocks, SendingRight } from '../../src/cluster/sending-right.ts'
import { UnrecordedMessages } from '../../src/cluster/unrecorded-messages.ts'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import type { Courier, Delivery } from '../../src/delivery/delivery.ts'
import { PathFinder } from '../../src/delivery/path/path-finder.ts'
import { SourceChoice } from '../../src/delivery/path/source-choice.ts'
import { RouteCourier } from '../../src/delivery/route-courier.ts'
import { SigningKeys } from '../../src/delivery/signing-keys.ts'
import { openSiteTable } from '../../src/delivery/sites/sites-file.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { LinkTokens } from '../../src/email/mailed-links.ts'
import { createLogger } from '../../src/log.ts'
import { LoopMonitor } from '../../src/loop-monitor.ts'
import { Boundaries } from '../../src/mail/compose/boundary.ts'
import { Metrics } from '../../src/metrics.ts'
import type { ReadyLimits } from '../../src/queue/ready-queues.ts'
import { RetrySchedule } from '../../src/queue/retry-schedule.ts'
import { Scheduler } from '../../src/queue/scheduler.ts'
import { openStore } from '../../src/store/open.ts'
import {
  type AttemptRecord,
  type NewEmail,
  type NodeDescription,
  type Store,
  StoreUnavailable,
} from '../../src/store/store.ts'
import { email } from '../store/samples.ts'
import { type Script, type Sink, startSink } from '../support/sink.ts'

const LIMITS: ReadyLimits = {
  concurrency: 4,
  maxDeliveries: 100,
  maxBytes: 1_000_000,
  maxLargeBytes: 1_000_000,
}

/** Faults of a store; none of them is set at first. */
class StoreFaults {
  /** Records fail while this is set. */
  failing = false
  /** Asked for before each record. */
  onRecord: (attempt: AttemptRecord) => Promise<void> = () => Promise.resolve()
  /** What accepting fails with, while it is set. */
  refusing: Error | null = null
  /** Claims answered so far, and a callback for the beginning of each. */
  claims = 0
  onClaim = () => {}
  /** The emails that the scheduler last read as canceled. */
  cancelsRead: string[] = []
  /** Suppressions that it has read so far, and pauses that it read last. */
  readonly read = { added: 0, pauses: 0 }
  failed = Promise.withResolvers<void>()
  /** So often the next questions for pauses fail. */
  unread = 0

  /** `shared`: it says that other nodes may use the database too, as PostgreSQL's does. */
  wrap(store: Store, shared = store.shared): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'shared') return shared
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        if (name === 'accept') {
          return (...args: unknown[]) =>
            this.refusing === null ? value.apply(target, args) : Promise.reject(this.refusing)
        }
        if (name === 'claim') {
          return async (...args: unknown[]) => {
            this.onClaim()
            const emails = await value.apply(target, args)
            setImmediate(() => {
              this.claims += 1
            })
            return emails
          }
        }
        if (name === 'cancelRequests') {
          return async () => {
            this.cancelsRead = await target.cancelRequests()
            return this.cancelsRead
          }
        }
        if (name === 'suppressionsSince') {
          return async (cursor: string | null) => {
            const told = await target.suppressionsSince(cursor)
            setImmediate(() => {
              this.read.added += told.added.length
            })
            return told
          }
        }
        if (name === 'pauses') {
          return async (now: number) => {
            if (this.unread > 0) {
              this.unread -= 1
              throw new StoreUnavailable('the database is away')
            }
            const pauses = await target.pauses(now)
            setImmediate(() => {
              this.read.pauses = pauses.length
            })
            return pauses
          }
        }
        if (name !== 'record') return value.bind(target)
        return async (attempt: AttemptRecord) => {
          await this.onRecord(attempt)
          if (!this.failing) return await target.record(attempt)
          this.failed.resolve()
          throw new StoreUnavailable('the disk is full')
        }
      },
    })
  }
}

export interface Bench {
  /** Without the faults. */
  store: Store
  scheduler: Scheduler
  membership: NodeMembership
  right: SendingRight
  metrics: Metrics
  sink: Sink
  faults: StoreFaults
  domain: SendingDomain
  deliveries: Delivery[]
  /** What was logged as an error. */
  errors: string[]
  /** Accepts a message as intake does, under a lease when there is room. */
  accept(to: string, change?: Partial<NewEmail>): Promise<NewEmail>
}

export interface BenchOptions {
  script?: Script
  /** Ms that everything on the link to the server takes there and back. */
  link?: number
  limits?: Partial<ReadyLimits> & { siteConcurrency?: number }
  /** Milliseconds between attempts. */
  waits?: number[]
  /** False: the test starts the scheduler. */
  begun?: boolean
  /** Other nodes may share the database: this one beats, three times in so many milliseconds. Its right never ends by itself. */
  timeoutMs?: number
}

const NO_POOLS: [] = []

/** A clock on which no time passes. */
const STOPPED: Clocks = { monotonic: () => 0, wall: () => 0 }

export async function start(t: TestContext, options: BenchOptions = {}): Promise<Bench> {
  const directory = mkdtempSync(join(os.tmpdir(), 'postroad-scheduler-'))
  const { script, link = 0 } = options
  const sink = await startSink({ link, ...(script !== undefined && { script }) })
  const store = await openStore(
    { engine: 'sqlite', path: join(directory, 'postroad.db') },
    { exclusive: true },
  )
  const seal = new Seal(randomBytes(32))
  const company = { id: randomUUIDv7(), name: 'Acme', createdAt: Date.now(), limits: NO_LIMITS }
  await store.addCompany(company)
  const fresh = await newDomain({ companyId: company.id, name: 'acme.test', seal, ed25519: false })
  const domain: SendingDomain = { ...fresh, sending: 'active' }
  await store.addDomain(domain)
  const faults = new StoreFaults()
  const deliveries: Delivery[] = []
  const shared = options.timeoutMs !== undefined
  const right = shared ? new SendingRight(undefined, STOPPED) : new SendingRight()
  const errors: string[] = []
  const log = { info: () => {}, warn: () => {}, error: (_: object, message: string) => errors.push(message) }
  const metrics = new Metrics()
  const node: NodeDescription = {
    name: 'here',
    roles: ['api', 'delivery'],
    timeoutMs: options.timeoutMs ?? 30_000,
    since: Date.now(),
    machine: null,
  }
  const membership = new NodeMembership({
    claim: null,
    store: faults.wrap(store, shared),
    node,
    right,
    metrics,
    log,
  })
  await membership.start()
  const { siteConcurrency = 4, ...limits } = options.limits ?? {}
  const route = parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`)
  const common = { route, resolver: new Resolver(), hostname: 'postroad.test', allowPrivateNetworks: true }
  const unrecorded = new UnrecordedMessages(UnrecordedMessages.shared(64, 0))
  const courier = new RouteCourier({
    right,
    unrecorded,
    resolver: common.resolver,
    smtpPort: 25,
    allowPrivateNetworks: true,
    retrySchedule: [120_000],
    boundaries: new Boundaries(Buffer.alloc(32)),
    log: createLogger('silent'),
  })
  const noted: Courier = {
    deliver: (delivery, sharing) => {
      deliveries.push(delivery)
      return courier.deliver(delivery, sharing)
    },
    close: (ms) => courier.close(ms),
  }
  const scheduler = new Scheduler({
    store: faults.wrap(store),
    fullMailbox: null,
    membership,
    unrecorded,
    courier: noted,
    isolated: noted,
    accounts: {
      domain: (id) => (id === domain.id ? domain : undefined),
      domainsOf: (companyId) => (companyId === domain.companyId ? [domain] : []),
      company: () => undefined,
      signingDomain: () => domain,
      isRemoved: () => false,
      pools: () => NO_POOLS,
    },
    signingKeys: new SigningKeys(seal),
    links: null,
    linkTokens: new LinkTokens(seal),
    onTlsSessions: () => {},
    retrySchedule: new RetrySchedule(options.waits ?? [1, 1, 1]),
    paths: new PathFinder({
      ...common,
      sites: { table: openSiteTable({ sites: null, siteConcurrency }), listen() {} },
      siteConcurrency,
      maxDeliveries: 100,
      sources: new SourceChoice({
        addresses: null,
        hostname: common.hostname,
        pools: () => [],
        poolOf: () => null,
      }),
      ownRoute: () => null,
      seal,
    }),
    limits: { ...LIMITS, ...limits },
    monitor: new LoopMonitor(metrics.registry, createLogger('silent')),
    metrics,
    log,
  })
  const bench: Bench = {
    store,
    scheduler,
    membership,
    right,
    metrics,
    sink,
    faults,
    domain,
    deliveries,
    errors,
    accept: async (to, change) => {
      const value = { ...newEmail(company.id, domain.id, to), ...change }
      using place = scheduler.reserve(value)
      const accepted = await store.accept(value, place?.lease ?? null)
      assert.equal(accepted.kind, 'accepted')
      if (place === null) scheduler.waiting(value.dueAt)
      else place.begin(value, accepted.leased)
      return value
    },
  }
  t.after(async () => {
    await scheduler.stop(1_000)
    await membership.leave()
    await store.close()
    await sink.close()
    rmSync(directory, { recursive: true, force: true })
  })
  if (options.begun !== false) await scheduler.start()
  return bench
}

/** An email that is due now. */
export function newEmail(companyId: string, domainId: string, to: string): NewEmail {
  const now = Date.now()
  return email({ id: companyId }, [to], { domainId, createdAt: now, dueAt: now })
}

export async function stateOf(store: Store, { id }: NewEmail): Promise<{ state: string; attempts: number }> {
  const { state, attempts } = (await store.readHistory(id))!.recipients[0]!
  return { state, attempts }
}

/** Looks again after every turn of the event loop; the test's own time limit ends it. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

/** One session, in use until `release` is called; mail accepted meanwhile waits in memory. */
export async function occupied(t: TestContext, options: BenchOptions = {}) {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const bench = await start(t, {
    ...options,
    limits: { concurrency: 1, siteConcurrency: 1, ...options.limits },
    script: async ({ step }) => {
      if (step !== 'mail') return undefined
      begun.resolve()
      await held.promise
      return undefined
    },
  })
  const first = await bench.accept('first@x.test')
  await begun.promise
  return { ...bench, first, release: held.resolve }
}
