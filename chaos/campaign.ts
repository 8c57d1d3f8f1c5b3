/** One run from its first process to its report: set up, load, faults at random times, peace, count. */
import { createWriteStream, mkdirSync, type WriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../harness/clock.ts'
import { zoneOf } from '../harness/dns.ts'
import { Preload } from '../harness/preload/preload.ts'
import { Random, seedFor } from '../harness/random.ts'
import { Installation } from '../harness/service/installation.ts'
import type { Tenant } from '../harness/service/tenant.ts'
import type { Settings } from '../src/config/settings.ts'
import { countArrivals, earlyArrivals } from './count.ts'
import { ChaosDatabase, NODE_TIMEOUT } from './database.ts'
import { drain } from './drain.ts'
import { FAULT_KINDS, type Fault, type FaultKind, FaultLog } from './fault-log.ts'
import { clockFaults } from './faults/clock.ts'
import { databaseFaults } from './faults/database.ts'
import { diskFaults } from './faults/disk.ts'
import { networkFaults } from './faults/network.ts'
import { outsideFaults } from './faults/outside.ts'
import { policyFaults } from './faults/policy.ts'
import { processFaults } from './faults/process.ts'
import { sourceFaults } from './faults/sources.ts'
import { threadFaults } from './faults/thread.ts'
import { hostNames, makeNodes } from './fleet.ts'
import { KnownPolicies } from './known-policies.ts'
import { Ledger } from './ledger.ts'
import { AT_ONCE, Load } from './load.ts'
import { SENDING_DOMAIN } from './mail.ts'
import type { ChaosNode } from './node.ts'
import type { ChaosOptions } from './options.ts'
import { OverHttp } from './over-http.ts'
import { Place, removeLeftovers } from './place.ts'
import { progressLine } from './progress.ts'
import type { ChaosReport } from './report.ts'
import { checkReports } from './reports/check.ts'
import { Reports } from './reports/reports.ts'
import { settingsFor } from './settings.ts'
import { SinkLink } from './sink-link.ts'
import { SOURCES_TERM, SourceAddresses } from './source-addresses.ts'
import type { FaultMaker, Stage } from './stage.ts'
import { checkStored } from './stored.ts'
import { strikeAll } from './striking.ts'
import { ChaosWebhooks } from './webhooks/webhooks.ts'

/** Time between two lines about the progress, in ms. */
const PROGRESS_MS = 10_000
/** Ms within which each node has delivered to each domain with a policy. */
const POLICY_PATIENCE = 60_000
/** Lost and refused messages that are named. */
const SHOWN = 30

export class Campaign {
  readonly #options: ChaosOptions
  readonly #stack = new AsyncDisposableStack()
  readonly #log: FaultLog
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #faultFile: WriteStream | null
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
    const outside = await sink.listening()
    const sources = this.#wants('source') ? this.#addSources() : null
    const settings = {
      ...settingsFor(postgres?.url ?? `sqlite:${file}`, outside),
      NODE_EXTRA_CA_CERTS: join(place.directory, 'authority.pem'),
    }
    writeFileSync(settings.NODE_EXTRA_CA_CERTS, outside.authority)
    if (this.#wants('policy') && outside.noPolicies !== null) this.#miss('policy', outside.noPolicies)
    const stored: Settings['database'] = postgres?.settings ?? { engine: 'sqlite', path: file }
    const installation = this.#stack.use(new Installation({ settings, directory: place.directory }))
    const tenant = await installation.addTenant(SENDING_DOMAIN)
    const zone = {
      ...zoneOf(tenant.records),
      ...hostNames(),
      // Nodes check the record for their own host names and source addresses, once a day and after the clock steps.
      [`bounces.${SENDING_DOMAIN}/TXT`]: [`v=spf1 a:out.chaos.test ip4:127.0.0.1 ${SOURCES_TERM} ~all`],
    }
    sink.start({ ledger: this.#ledger, log: this.#log, keys: tenant.keys, zone, verifyShare })
    await sink.settled()
    // From here on MAIL FROM is the return path.
    await installation.command('domain', 'verify', SENDING_DOMAIN)
    await webhooks.start(installation, tenant, this.#log, stored)

    this.#log.nodeTimeout = postgres === null ? null : NODE_TIMEOUT
    this.#nodes = await makeNodes({
      ...{ installation, postgres, seed, log: this.#log, keep: this.#options.keep },
      ...{ preload: this.#preload, inspected: this.#wants('thread') },
      sources: sources?.all ?? [],
    })
    await Promise.all(this.#nodes.map((node) => node.start()))
    const http = new OverHttp(AT_ONCE)
    this.#stack.defer(() => http.close())
    const targets = () =>
      this.#nodes.flatMap(({ url, submissionPort: smtpPort, bouncePort }) =>
        url === null || smtpPort === null || bouncePort === null ? [] : [{ url, smtpPort, bouncePort }],
      )
    const load = new Load({ ledger: this.#ledger, token: tenant.token, rate, http, targets })
    this.#stack.defer(() => load.abort())
    const reports = new Reports({
      ledger: this.#ledger,
      token: await reportingKey(installation, tenant),
      http,
      targets,
      hangUps: () => load.hangUps,
    })
    this.#stack.defer(() => reports.abort())
    const policies = new KnownPolicies(this.#nodes)
    sink.onArrival((arrival) => {
      reports.arrived(arrival)
      policies.arrived(arrival)
    })
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
      ...(sources === null ? [] : sourceFaults(stage, sources)),
      ...(outside.noPolicies === null ? policyFaults(stage) : []),
    ].filter(({ kind }) => this.#wants(kind))
    this.#noteMissing(makers)

    const began = now()
    const progress = setInterval(() => {
      this.#options.onProgress(progressLine(began, this.#ledger, this.#log, load))
    }, PROGRESS_MS)
    this.#stack.defer(() => clearInterval(progress))
    load.start()
    if (outside.noPolicies === null && !(await policies.known(POLICY_PATIENCE)))
      this.#invalid.push('the nodes did not learn the policies in time')
    const over = setTimeout(() => this.#end.abort(), minutes * 60_000)
    this.#stack.defer(() => clearTimeout(over))
    await strikeAll(stage, makers, {
      ...{ random: this.#random, every: this.#options.every },
      onWrong: (what) => this.#invalid.push(what),
    })
    const peaceAt = now()
    for (const { settle } of makers) settle?.()

    await load.finish()
    const { patience } = this.#options
    const left = await drain({
      ...{ installation, sink, ledger: this.#ledger, patience },
      aborted: () => this.#aborted,
    })
    if (left !== null) this.#invalid.push(left)
    const unreported = await reports.finish(patience * 1_000)
    if (unreported !== null) this.#invalid.push(unreported)
    await webhooks.drain(stored, patience * 1_000, () => this.#aborted !== null)
    const drainedAt = now()
    clearInterval(progress)
    for (const end of await Promise.all(this.#nodes.map((node) => node.end(30_000)))) {
      if (end !== '0') this.#invalid.push(`a node did not stop well in the end: ${end}`)
    }
    await sink.settled()
    this.#options.onProgress('comparing what arrived with what the store says; that may take minutes')
    const records = await checkStored(stored, this.#ledger, this.#log, reports).catch((error: unknown) => {
      this.#invalid.push(`the store cannot be read: ${String(error)}`)
      return null
    })
    const told = await webhooks.check(stored).catch((error: unknown) => {
      this.#invalid.push(`the log of events cannot be read: ${String(error)}`)
      return null
    })
    const reported = await checkReports(stored, reports.all).catch((error: unknown) => {
      this.#invalid.push(`the reports cannot be read: ${String(error)}`)
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
      reports: reported,
      surprises: [...load.surprises, ...reports.surprises],
      surpriseCount: load.surpriseCount + reports.surpriseCount,
      crashes: this.#nodes.flatMap(({ crashes }) => crashes),
      failedStarts: this.#nodes.reduce((sum, { failedStarts }) => sum + failedStarts, 0),
      invalid: this.#invalid,
    }
  }

  #wants(kind: FaultMaker['kind']): boolean {
    return this.#options.faults?.includes(kind) ?? true
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

  #addSources(): SourceAddresses | null {
    const sources = SourceAddresses.add()
    if (typeof sources !== 'string') return this.#stack.use(sources)
    this.#miss('source', sources)
    return null
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

  #tell(fault: Fault, over: boolean): void {
    this.#faultFile?.write(`${JSON.stringify({ at: Math.round(now()), over, ...fault })}\n`)
  }
}

/** A key that hands in mail that came back. */
async function reportingKey(installation: Installation, { companyId }: Tenant): Promise<string> {
  const named = ['--company', companyId, '--name', 'reports', '--scope', 'management']
  return (await installation.command<{ token: string }>('key', 'create', ...named)).token
}
