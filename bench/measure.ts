/** The measurements: what the machine can do, how fast messages are accepted, and how fast they arrive at their destination. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Limits, LimitsOrder } from './limits-process.ts'
import type { LoadOrder, LoadReport } from './load-process.ts'
import type { PinnedProcess } from './pinned-process.ts'
import type { ServiceProcess } from './service-process.ts'
import type { SinkOrder, SinkReport } from './sink-process.ts'
import { median, percentile } from './statistics.ts'

export interface AcceptFigure {
  connections: number
  /** Answers with 200 a second. */
  accepted: number
  p50: number
  p99: number
  /** CPU-ms of the service for each accepted message. */
  cpu: number
}

export interface DeliveryRound {
  messages: number
  limits: Limits
  /** Messages a second from the start of the load to the last arrival at the sink. */
  delivered: number
  /** Messages a second from the start of the load to the last 200 answer. */
  accepted: number
  /** CPU-ms of the service for each message, until the queue was empty. */
  cpu: number
  /** Ms from the 200 answer to the arrival; negative when the message was there before the answer. */
  latencyMedian: number
  latencyP99: number
  /** `delivered` as a part of the RSA-2048 signatures a second of one CPU, measured just before. */
  ratio: number
  octets: number
  doubled: number
}

/** Recipients are numbered through the whole run, so that nothing late can be taken for another's. */
let nextNumber = 0

function refuseFailures(report: LoadReport): void {
  if (report.refused > 0) {
    throw new Error(`${report.refused} requests were not accepted, first: ${report.refusals.join(' | ')}`)
  }
}

export async function measureLimits(limits: PinnedProcess, order: LimitsOrder): Promise<Limits> {
  return limits.report<Limits>(order)
}

/**
 * Accepting alone: messages scheduled for twenty days from now are stored durably like any other and then left in peace, so nothing but
 * the way from the request to the commit is measured.
 */
export async function measureAccepting(
  load: PinnedProcess,
  service: ServiceProcess,
  connections: number,
  milliseconds: number,
): Promise<AcceptFigure> {
  const scheduledAt = new Date(Date.now() + 20 * 86_400_000).toISOString()
  const count = 2_000_000
  const order: LoadOrder = {
    port: service.port,
    target: { host: `127.0.0.1:${service.port}`, token: service.token, from: service.from, scheduledAt },
    connections,
    first: nextNumber % 50_000_000,
    count,
    milliseconds,
  }
  const cpuBefore = service.cpu()
  const report = await load.report<LoadReport>(order)
  refuseFailures(report)
  nextNumber += report.accepted
  const seconds = (report.endedAt - report.startedAt) / 1000
  return {
    connections,
    accepted: report.accepted / seconds,
    p50: percentile(report.latencies, 50),
    p99: percentile(report.latencies, 99),
    cpu: (service.cpu() - cpuBefore) / report.accepted,
  }
}

export interface DeliveryParts {
  load: PinnedProcess
  sink: PinnedProcess
  limits: PinnedProcess
  service: ServiceProcess
}

/** End to end: offered over `connections`, signed, delivered to the sink. Throws unless every message arrived exactly once. */
export async function measureDelivery(
  { load, sink, limits, service }: DeliveryParts,
  messages: number,
  connections: number,
): Promise<DeliveryRound> {
  const machine = await measureLimits(limits, { directory: service.directory, milliseconds: 1000 })
  const first = nextNumber
  nextNumber += messages
  const sinkOrder: SinkOrder = { first, count: messages, patience: 60_000 }
  sink.order(sinkOrder)
  await sink.hear()
  const cpuBefore = service.cpu()
  const loadOrder: LoadOrder = {
    port: service.port,
    target: { host: `127.0.0.1:${service.port}`, token: service.token, from: service.from },
    connections,
    first,
    count: messages,
  }
  const [offered, received] = await Promise.all([
    load.report<LoadReport>(loadOrder),
    sink.hear().then(({ report }) => report as SinkReport),
  ])
  refuseFailures(offered)
  if (received.arrived !== messages || received.doubled > 0 || received.strangers > 0) {
    throw new Error(
      `not exactly once: ${messages} offered, ${received.arrived} arrived, ${received.doubled} doubled, ${received.strangers} unknown`,
    )
  }
  // What is still being recorded after the last arrival belongs to the cost of the messages.
  await pause(500)
  const cpu = (service.cpu() - cpuBefore) / messages
  const lastArrival = received.arrivedAt.reduce((last, at) => Math.max(last, at), 0)
  const latencies = received.arrivedAt.map((at, index) => at - offered.answeredAt[index]!)
  const delivered = (messages * 1000) / (lastArrival - offered.startedAt)
  return {
    messages,
    limits: machine,
    delivered,
    accepted: (messages * 1000) / (offered.endedAt - offered.startedAt),
    cpu,
    latencyMedian: median(latencies),
    latencyP99: percentile(latencies, 99),
    ratio: delivered / machine.signatures,
    octets: received.octets,
    doubled: received.doubled,
  }
}
