/** The run's end of the sink process. */
import type { Zone } from '../harness/dns.ts'
import type { PublishedKeys } from '../harness/verify-dkim.ts'
import type { Arrival, FromSink, SinkRule, ToSink } from './arrival.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger } from './ledger.ts'
import { OtherSide } from './other-side.ts'

/** Port of the mail servers and address of the DNS server. */
export interface SinkAddress {
  port: number
  dns: string
}

export interface SinkStart {
  ledger: Ledger
  log: FaultLog
  /** Of the domain that is sent from: its keys, and all that DNS has of it. */
  keys: PublishedKeys
  zone: Zone
  /** Share of the messages whose signatures are verified. */
  verifyShare: number
}

export class SinkLink extends OtherSide<ToSink, FromSink, SinkRule, SinkAddress> {
  #ledger: Ledger | null = null
  #onArrival: (arrival: Arrival) => void = () => {}

  constructor() {
    super('sink', './sink-process.ts')
  }

  start({ ledger, log, keys, zone, verifyShare }: SinkStart): void {
    this.#ledger = ledger
    this.log = log
    this.say({ kind: 'start', seed: ledger.seed, keys: [...keys], verifyShare, zone })
  }

  /** Called with each message that arrives from now on. */
  onArrival(listener: (arrival: Arrival) => void): void {
    this.#onArrival = listener
  }

  dns(domain: number, answer: 'servfail' | 'silent' | 'right'): void {
    this.say({ kind: 'dns', domain, answer })
  }

  protected override hear(message: FromSink): void {
    for (const arrival of message.arrivals) {
      this.#ledger?.arrived(arrival)
      this.#onArrival(arrival)
    }
    for (const refusal of message.refusals) this.#ledger?.refusedForGood(refusal)
  }
}
