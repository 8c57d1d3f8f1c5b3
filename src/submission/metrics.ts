import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Metrics of SMTP submission. */
export class SubmissionMetrics {
  readonly messages: Counter<'status'>
  readonly logins: Counter<'result'>
  readonly seconds: Histogram

  /** `sessions`: returns the number of open sessions. */
  constructor(registry: Registry, sessions: () => number) {
    const registers = [registry]
    this.messages = new Counter({
      name: 'postroad_smtp_submission_messages_total',
      help: 'Messages handed in over SMTP, by the code they were answered with after DATA.',
      labelNames: ['status'],
      registers,
    })
    this.logins = new Counter({
      name: 'postroad_smtp_submission_logins_total',
      help: 'Logins over SMTP, by result: accepted, refused, postponed (nothing could be looked up).',
      labelNames: ['result'],
      registers,
    })
    this.seconds = new Histogram({
      name: 'postroad_smtp_submission_seconds',
      help: 'Time from the final dot of a message to its answer.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers,
    })
    new Gauge({
      name: 'postroad_smtp_submission_sessions',
      help: 'SMTP sessions of clients. They count among postroad_http_connections, too: both share what there is.',
      registers,
      collect() {
        this.set(sessions())
      },
    })
  }
}
