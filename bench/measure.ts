/** The measurements: the limits of the machine, and the rates at which messages are accepted and delivered. */
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadOrder, LoadReport } from './load/order.ts'
import { MARK, type MessageShape } from './message.ts'
import type { BenchDatabase } from './service/database.ts'
import type { Limits, LimitsOrder } from './service/limits-process.ts'
import type { PinnedProcess } from './service/pinned-process.ts'
import { type Usage, wholeOf } from './service/process-usage.ts'
import type { ServiceProcess } from './service/service-process.ts'
import type { SinkOrder, SinkReport } from './sink/order.ts'
import { median, percentile } from './statistics.ts'

export interface AcceptFigure {
  connections: number
  /** Open loop: requests a second that were due. */
  offered?: number
  /** Answers with 200 a second. */
  accepted: number
  p50: number
  p99: number
  p999?: number
  /** CPU-ms of the service for each accepted message. */
  cpu: number
  /** CPU-ms of the load generator for each message. */
  loadCpu?: number
  /** CPU-ms of the PostgreSQL server for each message, when it is ours. */
  databaseCpu?: number
}

export interface DeliveryRound {
  messages: number
  /** Monotonic ms: the start of the load, and the last arrival. */
  from: number
  to: number
  limits: Limits
  /** Messages a second from the start of the load to the last arrival at the sink. */
  delivered: number
  /** Messages a second from the start of the load to the last 200 answer. */
  accepted: number
  /** CPU-ms of the service for each message, until the queue was empty. */
  cpu: number
  /** The same by thread name, without threads that take less than a hundredth. */
  threads?: Record<string, Usage>
  /** The same of the load generator, the sink, and the PostgreSQL server when it is ours. */
  loadCpu?: number
  sinkCpu?: number
  databaseCpu?: number
  /** Ms from the 200 answer to the arrival; negative when the message was there before the answer. */
  latencyMedian: number
  latencyP99: number
  /** `delivered` divided by the RSA-2048 signatures per second of one CPU, measured just before. */
  ratio: number
  octets: number
  doubled: number
}

export interface LatencyFigure {
  messages: number
  /** Requests a second that were due; null: one message at a time, with a rest after each. */
  offered: number | null
  /** Ms from the 200 answer to the arrival. */
  median: number
  p99: number
  /** Ms from when the request was due to the arrival. */
  wholeMedian: number
  wholeP99: number
}

export interface Parts {
  load: PinnedProcess
  sink: PinnedProcess
  limits: PinnedProcess
  service: ServiceProcess
  database: BenchDatabase
  shape: MessageShape
}

/** Milliseconds without an arrival after which a round is given up. */
const PATIENCE = 60_000

/** Connections of an open-loop run: more than are ever needed unless the service stalls. */
const OPEN_LOOP_CONNECTIONS = 100

/** Ms that an idle service rests between two messages. */
const REST = 20

/** Recipients are numbered through the whole run, so that a late message cannot be taken for one of another round. */
let nextNumber = 0

export function takeNumbers(count: number): number {
  const first = nextNumber
  nextNumber += count
  // Reported before hours are spent on the measurement.
  if (nextNumber > 10 ** MARK.length)
    throw new Error(`messages are numbered with ${MARK.length} digits: ${nextNumber} are too many`)
  return first
}

function refuseFailures(report: LoadReport): void {
  if (report.refused > 0) {
    throw new Error(`${report.refused} requests were not accepted, first: ${report.refusals.join(' | ')}`)
  }
}

export async function measureLimits(limits: PinnedProcess, order: LimitsOrder): Promise<Limits> {
  return limits.report<Limits>(order)
}

function target({ service, shape }: Parts): Extract<LoadOrder['target'], { protocol: 'http' }> {
  const { port, token, from } = service
  return { protocol: 'http', host: `127.0.0.1:${port}`, token, from, shape }
}

function submissionOf({ service, shape }: Parts, later: Date): Pick<LoadOrder, 'port' | 'target'> {
  const { submissionPort, token, from } = service
  if (submissionPort === null) throw new Error('the service takes no mail in over SMTP')
  const header = [`X-Mailgun-Deliver-By: ${later.toUTCString().replace('GMT', '+0000')}`]
  return { port: submissionPort, target: { protocol: 'smtp', token, from, shape, header } }
}

export interface AcceptingWay {
  connections: number
  milliseconds: number
  /** Requests per second, due whether or not answers arrive. Without a rate, each connection waits for its answer. */
  rate?: number
  /** The protocol of the requests; by default that of the JSON dialect. */
  protocol?: LoadOrder['target']['protocol']
}

/**
 * Accepting alone: messages scheduled for twenty days from now are stored durably like any other, and then wait, so that only
 * the path from the request to the commit is measured.
 */
export async function measureAccepting(parts: Parts, way: AcceptingWay): Promise<AcceptFigure> {
  const { load, service, database } = parts
  const { connections, milliseconds, rate, protocol = 'http' } = way
  const later = new Date(Date.now() + 20 * 86_400_000)
  const most = rate === undefined ? Math.ceil(milliseconds * 40) : Math.round((milliseconds * rate) / 1000)
  const order: LoadOrder = {
    ...(protocol === 'http'
      ? { port: service.port, target: { ...target(parts), scheduledAt: later.toISOString() } }
      : submissionOf(parts, later)),
    connections,
    first: takeNumbers(most),
    count: most,
    ...(rate === undefined ? { milliseconds } : { rate }),
  }
  const before = { service: service.cpu(), database: database.cpu() }
  const report = await load.report<LoadReport>(order)
  refuseFailures(report)
  const each = (cpu: number) => cpu / report.accepted
  return {
    connections,
    ...(rate === undefined ? {} : { offered: rate }),
    accepted: (report.accepted * 1000) / (report.endedAt - report.startedAt),
    p50: percentile(report.latencies, 50),
    p99: percentile(report.latencies, 99),
    p999: percentile(report.latencies, 99.9),
    cpu: each(service.cpu() - before.service),
    loadCpu: each(report.cpu),
    ...whenKnown('databaseCpu', each(database.cpu() - before.database)),
  }
}

/** Accepting at half of the best rate that was measured: latency as clients see it when nobody waits for the server. */
export async function measureAcceptingAtHalf(
  parts: Parts,
  measured: AcceptFigure[],
  milliseconds: number,
): Promise<AcceptFigure> {
  const rate = Math.max(...measured.map(({ accepted }) => accepted)) / 2
  return measureAccepting(parts, { connections: OPEN_LOOP_CONNECTIONS, milliseconds, rate })
}

function exactlyOnce(report: SinkReport, expected: number): SinkReport {
  const { arrived, doubled, strangers } = report
  if (arrived !== expected || doubled > 0 || strangers > 0) {
    throw new Error(
      `not exactly once: ${expected} offered, ${arrived} arrived, ${doubled} doubled, ${strangers} unknown`,
    )
  }
  return report
}

interface Delivered {
  offered: LoadReport
  received: SinkReport
}

/** Offers messages and awaits them at the sink. Throws unless every one arrived exactly once. */
export async function deliver(
  { load, sink }: Pick<Parts, 'load' | 'sink'>,
  order: Omit<LoadOrder, 'first'>,
): Promise<Delivered> {
  const { count } = order
  const first = takeNumbers(count)
  const sinkOrder: SinkOrder = { first, count, patience: PATIENCE }
  await sink.ask(sinkOrder)
  // The first of the two to give up ends the round: a system that hangs never answers the load generator.
  const [offered, received] = await Promise.all([
    load.report<LoadReport>({ ...order, first }).then((report) => {
      refuseFailures(report)
      return report
    }),
    sink.hear().then(({ report }) => exactlyOnce(report as SinkReport, count)),
  ])
  return { offered, received }
}

/**
 * End to end: offered over `connections` (with a rate: that many per second, whether or not answers arrive), signed, delivered to the sink. Throws
 * unless every message arrived exactly once.
 */
export async function measureDelivery(
  parts: Parts,
  messages: number,
  connections: number,
  rate?: number,
): Promise<DeliveryRound> {
  const { limits, service, database } = parts
  const machine = await measureLimits(limits, { directory: service.directory, milliseconds: 1000 })
  const before = { service: service.cpu(), threads: service.threads(), database: database.cpu() }
  const { offered, received } = await deliver(parts, {
    port: service.port,
    target: target(parts),
    count: messages,
    ...(rate === undefined ? { connections } : { connections: OPEN_LOOP_CONNECTIONS, rate }),
  })
  // Work on records after the last arrival belongs to the cost of the messages.
  await pause(500)
  const each = (cpu: number) => cpu / messages
  const latencies = received.arrivedAt.map((at, index) => at - offered.answeredAt[index]!)
  const [from, to] = [offered.startedAt, lastOf(received.arrivedAt)]
  const delivered = (messages * 1000) / (to - from)
  return {
    messages,
    from,
    to,
    limits: machine,
    delivered,
    accepted: (messages * 1000) / (offered.endedAt - offered.startedAt),
    cpu: each(service.cpu() - before.service),
    threads: threadsSince(before.threads, service.threads(), messages),
    loadCpu: each(offered.cpu),
    sinkCpu: each(received.cpu),
    ...whenKnown('databaseCpu', each(database.cpu() - before.database)),
    latencyMedian: median(latencies),
    latencyP99: percentile(latencies, 99),
    ratio: delivered / machine.signatures,
    octets: received.octets,
    doubled: received.doubled,
  }
}

/** One message at a time with a rest after each: what a message costs in time when nothing else is going on. */
export async function measureIdleLatency(parts: Parts, messages: number): Promise<LatencyFigure> {
  return latency(parts, { connections: 1, count: messages, pause: REST })
}

/** Messages due at a steady rate, whatever the answers do. */
export async function measureLatencyAt(
  parts: Parts,
  rate: number,
  milliseconds: number,
): Promise<LatencyFigure> {
  const count = Math.max(1, Math.round((rate * milliseconds) / 1000))
  return latency(parts, { connections: OPEN_LOOP_CONNECTIONS, count, rate })
}

async function latency(
  parts: Parts,
  way: Pick<LoadOrder, 'connections' | 'count' | 'pause' | 'rate'>,
): Promise<LatencyFigure> {
  const order = { port: parts.service.port, target: target(parts), ...way }
  const { offered, received } = await deliver(parts, order)
  const after = received.arrivedAt.map((at, index) => at - offered.answeredAt[index]!)
  const { rate } = way
  const whole =
    rate === undefined
      ? after.map((ms, index) => ms + offered.latencies[index]!)
      : received.arrivedAt.map((at, index) => at - (offered.startedAt + (index * 1000) / rate))
  return {
    messages: way.count,
    offered: rate ?? null,
    median: median(after),
    p99: percentile(after, 99),
    wholeMedian: median(whole),
    wholeP99: percentile(whole, 99),
  }
}

function lastOf(times: Float64Array): number {
  return times.reduce((last, at) => Math.max(last, at), 0)
}

function whenKnown<Name extends string>(name: Name, value: number): Partial<Record<Name, number>> {
  return Number.isNaN(value) ? {} : ({ [name]: value } as Record<Name, number>)
}

export function threadsSince(
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
  messages: number,
): Record<string, Usage> {
  const used = [...after].map(([name, { user, system }]): [string, Usage] => {
    const earlier = before.get(name) ?? { user: 0, system: 0 }
    return [name, { user: (user - earlier.user) / messages, system: (system - earlier.system) / messages }]
  })
  const all = used.reduce((sum, [, usage]) => sum + wholeOf(usage), 0)
  return Object.fromEntries(
    used
      .filter(([, usage]) => wholeOf(usage) >= all / 100)
      .sort(([, one], [, other]) => wholeOf(other) - wholeOf(one)),
  )
}
