/** Passes octets between threads without needless copies. */
import { largeBodies } from '../../mail/body.ts'
import type { ClaimedEmail } from '../store.ts'

/** From this size on, in octets, a buffer is moved rather than cloned. */
const MOVE_FROM = 4 * 1024
/** From this size on, in octets, the buffer itself is handed over where that is allowed. */
export const HAND_OVER_FROM = 512 * 1024

/** A copy of the octets in a buffer of their own. A buffer that is worth moving is added to `moved`. */
export function copied(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const copy = new Uint8Array(bytes)
  if (copy.byteLength >= MOVE_FROM) moved.push(copy.buffer)
  return copy
}

/**
 * The same, except that large octets are handed over themselves when they fill most of their buffer: copying them would
 * block the main thread for milliseconds.
 */
export function handedOver(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const { buffer, byteLength } = bytes
  const isMost = byteLength * 2 > buffer.byteLength
  if (byteLength < HAND_OVER_FROM || !isMost || !(buffer instanceof ArrayBuffer)) return copied(bytes, moved)
  if (!moved.includes(buffer)) moved.push(buffer)
  return bytes
}

/** The buffers of emails just read from the database, which no other code holds. */
export function buffersOf({ raw, content }: ClaimedEmail): ArrayBuffer[] {
  const all = [...content.attachments.map((file) => file.content), ...largeBodies(content)]
  if (raw !== null) all.push(raw)
  return all.flatMap(buffersBeneath)
}

/** The same for octets. */
export function buffersBeneath(bytes: Uint8Array): ArrayBuffer[] {
  return bytes.byteLength < MOVE_FROM ? [] : [bytes.buffer as ArrayBuffer]
}
