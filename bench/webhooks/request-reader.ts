/** Reads the requests of one connection from its octets, at the least possible cost. */

const END_OF_HEADER = Buffer.from('\r\n\r\n')

export interface WebhookRequest {
  /** The value of a header field, by its name in any case; undefined: the request does not have the field. */
  field(name: string): string | undefined
  body: string
}

/** Bodies are read by Content-Length. */
export class RequestReader {
  readonly #take: (request: WebhookRequest) => void
  #octets: Buffer = Buffer.alloc(0)

  constructor(take: (request: WebhookRequest) => void) {
    this.#take = take
  }

  push(chunk: Buffer): void {
    this.#octets = this.#octets.length === 0 ? chunk : Buffer.concat([this.#octets, chunk])
    for (;;) {
      const end = this.#octets.indexOf(END_OF_HEADER)
      if (end < 0) return
      const header = this.#octets.toString('latin1', 0, end + 2)
      const field = (name: string) => new RegExp(`\r\n${name}: *([^\r\n]*)\r\n`, 'i').exec(header)?.[1]
      const from = end + END_OF_HEADER.length
      const to = from + Number(field('content-length') ?? 0)
      if (this.#octets.length < to) return
      const body = this.#octets.toString('utf8', from, to)
      this.#octets = this.#octets.subarray(to)
      this.#take({ field, body })
    }
  }
}
