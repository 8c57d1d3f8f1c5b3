/** The run's end of the sink process. */
import type { PublishedKeys } from '../harness/verify-dkim.ts'
import type { FromSink, SinkRule, ToSink } from './arrival.ts'
import type { FaultLog } from './fault-log.ts'
import type { Ledger } from './ledger.ts'
import { OtherSide } from './other-side.ts'

/** Port of the mail servers and address of the DNS server. */
export interface SinkAddress {
  port: number
  dns: string
}

export class SinkLink extends OtherSide<ToSink, FromSink, SinkRule, SinkAddress> {
  #ledger: Ledger | null = null

  constructor() {
    super('sink', './sink-process.ts')
  }

  start(ledger: Ledger, log: FaultLog, keys: PublishedKeys, verifyShare: number): void {
    this.#ledger = ledger
    this.log = log
    this.say({ kind: 'start', seed: ledger.seed, keys: [...keys], verifyShare })
  }

  dns(domain: number, answer: 'servfail' | 'silent' | 'right'): void {
    this.say({ kind: 'dns', domain, answer })
  }

  protected override hear(message: FromSink): void {
    for (const arrival of message.arrivals) this.#ledger?.arrived(arrival)
    for (const refusal of message.refusals) this.#ledger?.refusedForGood(refusal)
  }
}
