import type { RetryCounts } from './store.ts'

export const NOTHING_RETRIED: RetryCounts = { retried: 0, scheduled: 0, paused: 0, held: 0 }

export function addRetried(a: RetryCounts, b: RetryCounts): RetryCounts {
  return {
    retried: a.retried + b.retried,
    scheduled: a.scheduled + b.scheduled,
    paused: a.paused + b.paused,
    held: a.held + b.held,
  }
}
