/** The run's end of the sink process. */
import type { Zone } from '../harness/dns.ts'
import type { PublishedKeys } from '../harness/verify-dkim.ts'
import type { Arrival, DnsAnswer, FromSink, HostDeed, SinkRule, ToSink } from './arrival.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger } from './ledger.ts'
import { OtherSide } from './other-side.ts'

export interface SinkAddress {
  /** Of the mail servers. */
  port: number
  /** Of the DNS server. */
  dns: string
  /** Certificate (PEM) of the authority of policy hosts, and of the mail servers that policies name. */
  authority: string
  /** Why policies cannot be published; null: they are. */
  noPolicies: string | null
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

  dns(names: string[], answer: DnsAnswer): void {
    this.say({ kind: 'dns', names, answer })
  }

  policyHost(domain: number, deed: HostDeed | null): void {
    this.say({ kind: 'policy-host', domain, deed })
  }

  protected override hear(message: FromSink): void {
    for (const arrival of message.arrivals) {
      this.#ledger?.arrived(arrival)
      this.#onArrival(arrival)
    }
    for (const refusal of message.refusals) this.#ledger?.refusedForGood(refusal)
  }
}
