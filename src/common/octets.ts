/** Octets outside the heaps of V8: how their memory is given back, and how many are copied at once. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Smaller buffers (octets) are left to the garbage collector, because releasing them would cost more than it saves. */
const RELEASE_FROM = 16 * 1024

/**
 * Releases the memory of unneeded octets at once. V8 would free it with the next collection of its heap, but small heap
 * objects that hold much memory outside the heap do not make it collect soon enough: a flood of bodies would take
 * hundreds of megabytes first. Octets that are a small part of a buffer are not released, because other code may hold
 * the rest.
 */
export function release(octets: Uint8Array | null): void {
  if (octets === null || octets.byteLength < RELEASE_FROM) return
  const { buffer } = octets
  if (buffer instanceof ArrayBuffer && octets.byteLength * 2 > buffer.byteLength) buffer.transfer(0)
}

/** The most octets that are copied in one turn of the event loop; this takes about a millisecond. */
const COPIED_AT_ONCE = 2 * 1024 * 1024

/** Joins octets into a buffer of their own; the event loop has a turn between large pieces. */
export async function joinedInTurns(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const joined = Buffer.allocUnsafeSlow(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.byteLength; from += COPIED_AT_ONCE) {
      if (from > 0) await nextTurn()
      const slice = piece.subarray(from, from + COPIED_AT_ONCE)
      joined.set(slice, at)
      at += slice.byteLength
    }
  }
  return joined
}
