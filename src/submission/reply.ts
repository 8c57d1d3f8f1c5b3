/** Replies: code, enhanced code (RFC 3463, RFC 5248), and text. */

export interface SubmissionReply {
  code: number
  /** Null for replies without one: the greeting, EHLO, and intermediate replies (RFC 2034 4). */
  enhanced: string | null
  /** An array: several lines. */
  text: string | string[]
}

/** RFC 5321 4.5.3.1.5: 512 octets with code and line end. */
const MAX_TEXT = 490

export function reply(code: number, enhanced: string | null, text: string | string[]): SubmissionReply {
  return { code, enhanced, text }
}

/** The reply on the wire. Characters outside printable ASCII (RFC 5321 4.2) become `?`. */
export function replyLines({ code, enhanced, text }: SubmissionReply): string {
  const mark = enhanced === null ? '' : `${enhanced} `
  if (typeof text === 'string') return `${code} ${mark}${plain(text)}\r\n`
  const last = text.length - 1
  return text.map((line, at) => `${code}${at === last ? ' ' : '-'}${mark}${plain(line)}\r\n`).join('')
}

function plain(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/gu, '?')
  return ascii.length > MAX_TEXT ? `${ascii.slice(0, MAX_TEXT - 3)}...` : ascii
}

/** Refuses a command with this reply; `last`: the reply ends the session. */
export class CommandRefusal extends Error {
  override name = 'CommandRefusal'
  readonly reply: SubmissionReply
  readonly last: boolean

  constructor(answer: SubmissionReply, { last = false }: { last?: boolean } = {}) {
    super(String(answer.text))
    this.reply = answer
    this.last = last
  }
}
