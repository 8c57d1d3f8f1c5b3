/**
 * How to make the HTTP parser of Node.js leave input unparsed. It parses up to 64 KiB at once, for which its public API
 * has no end: a connection that is destroyed meanwhile is parsed nevertheless.
 */
import type { Socket } from 'node:net'

/** The parser's own name of its callback for a piece of a body (`HTTPParser.kOnBody`). */
const ON_BODY = 3

interface HttpParser {
  onIncoming?: () => number
  [ON_BODY]?: unknown
}

const parserOf = (socket: Socket) => (socket as Socket & { parser?: HttpParser | null }).parser

/**
 * Discards the input behind the present head. When Node.js returns 2 to its parser for a head (meaning that another
 * protocol follows), parsing ends there; otherwise it would go through some 3,600 more heads in 64 KiB.
 */
export function parseNoFurtherHead(socket: Socket): void {
  const parser = parserOf(socket)
  if (parser) parser.onIncoming = () => 2
}

/**
 * Discards the rest of the present body. Chunks of one octet are 11,000 pieces in 64 KiB, and to make an object of each
 * costs four times as much as to parse them.
 */
export function parseNoFurtherPiece(socket: Socket): void {
  const parser = parserOf(socket)
  const onBody = parser?.[ON_BODY]
  if (!parser || typeof onBody !== 'function') return
  parser[ON_BODY] = null
  // Node.js gives the parser to another connection later.
  socket.once('close', () => {
    parser[ON_BODY] = onBody
  })
}
