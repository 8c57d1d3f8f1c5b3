/** Decodes parameters of MIME fields for people: the reverse of compose/parameter.ts. */
import { hexPair } from '../header/encoded-word.ts'
import { decodeCharset, decodeText } from './decode.ts'

/**
 * The value of a parameter; undefined when it is missing. Decodes RFC 2231 percent-encoding (section 4) and
 * continuations (section 3), and in a plain value encoded words, which many programs write. The result has no control
 * characters.
 * @param name in lower case, as the names of `parameters`
 */
export function readParameter(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const extended = parameters.get(`${name}*`)
  if (extended !== undefined) return cleaned(joined([[extended, true]]))
  const pieces: [text: string, encoded: boolean][] = []
  for (;;) {
    const plain = `${name}*${pieces.length}`
    const encoded = parameters.get(`${plain}*`)
    const piece = encoded ?? parameters.get(plain)
    if (piece === undefined) break
    pieces.push([piece, encoded !== undefined])
  }
  if (pieces.length > 0) return cleaned(joined(pieces))
  const plain = parameters.get(name)
  return plain === undefined ? undefined : cleaned(decodeText(plain))
}

function joined(pieces: readonly [text: string, encoded: boolean][]): string {
  const [[first, encoded]] = pieces as [[string, boolean]]
  // The charset and the language stand before the first piece.
  const [, charset, rest] = (encoded && /^([^']*)'[^']*'(.*)$/s.exec(first)) || [undefined, undefined, first]
  const octets = pieces.map(([text, isEncoded], index) => {
    const own = Buffer.from(index === 0 ? rest! : text)
    return isEncoded ? unescaped(own) : own
  })
  return decodeCharset(Buffer.concat(octets), charset)
}

/** `%` and two digits are an octet; any other `%` is literal. */
function unescaped(octets: Buffer): Buffer {
  let length = 0
  for (let at = 0; at < octets.length; at++) {
    const value = octets[at] === 0x25 ? hexPair(octets, at + 1) : -1
    if (value >= 0) at += 2
    octets[length++] = value >= 0 ? value : octets[at]!
  }
  return octets.subarray(0, length)
}

const cleaned = (text: string) => text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim()
