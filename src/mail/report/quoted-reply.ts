/** The parts of a server's reply, as another server repeats it in a report. */

/** Characters of a reply that are kept. */
export const MAX_WORDS = 1_000

export interface QuotedReply {
  /** SMTP code (RFC 5321 4.2). */
  code: number | null
  /** Enhanced code (RFC 3463). */
  status: string | null
  words: string
}

/** Where a server begins to repeat what another one said: the last of them counts. */
const QUOTATIONS =
  /\b(?:responded with|responded as follows|response(?: from the remote server)? was|returned|error that the other server returned was|server message|failed with)\s?:?\s+(?=["'[(]?\s?[245]\d\d\b)|\b(?:said|replied): /gi

/** A code at the start of a reply, not a number within it, nor a part of a telephone number. */
const CODE =
  /(?:^|[\s'"([:;,>])([245]\d\d)(?=[ \-:;,)\]'"]|\.(?!\d)|$)(?!-(?![245]\.\d{1,3}\.\d{1,3}\b)\d{1,3}[-.])(?![ -]\d{4}\b)(?! ?(?:bytes|kb|mb|seconds|minutes|days|hours|octets|characters)\b)/i
const STATUS = /(?:^|[\s#('"[:;=-])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/

/**
 * The reply that counts is the innermost: in `5.1.0 Unknown address error 550-'5.2.2 Mailbox full'` (Cisco, Amazon SES)
 * the one in quotation marks.
 */
export function readQuotedReply(text: string): QuotedReply {
  const whole = firstReply(text.slice(0, 8_000)).replace(/\s+/g, ' ').trim()
  let from = 0
  for (const match of whole.matchAll(QUOTATIONS)) from = match.index + match[0].length
  let inner = whole.slice(from)
  let found = CODE.exec(inner)
  if (found === null && from > 0) {
    inner = whole
    found = CODE.exec(inner)
  }
  if (found === null) {
    return { code: null, status: STATUS.exec(inner)?.[1] ?? null, words: inner.slice(0, MAX_WORDS) }
  }
  // An outer code of RFC 3463 may stand before the code of the reply.
  const start = found.index + found[0].indexOf(found[1]!)
  const reply = inner.slice(start)
  return {
    code: Number(found[1]),
    status: STATUS.exec(reply)?.[1] ?? STATUS.exec(inner)?.[1] ?? null,
    words: (start <= 200 ? reply : inner).slice(0, MAX_WORDS),
  }
}

/** A text may repeat one reply after the other, each with its code at the start of a line. */
function firstReply(text: string): string {
  const lines = text.split('\n')
  const codes = lines.map((line) => LINE_CODE.exec(line)?.[1])
  const first = codes.findIndex((code) => code !== undefined)
  const next = lines.findIndex((line, index) => {
    if (index > first && first >= 0 && codes[index] !== undefined) return codes[index] !== codes[first]
    return OUTER.test(line) && CODE.test(lines.slice(0, index).join(' '))
  })
  return next < 0 ? text : lines.slice(0, next).join('\n')
}

const LINE_CODE = /^[ \t]*([245]\d\d)[ -]/

/** Words of qmail behind those of the remote server. */
const OUTER = /^\s*(?:\/?i'm not going to try again|giving up on|\(other mxes tried)/i
