import type { Retried } from './store.ts'

export const NOTHING_RETRIED: Retried = { retried: 0, scheduled: 0, paused: 0, held: 0 }

export function addRetried(a: Retried, b: Retried): Retried {
  return {
    retried: a.retried + b.retried,
    scheduled: a.scheduled + b.scheduled,
    paused: a.paused + b.paused,
    held: a.held + b.held,
  }
}
