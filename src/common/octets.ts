/** Gives back memory that octets take outside the heaps of V8. */

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
