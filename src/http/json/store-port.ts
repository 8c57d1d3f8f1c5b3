import type { Store } from '../../store/store.ts'

/** The part of the store that the JSON dialect uses without a verb. */
export type JsonStore = Pick<Store, 'readEmail' | 'reschedule' | 'cancelScheduled' | 'quotaUsed'>
