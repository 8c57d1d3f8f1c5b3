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
      help: 'Messages submitted over SMTP, by the reply code after DATA.',
      labelNames: ['status'],
      registers,
    })
    this.logins = new Counter({
      name: 'postroad_smtp_submission_logins_total',
      help: 'SMTP logins, by result: accepted, refused, postponed (the database did not answer).',
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
      help: 'SMTP sessions of clients. They also count in postroad_http_connections: both share one limit.',
      registers,
      collect() {
        this.set(sessions())
      },
    })
  }
}
