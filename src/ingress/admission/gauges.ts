import { Counter, Gauge, type Registry } from 'prom-client'
import type { Admission } from './admission.ts'

/** Gauges of the admission, read when metrics are scraped. */
export function watchAdmission(admission: Admission, registry: Registry): void {
  const registers = [registry]
  new Gauge({
    name: 'postroad_http_connections',
    help: 'Client connections.',
    registers,
    collect() {
      this.set(admission.connections.count)
    },
  })
  new Gauge({
    name: 'postroad_http_requests_under_way',
    help: 'Requests with a key: all in progress, and those waiting for memory for their bodies.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const { requests, waiting } = admission.counts
      this.set({ state: 'all' }, requests)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Gauge({
    name: 'postroad_http_body_bytes',
    help: 'Memory reserved for the bodies of requests in progress, small and large.',
    labelNames: ['size'] as const,
    registers,
    collect() {
      const { small, large } = admission.counts
      this.set({ size: 'small' }, small)
      this.set({ size: 'large' }, large)
    },
  })
  const dropped = new Counter({
    name: 'postroad_http_connections_dropped_total',
    help: 'Connections that were closed to make room for others, or refused.',
    registers,
    collect() {
      dropped.reset()
      dropped.inc(admission.connections.dropped)
    },
  })
}
