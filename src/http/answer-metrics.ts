/** How many requests were answered, and how long that took. */
import { Counter, Histogram, type Registry } from 'prom-client'

export class AnswerMetrics {
  readonly #requests: Counter<'operation' | 'status'>
  readonly #seconds: Histogram<'operation'>
  /** The children of both metrics, cached because a look-up by labels would cost time in each request. */
  readonly #counted = new Map<string, Counter.Internal>()
  readonly #timed = new Map<string, Histogram.Internal<'operation'>>()

  constructor(registry: Registry) {
    this.#requests = new Counter({
      name: 'postroad_http_requests_total',
      help: 'Answered requests, by operation and status.',
      labelNames: ['operation', 'status'],
      registers: [registry],
    })
    this.#seconds = new Histogram({
      name: 'postroad_http_request_seconds',
      help: 'Time from the request head to the answer.',
      labelNames: ['operation'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
      registers: [registry],
    })
  }

  count(operation: string, status: number): void {
    const key = operation + status
    let child = this.#counted.get(key)
    if (!child) {
      child = this.#requests.labels(operation, String(status))
      this.#counted.set(key, child)
    }
    child.inc()
  }

  time(operation: string, seconds: number): void {
    let child = this.#timed.get(operation)
    if (!child) {
      child = this.#seconds.labels(operation)
      this.#timed.set(operation, child)
    }
    child.observe(seconds)
  }
}
