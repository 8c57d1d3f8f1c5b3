/** One run from its first process to its report: set up, load, faults at random times, peace, count. */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../harness/clock.ts'
import { Preload } from '../harness/preload/preload.ts'
import { Random, seedFor } from '../harness/random.ts'
import { Installation, type Settings as Variables } from '../harness/service/installation.ts'
import type { Settings } from '../src/config/settings.ts'
import { countArrivals, earlyArrivals } from './count.ts'
import { ChaosDatabase, NODE_TIMEOUT } from './database.ts'
import { FAULT_KINDS, type Fault, type FaultKind, FaultLog } from './fault-log.ts'
import { clockFaults } from './faults/clock.ts'
import { databaseFaults } from './faults/database.ts'
import { diskFaults } from './faults/disk.ts'
import { networkFaults } from './faults/network.ts'
import { outsideFaults } from './faults/outside.ts'
import { processFaults } from './faults/process.ts'
import { threadFaults } from './faults/thread.ts'
import { Ledger } from './ledger.ts'
import { Load } from './load.ts'
import { SENDING_DOMAIN } from './mail.ts'
import { ChaosNode } from './node.ts'
import type { ChaosOptions } from './options.ts'
import { Place, removeLeftovers } from './place.ts'
import type { ChaosReport } from './report.ts'
import { settingsFor } from './settings.ts'
import { SinkLink } from './sink-link.ts'
import type { FaultMaker, Stage } from './stage.ts'
import { checkStored } from './stored.ts'
import { ChaosWebhooks } from './webhooks/webhooks.ts'

/** Time between two lines about the progress, in ms. */
const PROGRESS_MS = 10_000
/** Faults that last at once, at most. */
const AT_ONCE = 4
/** Lost and refused messages that are named. */
const SHOWN = 30

export class Campaign {
  readonly #options: ChaosOptions
  readonly #stack = new AsyncDisposableStack()
  readonly #log: FaultLog
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #faultFile: WriteStream | null
  readonly #underWay = new Set<Promise<void>>()
  readonly #end = new AbortController()
  readonly #invalid: string[] = []
  readonly #missing: Record<string, string> = {}
  #nodes: ChaosNode[] = []
  #preload: Preload | null = null
  #aborted: string | null = null

  constructor(options: ChaosOptions) {
    this.#options = options
    this.#ledger = new Ledger(options.seed)
    this.#random = new Random(seedFor(options.seed, 'faults'))
    if (options.keep !== null) mkdirSync(options.keep, { recursive: true })
    this.#faultFile = options.keep === null ? null : createWriteStream(join(options.keep, 'faults.jsonl'))
    this.#log = new FaultLog((fault, over) => this.#tell(fault, over))
  }

  /** Ends the faults now; what was accepted is still counted. A second call gives up on that, too. */
  interrupt(): void {
    if (this.#end.signal.aborted) {
      this.#aborted = 'interrupted while draining'
      for (const node of this.#nodes) node.kill()
    }
    this.#end.abort()
  }

  async run(): Promise<ChaosReport> {
    try {
      return await this.#run()
    } finally {
      this.#end.abort()
      for (const node of this.#nodes) node.kill()
      await this.#stack.disposeAsync()
      this.#faultFile?.end()
    }
  }

  async #run(): Promise<ChaosReport> {
    const { database, seed, minutes, rate, verifyShare } = this.#options
    const startedAt = new Date().toISOString()
    removeLeftovers()
    const place = new Place(this.#wants('disk-full') && database === 'sqlite')
    this.#stack.defer(() => place.remove())
    this.#preload = this.#compilePreload(place)
    const sink = new SinkLink()
    this.#stack.defer(() => sink.close())
    const webhooks = this.#stack.use(new ChaosWebhooks(seed))
    for (const side of [sink, webhooks.receiver]) {
      side.onFailure = (message) => {
        this.#invalid.push(message)
        this.#end.abort()
      }
    }
    const postgres = database === 'postgres' ? this.#stack.use(await ChaosDatabase.start()) : null
    const file = join(place.data, 'postroad.db')
    const settings = settingsFor(postgres?.url ?? `sqlite:${file}`, await sink.listening())
    const stored: Settings['database'] = postgres?.settings ?? { engine: 'sqlite', path: file }
    const installation = this.#stack.use(new Installation({ settings, directory: place.directory }))
    const tenant = await installation.addTenant(SENDING_DOMAIN)
    sink.start(this.#ledger, this.#log, tenant.keys, verifyShare)
    await webhooks.start(installation, tenant, this.#log)

    this.#log.nodeTimeout = postgres === null ? null : NODE_TIMEOUT
    this.#nodes =
      postgres === null
        ? [this.#node('n1', ['api', 'delivery'], installation)]
        : await this.#fleet(postgres, installation)
    await Promise.all(this.#nodes.map((node) => node.start()))
    const load = new Load({
      ledger: this.#ledger,
      token: tenant.token,
      rate,
      targets: () =>
        this.#nodes.flatMap(({ url, submissionPort: smtpPort }) =>
          url === null || smtpPort === null ? [] : [{ url, smtpPort }],
        ),
    })
    this.#stack.defer(() => load.abort())
    const stage: Stage = {
      random: this.#random,
      log: this.#log,
      nodes: this.#nodes,
      sink,
      receiver: webhooks.receiver,
      load,
      preload: this.#preload,
      disk: place.mounted ? place.data : null,
      nodeTimeout: this.#log.nodeTimeout,
      wait: (ms) => pause(ms, undefined, { signal: this.#end.signal }).catch(() => {}),
      over: () => this.#end.signal.aborted,
    }
    const makers = [
      ...processFaults(stage),
      ...threadFaults(stage),
      ...outsideFaults(stage),
      ...(postgres === null ? diskFaults(stage) : databaseFaults(stage, postgres)),
      ...(postgres === null ? [] : networkFaults(stage, postgres, NODE_TIMEOUT)),
      ...clockFaults(stage),
    ].filter(({ kind }) => this.#wants(kind))
    this.#noteMissing(makers)

    const began = now()
    const progress = setInterval(() => this.#progress(began, load), PROGRESS_MS)
    this.#stack.defer(() => clearInterval(progress))
    load.start()
    const over = setTimeout(() => this.#end.abort(), minutes * 60_000)
    this.#stack.defer(() => clearTimeout(over))
    await this.#strike(stage, makers)
    const peaceAt = now()
    for (const { settle } of makers) settle?.()

    await load.finish()
    await this.#drain(installation, sink)
    await webhooks.drain(stored, this.#options.patience * 1_000, () => this.#aborted !== null)
    const drainedAt = now()
    clearInterval(progress)
    for (const end of await Promise.all(this.#nodes.map((node) => node.end(30_000)))) {
      if (end !== '0') this.#invalid.push(`a node did not stop well in the end: ${end}`)
    }
    await sink.settled()
    this.#options.onProgress('comparing what arrived with what the store says; that may take minutes')
    const records = await checkStored(stored, this.#ledger, this.#log).catch((error: unknown) => {
      this.#invalid.push(`the store cannot be read: ${String(error)}`)
      return null
    })
    const told = await webhooks.check(stored).catch((error: unknown) => {
      this.#invalid.push(`the log of events cannot be read: ${String(error)}`)
      return null
    })
    const early = earlyArrivals(this.#ledger, this.#log, peaceAt)
    const { doubles, lost, refusedButSent, afterFailedSync, afterLostCommit } = countArrivals(
      this.#ledger,
      this.#log,
    )
    const ledger = this.#ledger
    return {
      database,
      seed,
      startedAt,
      faultSeconds: (peaceAt - began) / 1_000,
      drainSeconds: (drainedAt - peaceAt) / 1_000,
      nodes: this.#nodes.length,
      faults: this.#log.counts(),
      missing: this.#missing,
      requests: load.requests,
      answers: load.answers,
      unanswered: load.lost,
      messages: ledger.fates,
      acceptedRecipients: ledger.acceptedRecipients,
      arrivedRecipients: ledger.arrivedOnce,
      transactions: ledger.transactions,
      signaturesVerified: ledger.verified,
      refusedForGood: ledger.recipientRefusals,
      lost: lost.slice(0, SHOWN),
      lostCount: lost.length,
      doubled: doubles.counts,
      oldest: doubles.oldest,
      unexplained: doubles.unexplained,
      different: doubles.different,
      elsewhere: doubles.elsewhere,
      refusedButSent: refusedButSent.slice(0, SHOWN),
      refusedButSentCount: refusedButSent.length,
      sentAfterFailedSync: afterFailedSync,
      sentAfterLostCommit: afterLostCommit,
      early: early.slice(0, SHOWN),
      earlyCount: early.length,
      wrongMessages: ledger.wrong,
      wrongCount: ledger.wrongCount,
      strangers: ledger.strangers,
      stored: records,
      webhooks: told,
      surprises: load.surprises,
      surpriseCount: load.surpriseCount,
      crashes: this.#nodes.flatMap(({ crashes }) => crashes),
      failedStarts: this.#nodes.reduce((sum, { failedStarts }) => sum + failedStarts, 0),
      invalid: this.#invalid,
    }
  }

  #wants(kind: FaultMaker['kind']): boolean {
    return this.#options.faults?.includes(kind) ?? true
  }

  /** Two nodes that take mail in and two that deliver it, each with a way of its own to the database. */
  async #fleet(postgres: ChaosDatabase, installation: Installation): Promise<ChaosNode[]> {
    const roles = { a1: 'api', a2: 'api', d1: 'delivery', d2: 'delivery' } as const
    const nodes = Object.entries(roles).map(async ([name, role]) => {
      const own = {
        POSTROAD_DATABASE_URL: await postgres.urlFor(name),
        POSTROAD_ROLES: role,
        POSTROAD_NODE_NAME: name,
        POSTROAD_NODE_TIMEOUT: `${NODE_TIMEOUT}ms`,
      }
      return this.#node(name, [role], installation, own)
    })
    return await Promise.all(nodes)
  }

  #node(
    name: string,
    roles: ('api' | 'delivery')[],
    installation: Installation,
    own: Variables = {},
  ): ChaosNode {
    const random = new Random(seedFor(this.#options.seed, 'node', name))
    return new ChaosNode({
      name,
      roles,
      installation,
      settings: {
        ...own,
        ...(this.#wants('thread') && { NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
        ...this.#preload?.environment(name),
      },
      log: this.#log,
      keep: this.#options.keep,
      restartAfter: () => random.between(0, 1_000),
    })
  }

  /** Null where none of its kinds is wanted, or it cannot be had: then these kinds are missing. */
  #compilePreload(place: Place): Preload | null {
    const { database } = this.#options
    const kinds = (database === 'sqlite' ? ['io-error', 'slow-disk', 'clock'] : ['clock']) as FaultKind[]
    const wanted = kinds.filter((kind) => this.#wants(kind))
    if (database === 'sqlite' && this.#wants('disk-full') && !place.mounted)
      this.#miss('disk-full', 'a file system can be mounted only by root, on a loop device with mkfs.ext4')
    if (wanted.length === 0) return null
    const preload = Preload.compile(place.directory, place.data)
    if (typeof preload === 'string') {
      for (const kind of wanted) this.#miss(kind, preload)
      return null
    }
    this.#stack.defer(() => preload.close())
    return preload
  }

  #miss(kind: FaultKind, reason: string): void {
    this.#missing[kind] = reason
    this.#options.onProgress(`NOT RUN: ${kind}: ${reason}`)
  }

  #noteMissing(makers: FaultMaker[]): void {
    const there = new Set(makers.map(({ kind }) => kind))
    for (const kind of FAULT_KINDS) {
      if (!this.#wants(kind) || there.has(kind) || kind in this.#missing) continue
      if (this.#options.faults !== null) this.#missing[kind] = 'not possible with this store'
    }
  }

  /** Faults, one after the other and at most a few at once, until the time is over. */
  async #strike(stage: Stage, makers: FaultMaker[]): Promise<void> {
    const weights = makers.map((maker) => [maker, maker.weight] as const)
    const mean = this.#options.every * 1_000
    while (!stage.over()) {
      // Exponentially distributed, as of things that happen independently.
      await stage.wait(Math.min(10 * mean, -Math.log(1 - this.#random.next()) * mean))
      if (stage.over() || weights.length === 0) continue
      const maker = this.#random.weighted(weights)
      if (this.#underWay.size >= AT_ONCE) continue
      const work = maker.strike().catch((error: unknown) => {
        this.#invalid.push(`the fault ${maker.kind} went wrong: ${String(error)}`)
      })
      this.#underWay.add(work)
      void work.finally(() => this.#underWay.delete(work))
    }
    await Promise.all(this.#underWay)
  }

  /** Waits until nothing is left to be delivered. Gives up when nothing has happened for too long. */
  async #drain(installation: Installation, sink: SinkLink): Promise<void> {
    let lastChange = now()
    let before = ''
    while (this.#aborted === null) {
      await pause(500)
      const left = await installation.queued()
      await sink.settled()
      if (left === 0) return
      const state = `${left} ${this.#ledger.arrivedAll}`
      if (state !== before) lastChange = now()
      before = state
      if (now() - lastChange < this.#options.patience * 1_000) continue
      this.#invalid.push(
        left === null
          ? 'the queue could not be read in the end'
          : `${left} recipients are still queued, and nothing has happened for ${this.#options.patience} s`,
      )
      return
    }
    this.#invalid.push(this.#aborted)
  }

  #progress(began: number, load: Load): void {
    const { fates, arrivedOnce, arrivedAll, acceptedRecipients, arrivedAccepted } = this.#ledger
    const minutes = Math.floor((now() - began) / 60_000)
    const rest = Math.floor(((now() - began) / 1_000) % 60)
    const lasting = this.#log.all
      .filter(({ until }) => until === Number.POSITIVE_INFINITY)
      .map(({ kind }) => kind)
    const struck = this.#log.all.length
    this.#options.onProgress(
      `${String(minutes).padStart(3)}:${String(rest).padStart(2, '0')}  accepted ${fates.accepted}  arrived ${arrivedOnce}` +
        `  on the way ${acceptedRecipients - arrivedAccepted}  doubled ${arrivedAll - arrivedOnce}` +
        `  503 ${load.answers[503] ?? 0}  faults ${struck}` +
        `${lasting.length > 0 ? ` (now: ${lasting.join(', ')})` : ''}`,
    )
  }

  #tell(fault: Fault, over: boolean): void {
    this.#faultFile?.write(`${JSON.stringify({ at: Math.round(now()), over, ...fault })}\n`)
  }
}
