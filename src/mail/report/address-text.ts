/** Addresses as servers write them in reports: in brackets, with prefixes, in prose. */

/** Punctuation of Chinese and Japanese, which stands around an address without a space. */
const WIDE = '：；，。、（）「」『』【】《》〈〉＜＞！？'

/**
 * An address in text, without brackets. Both sides are bounded, so that a search is linear. Local parts may hold any
 * letter (RFC 6531).
 */
export const ADDRESS = String.raw`(?:"[^"\r\n]{1,64}"|[^\s<>()[\]{},;:"'@\\\|\x60*${WIDE}][^\s<>()[\]{},;:"@\\|${WIDE}]{0,127})@[^\s<>()[\]{},;:"'@\\|/?${WIDE}]{1,255}`

const SEARCH = new RegExp(ADDRESS, 'u')
const WHOLE = new RegExp(`^${ADDRESS}$`, 'u')

/** Labels of a domain; no dot is needed, because hosts report on addresses such as `jane@mailhub`. */
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?)(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?)*$/u

/** The address with its domain in lower case; null when the text is not an address. */
export function cleanAddress(text: string): string | null {
  const found = text.trim().replace(/^mailto:/i, '')
  if (!WHOLE.test(found)) return null
  const at = found.lastIndexOf('@')
  const domain = withoutEnd(found.slice(at + 1), ".!'")
  if (at > 64 + 64 || domain.length > 253 || !DOMAIN.test(domain)) return null
  return `${found.slice(0, at)}@${domain.toLowerCase()}`
}

/** The text without such characters at its end. A pattern would be tried from each of them. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** The first address in the text, in brackets if there are any. */
export function addressIn(text: string): string | null {
  const short = text.slice(0, 1_000)
  const bracketed = /<([^<>\s]{3,320})>/.exec(short)
  if (bracketed !== null) {
    // A source route (RFC 5321 C) stands before the address: <@relay.example:jane@example.org>.
    const inner = bracketed[1]!.replace(/^(?:@[^@:,]{1,255},?){1,10}:/, '')
    const address = cleanAddress(inner)
    if (address !== null) return address
  }
  const found = SEARCH.exec(short)
  return found === null ? null : cleanAddress(found[0])
}

/**
 * The value of a field such as Final-Recipient (RFC 3464 2.3): a type, a semicolon, an address. The type may be
 * missing, and the address stand in brackets.
 */
export function typedAddress(value: string): string | null {
  const typed = /^\s*([A-Za-z][A-Za-z0-9-]{0,40})\s*;(.*)$/s.exec(value)
  const [type, rest] = typed === null ? ['', value] : [typed[1]!.toLowerCase(), typed[2]!]
  if (type === 'x-unix' || type === 'system') return null
  // RFC 6533 3: characters beyond ASCII in an address of the type utf-8.
  const text = type.startsWith('utf-8')
    ? rest.replace(/\\x\{([0-9A-Fa-f]{2,6})\}/g, (whole, digits: string) => {
        const point = Number.parseInt(digits, 16)
        return point > 0x1f && point <= 0x10ffff ? String.fromCodePoint(point) : whole
      })
    : rest
  const direct = cleanAddress(withoutEnd(text.trim().replace(/^<+/, ''), '>'))
  return direct ?? addressIn(text)
}
