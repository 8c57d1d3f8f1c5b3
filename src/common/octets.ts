/** Octets outside the heaps of V8: how their memory is given back, and how many are copied at once. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Fewer octets are left to the collector: giving them back would cost more than they take. */
const RELEASE_FROM = 16 * 1024

/**
 * Gives the memory of unneeded octets back at once. V8 would collect them with its heap, but it notices too late that
 * little in the heap stands for much outside of it: a flood of bodies would take hundreds of megabytes before it
 * collects. Octets that are a small part of a buffer are left alone, because other code may hold the rest.
 */
export function release(octets: Uint8Array | null): void {
  if (octets === null || octets.byteLength < RELEASE_FROM) return
  const { buffer } = octets
  if (buffer instanceof ArrayBuffer && octets.byteLength * 2 > buffer.byteLength) buffer.transfer(0)
}

/** Octets that are copied in one turn of the event loop: about a millisecond. */
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
