import { parseEnhancedCode, parseReplyLine, printable, type Reply } from './reply.ts'

/** Octets in a line, CRLF included. RFC 5321 4.5.3.1.5 allows 512; servers in the field go beyond. */
const longestLine = 4096
/** Octets and lines in one reply, far above any well-meant greeting or EHLO answer. */
const largestReply = 64 * 1024
const mostLines = 256

const lineFeed = 10
const carriageReturn = 13
const empty = Buffer.alloc(0)

/** The reason why octets are not a reply. */
export class MalformedReply extends Error {}

/**
 * Turns octets into replies, however they are cut into segments. Memory is bounded: a line or a reply that grows too
 * long is an error at once, not when it ends.
 *
 * A bare LF ends a line too. RFC 5321 2.3.8 forbids sending it, but some servers do, and it does no harm here: unlike a
 * message, a reply has nothing after it that a different view of its end could smuggle in, because more replies than
 * commands end the session.
 */
export class ReplyReader {
  #onReply: (reply: Reply) => void
  #rest: Buffer = empty
  #code = 0
  #lines: string[] = []
  #size = 0

  /** `onReply` is called from within `push`. */
  constructor(onReply: (reply: Reply) => void) {
    this.#onReply = onReply
  }

  /** True between replies: no octets are left over and no reply is half read. */
  get clean(): boolean {
    return this.#rest.length === 0 && this.#lines.length === 0
  }

  /** Throws MalformedReply; the reader is unusable after that. */
  push(chunk: Buffer): void {
    let bytes = chunk
    // The search for the line end starts here: the rest of the last chunk was searched before.
    let searched = 0
    if (this.#rest.length > 0) {
      searched = this.#rest.length
      bytes = Buffer.concat([this.#rest, chunk])
      this.#rest = empty
    }
    let start = 0
    for (;;) {
      const end = bytes.indexOf(lineFeed, Math.max(start, searched))
      if (end === -1) break
      if (end - start >= longestLine) throw tooLong()
      const textEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
      // Decoded line by line, so a character that a segment cut in two is whole again.
      this.#line(bytes.toString('utf8', start, textEnd), end + 1 - start)
      start = end + 1
    }
    if (bytes.length - start >= longestLine) throw tooLong()
    if (start === bytes.length) return
    // Octets that cannot become a reply are refused now; their line end may never come (a login prompt, a binary
    // protocol).
    if (!mayBeginReply(bytes[start]!)) throw notAReply(bytes.toString('utf8', start))
    // Copied: a slice would keep the whole segment alive.
    this.#rest = Buffer.from(bytes.subarray(start))
  }

  #line(text: string, size: number): void {
    const line = parseReplyLine(text)
    if (!line) throw notAReply(text)
    // RFC 5321 4.2.1: all lines of a reply carry the same code. When they differ, no code is the right one.
    if (this.#lines.length > 0 && line.code !== this.#code) {
      throw new MalformedReply(`a reply began with code ${this.#code} and went on with ${line.code}`)
    }
    this.#code = line.code
    this.#lines.push(line.text)
    this.#size += size
    if (this.#lines.length > mostLines) throw new MalformedReply(`a reply of more than ${mostLines} lines`)
    if (this.#size > largestReply) throw new MalformedReply(`a reply of more than ${largestReply} octets`)
    if (line.continued) return
    const lines = this.#lines
    this.#lines = []
    this.#size = 0
    this.#onReply({ code: line.code, enhancedCode: parseEnhancedCode(line.code, lines[0]!), lines })
  }
}

function tooLong(): MalformedReply {
  return new MalformedReply(`a reply line of more than ${longestLine} octets`)
}

function notAReply(text: string): MalformedReply {
  return new MalformedReply(`something other than an SMTP reply: "${printable(text.slice(0, 200))}"`)
}

function mayBeginReply(octet: number): boolean {
  return octet >= 50 && octet <= 53
}
