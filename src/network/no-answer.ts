/** No answer came; the message is a sentence without a final dot. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
  /**
   * `refused`: we do not connect there; `unreachable`: no connection, or a name that leads nowhere; `broken`: the
   * connection or its TLS failed; `late`: the time was up; `stopped`: by the caller's signal.
   */
  readonly kind: 'refused' | 'unreachable' | 'broken' | 'late' | 'stopped'

  constructor(kind: NoAnswer['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
