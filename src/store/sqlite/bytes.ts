/** Carrying octets between threads without needless copies. */
import { largeBodies } from '../../mail/body.ts'
import type { ClaimedEmail } from '../store.ts'

/** From this size on, in octets, a buffer is moved rather than cloned. */
const MOVE_FROM = 4 * 1024
/** From this size on they are handed over where that is allowed. */
const HAND_OVER_FROM = 512 * 1024

/** The octets alone, in a buffer of their own. One worth moving is added to `moved`. */
export function copied(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const copy = new Uint8Array(bytes)
  if (copy.byteLength >= MOVE_FROM) moved.push(copy.buffer)
  return copy
}

/**
 * The same, but large octets themselves, where they are most of their buffer: a copy would keep the main thread for
 * milliseconds.
 */
export function handedOver(bytes: Uint8Array, moved: ArrayBuffer[]): Uint8Array {
  const { buffer, byteLength } = bytes
  const isMost = byteLength * 2 > buffer.byteLength
  if (byteLength < HAND_OVER_FROM || !isMost || !(buffer instanceof ArrayBuffer)) return copied(bytes, moved)
  if (!moved.includes(buffer)) moved.push(buffer)
  return bytes
}

/** The buffers of emails just read from the database, which nobody else holds. */
export function buffersOf({ raw, content }: ClaimedEmail): ArrayBuffer[] {
  const all = [...content.attachments.map((file) => file.content), ...largeBodies(content)]
  if (raw !== null) all.push(raw)
  return all.flatMap(buffersBeneath)
}

/** The same of octets. */
export function buffersBeneath(bytes: Uint8Array): ArrayBuffer[] {
  return bytes.byteLength < MOVE_FROM ? [] : [bytes.buffer as ArrayBuffer]
}
