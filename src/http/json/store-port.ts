import type { Store } from '../../store/store.ts'

/** The store as the JSON dialect uses it without a verb: reading an email, and the time of a scheduled one. */
export type JsonStore = Pick<Store, 'readEmail' | 'reschedule' | 'cancelScheduled' | 'quotaUsed'>
