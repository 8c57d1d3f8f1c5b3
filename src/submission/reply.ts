/** What a client is told: code, enhanced code (RFC 3463, RFC 5248), and words. */

export interface Reply {
  code: number
  /** Null where there is none: the greeting, EHLO, and what asks for more (RFC 2034 4). */
  enhanced: string | null
  /** A line, or several. */
  text: string | string[]
}

/** RFC 5321 4.5.3.1.5: 512 octets with code and line end. */
const MAX_TEXT = 490

export function reply(code: number, enhanced: string | null, text: string | string[]): Reply {
  return { code, enhanced, text }
}

/** As it leaves. What is not printable ASCII (RFC 5321 4.2) is written as `?`. */
export function written({ code, enhanced, text }: Reply): string {
  const mark = enhanced === null ? '' : `${enhanced} `
  if (typeof text === 'string') return `${code} ${mark}${plain(text)}\r\n`
  const last = text.length - 1
  return text.map((line, at) => `${code}${at === last ? ' ' : '-'}${mark}${plain(line)}\r\n`).join('')
}

function plain(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/gu, '?')
  return ascii.length > MAX_TEXT ? `${ascii.slice(0, MAX_TEXT - 3)}...` : ascii
}

/** A command is answered with this and comes to nothing; `last`: the session ends with it. */
export class Refused extends Error {
  override name = 'Refused'
  readonly reply: Reply
  readonly last: boolean

  constructor(answer: Reply, { last = false }: { last?: boolean } = {}) {
    super(String(answer.text))
    this.reply = answer
    this.last = last
  }
}
