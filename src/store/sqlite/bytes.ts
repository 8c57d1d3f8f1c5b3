/** Carrying octets between threads without needless copies. */
import type { ClaimedEmail, NewEmail } from '../store.ts'

/** From this size on, in octets, a buffer is moved rather than cloned. */
const MOVE_FROM = 4 * 1024

/**
 * The email for another thread. Its octets are copied once, and tightly: a view of a larger buffer (a request body, say)
 * would take all of it along. The caller keeps its own. Buffers worth moving are added to `moved`.
 */
export function packed(email: NewEmail, moved: ArrayBuffer[]): NewEmail {
  if (email.raw === null && email.content.attachments.length === 0) return email
  const attachments = email.content.attachments.map((file) => {
    return { ...file, content: copied(file.content, moved) }
  })
  const raw = email.raw === null ? null : copied(email.raw, moved)
  return { ...email, raw, content: { ...email.content, attachments } }
}

export function copied(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const copy = new Uint8Array(bytes)
  if (copy.byteLength >= MOVE_FROM) moved.push(copy.buffer)
  return copy
}

/** The buffers of emails just read from the database, which nobody else holds. */
export function buffersOf({ raw, content }: ClaimedEmail): ArrayBuffer[] {
  const all = content.attachments.map((file) => file.content)
  if (raw !== null) all.push(raw)
  return all.filter((bytes) => bytes.byteLength >= MOVE_FROM).map((bytes) => bytes.buffer as ArrayBuffer)
}
