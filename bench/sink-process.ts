/** The counting sink, a process of its own: notes when each numbered recipient's message arrives, and how often. */
import { startSink } from '../test/support/sink.ts'
import { now } from './clock.ts'
import { recipientNumber } from './message.ts'

export interface SinkOrder {
  /** Recipients `first` to `first + count - 1` are expected; the report leaves when all have arrived, or after `patience` ms without a new one. */
  first: number
  count: number
  patience: number
}

export interface SinkReport {
  arrived: number
  /** Messages for a recipient that had one already. */
  doubled: number
  /** Messages for recipients nobody offered. */
  strangers: number
  /** Monotonic ms of the first arrival, by recipient number minus `first`; 0 where there was none. */
  arrivedAt: Float64Array
  /** Octets of a message on the wire, on average. */
  octets: number
}

let order: SinkOrder = { first: 0, count: 0, patience: 0 }
let arrivedAt = new Float64Array()
let arrived = 0
let doubled = 0
let strangers = 0
let octets = 0
let messages = 0
let watch: NodeJS.Timeout | undefined

function report(): void {
  clearTimeout(watch)
  const answer: SinkReport = {
    arrived,
    doubled,
    strangers,
    arrivedAt,
    octets: octets / Math.max(1, messages),
  }
  process.send?.({ report: answer })
}

const sink = await startSink({
  count: (recipients, size) => {
    messages++
    octets += size
    for (const recipient of recipients) {
      const index = recipientNumber(recipient) - order.first
      if (!(index >= 0 && index < order.count)) strangers++
      else if (arrivedAt[index] !== 0) doubled++
      else {
        arrivedAt[index] = now()
        if (++arrived === order.count) setTimeout(report, 300)
        else watch?.refresh()
      }
    }
  },
})

process.on('message', (next: SinkOrder) => {
  order = next
  arrivedAt = new Float64Array(next.count)
  arrived = doubled = strangers = octets = messages = 0
  watch = setTimeout(report, next.patience)
  process.send?.({ ready: true })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port: sink.port })
