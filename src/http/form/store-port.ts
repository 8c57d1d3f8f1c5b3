import type { Store } from '../../store/store.ts'

/** The part of the store that the form dialect uses without a verb, to read a stored message. */
export type FormStore = Pick<Store, 'readEmail' | 'readNoticeFacts'>
