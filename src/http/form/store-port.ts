import type { Store } from '../../store/store.ts'

/** The store as the form dialect uses it without a verb: reading a stored message. */
export type FormStore = Pick<Store, 'readEmail' | 'readNoticeFacts'>
