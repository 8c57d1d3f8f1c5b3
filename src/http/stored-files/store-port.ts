import type { Store } from '../../store/store.ts'

/** The store as the files of an email are read: each for itself, or within a ready message. */
export type StoredFiles = Pick<Store, 'listFiles' | 'readFile' | 'readRaw'>
