/** A job for a worker: a pure function, the default export of a module, from one cloneable value to another. */

/** Names the module. The types are those of its function. */
export interface Job<Input, Output> {
  url: string
  /** Never set: it ties the types to the name. */
  readonly signature?: (input: Input) => Output
}

/** `export default` is the function; `buffersOf` lists the buffers of its result to transfer instead of copying. */
export interface JobModule<Input, Output> {
  default(input: Input): Output | Promise<Output>
  buffersOf?(output: Output): ArrayBuffer[]
}

/** @param url URL of the module, `new URL('./x.ts', import.meta.url)` */
export function jobAt<Input, Output>(url: URL): Job<Input, Output> {
  return { url: url.href }
}

/**
 * The buffers beneath these octets, for a job that no longer needs them. Small ones share a pool with others
 * (`Buffer.poolSize`), which must stay where it is: they are copied.
 */
export function buffersBeneath(views: Iterable<Uint8Array>): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { buffer } of views) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffers.push(buffer)
  }
  return buffers
}

/** A view is copied with its whole buffer, and the buffer beneath a small file may be the whole request. */
export function alone(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength * 2 > bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

/** Octets are no Buffer any more after they have crossed between threads. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
