/** Memory that octets take outside the heaps of V8, and when it is given back. */

/** Less is left to the collector: what it costs to give it back is more than what it takes. */
const RELEASE_FROM = 16 * 1024

/**
 * Gives the memory of octets back that nobody needs any more, at once. V8 would collect them with its heap, and knows
 * too late that little in the heap stands for much outside of it: a flood of bodies would take hundreds of megabytes
 * before it looks. Octets that are a small part of a buffer are left alone, since somebody else may hold the rest.
 */
export function release(octets: Uint8Array | null): void {
  if (octets === null || octets.byteLength < RELEASE_FROM) return
  const { buffer } = octets
  if (buffer instanceof ArrayBuffer && octets.byteLength * 2 > buffer.byteLength) buffer.transfer(0)
}
