/** The key of a stored message, as given in events (`storageKey`). */

interface StoredKey {
  emailId: string
  /** The position of the batch recipient whose copy it is; null: the message is the same for all. */
  position: number | null
}

export function readKey(key: string): StoredKey {
  const found = /^(.*)\.(\d{1,9})$/.exec(key)
  return found === null
    ? { emailId: key, position: null }
    : { emailId: found[1]!, position: Number(found[2]) }
}
