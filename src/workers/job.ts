/**
 * What runs in a worker: a pure function that a module exports as its default, from one value that can be cloned to
 * another.
 */

/** Names the module. The types are those of its function. */
export interface Job<Input, Output> {
  url: string
  /** Never set: it ties the types to the name. */
  readonly signature?: (input: Input) => Output
}

/** `export default` is the function; `buffersOf` names what of its result is handed over instead of copied. */
export interface JobModule<Input, Output> {
  default(input: Input): Output | Promise<Output>
  buffersOf?(output: Output): ArrayBuffer[]
}

/** @param url of the module, `new URL('./x.ts', import.meta.url)` */
export function jobAt<Input, Output>(url: URL): Job<Input, Output> {
  return { url: url.href }
}

/**
 * The buffers beneath these octets, for a job that is done with them. Small ones share a pool with others
 * (`Buffer.poolSize`), which must stay where it is: they are copied.
 */
export function buffersBeneath(views: Iterable<Uint8Array>): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { buffer } of views) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffers.push(buffer)
  }
  return buffers
}

/** A view is copied with all that lies beneath it, and beneath a small file may lie the whole request it came in. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength * 2 > bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

/** Octets that have crossed between threads are no Buffer any more. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
