/** What a message says to those who read no HTML: of batch mail each recipient's copy has its own. */
import { decodeCharset } from '../../mail/raw/decode.ts'
import { withCrlfLines } from '../../mail/raw/lines.ts'
import { type RawPart, readStructure } from '../../mail/raw/structure.ts'
import { beginningOf } from './beginning.ts'

/** Octets that are shown; whoever wants all of it loads the source down. */
const MOST = 1024 * 1024

export interface ShownText {
  /** Null: the message has none. */
  text: string | null
  /** There is more of it. */
  clipped: boolean
}

/** Throws RawError for what is not built like a message. */
export function textOf(octets: Buffer): ShownText {
  const lines = withCrlfLines(octets)
  const part = firstText([readStructure(lines)])
  if (part === undefined) return { text: null, clipped: false }
  const { octets: body, clipped } = beginningOf(lines, part, MOST)
  const text = decodeCharset(body, part.parameters.get('charset'))
  return { text: text.replaceAll('\r\n', '\n'), clipped }
}

/** In reading order; however deep parts are nested. */
function firstText(waiting: RawPart[]): RawPart | undefined {
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type.startsWith('multipart/')) waiting.push(...part.children.toReversed())
    else if (part.type === 'text/plain' && part.disposition !== 'attachment') return part
  }
  return undefined
}
