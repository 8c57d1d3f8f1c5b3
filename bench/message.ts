/** The message every system is measured with: multipart/alternative, 10,240 octets as it leaves, one distinct recipient each. */

const TEXT_LINE = 'Your order has been packed and will be with you in a few days, thank you.'
const HTML_LINE = '<p style="margin:0 0 8px">Your order has been packed, <b>thank you</b>.</p>'
/** Lengths that make the composed and signed message about 10,240 octets. */
const TEXT_LINES = 45
const HTML_LINES = 72

/** Where the recipient's number stands in a prepared request. */
const MARK = '########'

export const RECIPIENT_DOMAIN = 'sink.test'

/** `n00000042@sink.test` is recipient 42; -1 for anything else. */
export function recipientNumber(address: string): number {
  return address.startsWith('n') && address.endsWith(`@${RECIPIENT_DOMAIN}`)
    ? Number(address.slice(1, 9))
    : -1
}

export interface RequestTarget {
  host: string
  token: string
  from: string
  /** ISO 8601; absent: sent at once. */
  scheduledAt?: string
}

/** A whole HTTP request in which only the recipient's number changes. */
export class PreparedRequest {
  readonly #template: Buffer
  readonly #marks: number[] = []

  constructor({ host, token, from, scheduledAt }: RequestTarget) {
    const body = JSON.stringify({
      from: `Acme Orders <${from}>`,
      to: `n${MARK}@${RECIPIENT_DOMAIN}`,
      subject: `Your order ${MARK} is on its way`,
      text: `${TEXT_LINE}\n`.repeat(TEXT_LINES),
      html: `<!doctype html><html><body>\n${`${HTML_LINE}\n`.repeat(HTML_LINES)}</body></html>\n`,
      ...(scheduledAt === undefined ? {} : { scheduled_at: scheduledAt }),
    })
    const head = [
      'POST /emails HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'User-Agent: postroad-bench',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ]
    this.#template = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
    for (let at = this.#template.indexOf(MARK); at >= 0; at = this.#template.indexOf(MARK, at + 1)) {
      this.#marks.push(at)
    }
  }

  /** The request for one recipient; a buffer of its own. */
  for(number: number): Buffer {
    const request = Buffer.from(this.#template)
    const digits = String(number).padStart(MARK.length, '0')
    for (const mark of this.#marks) request.write(digits, mark, 'latin1')
    return request
  }
}
