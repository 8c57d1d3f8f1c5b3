/**
 * The message with which all systems are measured: multipart/alternative, 10,240 octets on the wire by default, each
 * with a recipient of its own. It can have a file, which differs in every message because a service may store equal
 * files once.
 */

const TEXT_LINE = 'Your order has been packed and will be with you in a few days, thank you.'
const HTML_LINE = '<p style="margin:0 0 8px">Your order has been packed, <b>thank you</b>.</p>'
/** Lengths that make the composed and signed message about 10,240 octets, of which about so many are headers. */
const TEXT_LINES = 45
const HTML_LINES = 72
const HEADERS = 1_100
export const USUAL_SIZE = 10_240

/** Where the recipient's number stands in a prepared message; all of its characters are replaced. */
export const MARK = '########'
/** Where the number of the recipient's domain stands. */
const DOMAIN_MARK = '%%%%'

export const RECIPIENT_DOMAIN = 'sink.test'

/** What a message is made of. */
export interface MessageShape {
  /** Octets of the composed message, about. */
  size: number
  /** True: a body of the usual size, the rest is a file like a PDF. */
  attachment: boolean
  /** The number of domains below `sink.test` that recipients are spread over; 1: all are at `sink.test` itself. */
  domains: number
}

export const USUAL_SHAPE: MessageShape = { size: USUAL_SIZE, attachment: false, domains: 1 }

/** `n00000042@sink.test` and `n00000042@d0002.sink.test` are recipient 42; -1 for anything else. */
export function recipientNumber(address: string): number {
  return address.startsWith('n') && address.endsWith(RECIPIENT_DOMAIN) ? Number(address.slice(1, 9)) : -1
}

export function domainName(index: number): string {
  return `d${String(index).padStart(DOMAIN_MARK.length, '0')}.${RECIPIENT_DOMAIN}`
}

function textBody({ size, attachment }: MessageShape): string {
  return `${TEXT_LINE}\n`.repeat(linesFor(TEXT_LINES, size, attachment))
}

function htmlBody({ size, attachment }: MessageShape): string {
  const lines = `${HTML_LINE}\n`.repeat(linesFor(HTML_LINES, size, attachment))
  return `<!doctype html><html><body>\n${lines}</body></html>\n`
}

function linesFor(usual: number, size: number, attachment: boolean): number {
  const body = attachment ? Math.min(size, USUAL_SIZE) : size
  return Math.max(1, Math.round((usual * (body - HEADERS)) / (USUAL_SIZE - HEADERS)))
}

/**
 * Base64 of a file that compresses as badly as a PDF and has a mark in it. The mark's eight characters stand for six octets: digits are
 * base64 as well, and every number makes another file.
 */
function fileContent(octets: number): string {
  const file = Buffer.alloc(octets)
  let state = 1
  for (let at = 0; at < octets; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    file[at] = state >>> 24
  }
  file.write('%PDF-1.7\n%bench\n', 0, 'latin1')
  const base64 = file.toString('base64')
  return base64.slice(0, 40) + MARK + base64.slice(40 + MARK.length)
}

export interface RequestTarget {
  host: string
  token: string
  from: string
  /** ISO 8601; absent: sent at once. */
  scheduledAt?: string
  shape: MessageShape
}

/** A text in which only the recipient's number and domain change: written in place, since one request at a time is under way. */
export class PreparedText {
  readonly buffer: Buffer
  readonly #marks: number[]
  readonly #domainMarks: number[]
  readonly #domains: number

  constructor(template: Buffer, domains: number) {
    this.buffer = template
    this.#marks = positions(template, MARK)
    this.#domainMarks = positions(template, DOMAIN_MARK)
    this.#domains = domains
  }

  /** A copy with its own buffer. */
  copy(): PreparedText {
    const again = Buffer.from(this.buffer)
    for (const mark of this.#marks) again.write(MARK, mark, 'latin1')
    for (const mark of this.#domainMarks) again.write(DOMAIN_MARK, mark, 'latin1')
    return new PreparedText(again, this.#domains)
  }

  /** The octets for one recipient; valid until the next call. */
  for(number: number): Buffer {
    const digits = String(number).padStart(MARK.length, '0')
    for (const mark of this.#marks) this.buffer.write(digits, mark, 'latin1')
    if (this.#domainMarks.length > 0) {
      const domain = String(number % this.#domains).padStart(DOMAIN_MARK.length, '0')
      for (const mark of this.#domainMarks) this.buffer.write(domain, mark, 'latin1')
    }
    return this.buffer
  }
}

function positions(template: Buffer, mark: string): number[] {
  const found: number[] = []
  for (let at = template.indexOf(mark); at >= 0; at = template.indexOf(mark, at + 1)) found.push(at)
  return found
}

/** The recipient's address with marks in place of its numbers. */
export function markedRecipient({ domains }: MessageShape): string {
  return domains === 1
    ? `n${MARK}@${RECIPIENT_DOMAIN}`
    : `n${MARK}@${domainName(0).replace('0'.repeat(DOMAIN_MARK.length), DOMAIN_MARK)}`
}

/** A whole HTTP request of the JSON dialect. */
export function preparedRequest({ host, token, from, scheduledAt, shape }: RequestTarget): PreparedText {
  // Base64 in lines of 76 takes 78 octets for 57.
  const file = shape.attachment ? Math.max(600, Math.round(((shape.size - USUAL_SIZE) * 57) / 78)) : 0
  const body = JSON.stringify({
    from: `Acme Orders <${from}>`,
    to: markedRecipient(shape),
    subject: `Your order ${MARK} is on its way`,
    text: textBody(shape),
    html: htmlBody(shape),
    ...(scheduledAt === undefined ? {} : { scheduled_at: scheduledAt }),
    ...(file > 0 ? { attachments: [{ filename: 'invoice.pdf', content: fileContent(file) }] } : {}),
  })
  const head = [
    'POST /emails HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'User-Agent: postroad-bench',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return new PreparedText(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), shape.domains)
}

/** A composed message in SMTP form, for systems that take mail by SMTP; ends with the final dot. */
export function preparedMessage(from: string, shape: MessageShape, header: string[] = []): PreparedText {
  const crlf = (text: string) => text.replaceAll('\n', '\r\n')
  const lines = [
    `From: Acme Orders <${from}>`,
    `To: ${markedRecipient(shape)}`,
    `Subject: Your order ${MARK} is on its way`,
    `Message-ID: <${MARK}.bench@${from.slice(from.indexOf('@') + 1)}>`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    ...header,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="=_bench_0001"',
    '',
    '--=_bench_0001',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    `${crlf(textBody(shape))}--=_bench_0001`,
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: 7bit',
    '',
    `${crlf(htmlBody(shape))}--=_bench_0001--`,
    '.',
    '',
  ]
  return new PreparedText(Buffer.from(lines.join('\r\n')), shape.domains)
}
