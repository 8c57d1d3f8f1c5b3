/** A service under steady load with some hostile peers, observed from outside and, thread by thread, from inside. */
import { setTimeout as pause } from 'node:timers/promises'
import { processMemory } from '../../harness/service/process-memory.ts'
import { ThreadInspector, type ThreadSample } from '../../harness/thread-inspector.ts'
import type { LoadReport } from '../load/order.ts'
import { measureDelivery, type Parts, takeNumbers } from '../measure.ts'
import { domainName, USUAL_SHAPE } from '../message.ts'
import { Rig, type RigChoice } from '../rig.ts'
import { openFiles } from '../service/process-usage.ts'
import type { SinkReport } from '../sink/order.ts'
import { SOAK_DOMAINS, soakPeers, soakZone } from './peers.ts'

/** Milliseconds between two checks of a condition that is awaited. */
const LOOK = 200

/** Connections that offer the load: more are never needed unless the service stalls. */
const CONNECTIONS = 50

export interface NodeSample {
  /** Octets. */
  resident: number
  files: number
  threads: ThreadSample[]
}

export interface SoakSample {
  /** Seconds since the start. */
  at: number
  /** Emails accepted so far. */
  accepted: number
  /** Unfinished recipients. */
  queue: number
  nodes: NodeSample[]
}

export interface SoakChoice extends Pick<RigChoice, 'cpus' | 'database' | 'parent' | 'nodes' | 'settings'> {
  seed: number
  /** Messages of the run at most. */
  most: number
  /** POSTROAD_RETRY_SCHEDULE: long enough that nothing fails for having been deferred too often. */
  retries: string
}

export interface SoakEnd {
  accepted: number
  arrived: number
  /** Recipients refused for good. */
  bounced: number
  doubled: number
  /** The recipients of the first few: the domain shows the peer. */
  doubles: string[]
  strangers: number
}

export class SoakRun implements AsyncDisposable {
  readonly #rig: Rig
  readonly #parts: Parts
  readonly #inspectors: ThreadInspector[]
  readonly #startedAt = performance.now()
  readonly #first: number
  #accepted = 0
  #offered = 0

  private constructor(rig: Rig, parts: Parts, inspectors: ThreadInspector[], first: number) {
    this.#rig = rig
    this.#parts = parts
    this.#inspectors = inspectors
    this.#first = first
  }

  /** Starts everything. */
  static async start(choice: SoakChoice): Promise<SoakRun> {
    const rig = await Rig.start({
      ...choice,
      route: 'direct',
      shape: { ...USUAL_SHAPE, domains: SOAK_DOMAINS },
      peers: soakPeers(),
      zone: soakZone(),
      settings: {
        POSTROAD_METRICS_LISTEN: 'same',
        POSTROAD_RETRY_SCHEDULE: choice.retries,
        NODE_OPTIONS: '--inspect=127.0.0.1:0',
        ...choice.settings,
      },
    })
    try {
      const parts = await rig.serve()
      const inspectors: ThreadInspector[] = []
      for (const address of parts.service.inspectors) {
        if (address === null) throw new Error('a node did not tell the address of its inspector')
        inspectors.push(await ThreadInspector.connect(address))
      }
      const first = takeNumbers(choice.most)
      await rig.sink.ask({ first, count: choice.most })
      return new SoakRun(rig, parts, inspectors, first)
    } catch (error) {
      await rig[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Messages per second that arrive at full load while all peers accept mail. They do not count in the run. */
  static async fullLoad(choice: SoakChoice, messages: number): Promise<number> {
    await using rig = await Rig.start({ ...choice, route: 'direct', shape: USUAL_SHAPE })
    const parts = await rig.serve()
    await measureDelivery(parts, Math.min(1_000, messages), 20)
    return (await measureDelivery(parts, messages, 20)).delivered
  }

  /** Offers messages at a steady rate for a time in seconds. Resolves when all of them have been answered. */
  async offer(rate: number, seconds: number): Promise<void> {
    const count = Math.round(rate * seconds)
    const { port, token, from } = this.#parts.service
    const report = await this.#rig.load.report<LoadReport>({
      port,
      target: { protocol: 'http', host: `127.0.0.1:${port}`, token, from, shape: this.#parts.shape },
      connections: CONNECTIONS,
      first: this.#first + this.#offered,
      count,
      rate,
    })
    this.#offered += count
    this.#accepted += report.accepted
    if (report.refused > 0)
      throw new Error(`${report.refused} requests refused: ${report.refusals.join(' | ')}`)
  }

  async sample(): Promise<SoakSample> {
    const nodes: NodeSample[] = []
    for (const [index, pid] of this.#parts.service.pids.entries()) {
      nodes.push({
        threads: await this.#inspectors[index]!.sample(),
        resident: processMemory(pid).resident,
        files: openFiles(pid),
      })
    }
    return {
      at: (performance.now() - this.#startedAt) / 1000,
      accepted: this.#accepted,
      queue: await this.queue(),
      nodes,
    }
  }

  /** Unfinished recipients. */
  async queue(): Promise<number> {
    const [page = ''] = await this.#pages()
    return (
      seriesOf(page, 'postroad_recipients{state="waiting"}') +
      seriesOf(page, 'postroad_recipients{state="sending"}')
    )
  }

  /** Every peer accepts mail from now on. All open sessions end, hanging ones included. */
  async heal(): Promise<void> {
    await this.#rig.sink.ask({ heal: true })
  }

  /** The peers return to the behaviour that they were started with. */
  async spoil(): Promise<void> {
    await this.#rig.sink.ask({ spoil: true })
  }

  /** Resolves when every recipient is finished. `patience`: milliseconds after which it rejects. */
  async drained(patience: number): Promise<void> {
    for (const giveUp = performance.now() + patience; ; await pause(LOOK)) {
      const left = await this.queue()
      if (left === 0) return
      if (performance.now() > giveUp) throw new Error(`${left} recipients are still unfinished`)
    }
  }

  /** The final states of all recipients. Only valid when the queue is empty. */
  async end(): Promise<SoakEnd> {
    const report = await this.#rig.sink.report<SinkReport>({ report: true })
    const { arrived, doubled, doubles, strangers } = report
    const pages = await this.#pages()
    const bounced = pages.reduce(
      (sum, page) => sum + seriesOf(page, 'postroad_recipient_outcomes_total{verdict="bounced"}'),
      0,
    )
    return {
      accepted: this.#accepted,
      arrived,
      bounced,
      doubled,
      doubles: doubles.map((number) => `n${number}@${domainName(number % SOAK_DOMAINS)}`),
      strangers,
    }
  }

  /** Warnings of Node.js that an emitter has more and more listeners, as the nodes logged them. */
  listenerWarnings(): number {
    const lines = this.#parts.service.logs().flat()
    return lines.filter((line) => line.includes('MaxListenersExceededWarning')).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const inspector of this.#inspectors) inspector.close()
    await this.#rig[Symbol.asyncDispose]()
  }

  async #pages(): Promise<string[]> {
    return Promise.all(
      this.#parts.service.urls.map(async (url) => (await fetch(new URL('/metrics', url))).text()),
    )
  }
}

/** The value of a metric; 0 if the page does not have it. */
function seriesOf(page: string, series: string): number {
  const line = page.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? 0 : Number(line.slice(series.length + 1))
}
