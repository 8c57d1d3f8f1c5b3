/** The key of a stored message, as events tell it (`storageKey`). */

export interface StoredKey {
  emailId: string
  /** Of the recipient of a batch whose copy it is; null: it is the same for all. */
  position: number | null
}

export function readKey(key: string): StoredKey {
  const found = /^(.*)\.(\d{1,9})$/.exec(key)
  return found === null
    ? { emailId: key, position: null }
    : { emailId: found[1]!, position: Number(found[2]) }
}
