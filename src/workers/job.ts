/** A job for a worker: a pure function, the default export of a module, from one cloneable value to another. */

/** A job by the URL of its module. The types are those of the module's function. */
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
 * The buffers beneath these octets, for a job that no longer needs them. Small buffers are copied, because they share a
 * pool (`Buffer.poolSize`) that must not be transferred.
 */
export function buffersBeneath(views: Iterable<Uint8Array>): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { buffer } of views) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffers.push(buffer)
  }
  return buffers
}

/**
 * Copies octets if they are a small part of their buffer. Sending them to another thread would copy that whole buffer,
 * perhaps a whole request.
 */
export function withOwnBuffer(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength * 2 > bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
}

/** Makes a Buffer of octets, which arrive from another thread as a plain Uint8Array. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
