import { clip } from '../../common/clip.ts'

/** The most characters of a recorded message. */
const LONGEST = 1_000

/** One complete reply (RFC 5321 4.2), all its lines read. */
export interface Reply {
  /** 200 to 599. */
  code: number
  /** RFC 3463 status (`5.1.1`) at the start of the text, when its class agrees with the code. */
  enhancedCode: string | null
  /** The text of each line, without code and line end; control characters replaced. */
  lines: string[]
}

/** First digit of the code: the only part that a client may rely on in a code it does not know (RFC 5321 4.3.2). */
export function replyClass(reply: Reply): 2 | 3 | 4 | 5 {
  return Math.floor(reply.code / 100) as 2 | 3 | 4 | 5
}

/**
 * The reply on one line: `550 5.1.1 No such user`, at most 1,000 characters. Servers repeat the enhanced code in each
 * line (RFC 2034 4).
 */
export function replyText(reply: Reply): string {
  const text = reply.lines.length === 1 ? reply.lines[0]! : joined(reply)
  return clipMessage(text === '' ? String(reply.code) : `${reply.code} ${text}`)
}

function joined({ enhancedCode, lines: [first = '', ...more] }: Reply): string {
  const repeated = enhancedCode === null ? '' : `${enhancedCode} `
  const further = more.map((line) => (`${line} `.startsWith(repeated) ? line.slice(repeated.length) : line))
  return [first, ...further].filter((line) => line !== '').join(' ')
}

/** Cuts at the limit of a recorded message. */
export function clipMessage(text: string): string {
  return text.length <= LONGEST ? text : clip(text, LONGEST - 1)
}

interface ReplyLine {
  code: number
  /** More lines follow. */
  continued: boolean
  text: string
}

const zero = 48
const hyphen = 45
const space = 32

/**
 * Parses one line of a reply. Null when it is malformed: no three digits, a code outside 200 to 599 (RFC 5321 4.2
 * defines no other class), or something other than a space, a hyphen or the end after the code.
 */
export function parseReplyLine(line: string): ReplyLine | null {
  const first = line.charCodeAt(0) - zero
  const second = line.charCodeAt(1) - zero
  const third = line.charCodeAt(2) - zero
  if (!(first >= 2 && first <= 5 && second >= 0 && second <= 9 && third >= 0 && third <= 9)) return null
  const separator = line.charCodeAt(3)
  if (line.length > 3 && separator !== space && separator !== hyphen) return null
  return {
    code: first * 100 + second * 10 + third,
    continued: separator === hyphen,
    text: printable(line.slice(4)),
  }
}

/**
 * RFC 2034 4: the enhanced code opens the text, and its class is the first digit of the reply code. Text whose class
 * disagrees only looks like a code and is not taken for one.
 */
export function parseEnhancedCode(code: number, text: string): string | null {
  const first = text.charCodeAt(0)
  if (first !== zero + Math.floor(code / 100) || text.charCodeAt(1) !== 46) return null
  return /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(text)?.[0] ?? null
}

const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/
const controls = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g

/** Text from strangers ends up in terminals, logs and web pages: NUL, escape sequences and stray CR become U+FFFD. */
export function printable(text: string): string {
  return control.test(text) ? text.replace(controls, '\ufffd') : text
}
