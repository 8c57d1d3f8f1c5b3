import { Counter, Gauge, type Registry } from 'prom-client'

/** Metrics of returned mail. */
export class InboundMetrics {
  readonly received: Counter<'source' | 'outcome'>
  readonly refused: Counter<'reason'>
  readonly waiting: Gauge

  constructor(registry: Registry) {
    const registers = [registry]
    this.received = new Counter({
      name: 'postroad_inbound_mails_total',
      help: 'Mails that came back and were kept, by where they came in and what followed.',
      labelNames: ['source', 'outcome'],
      registers,
    })
    this.refused = new Counter({
      name: 'postroad_inbound_recipients_refused_total',
      help: 'Recipients refused by the listener for returned mail: unknown addresses, forged and expired return paths.',
      labelNames: ['reason'],
      registers,
    })
    this.waiting = new Gauge({
      name: 'postroad_inbound_mails_waiting',
      help: 'Mails that came back over SMTP, over HTTP or in the bounce mailbox, and wait until sending leaves time for them.',
      registers,
    })
  }
}
