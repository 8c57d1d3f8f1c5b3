/**
 * Domain names in their transport form: lower-case A-labels (RFC 5890 2.3.2.1), checked by our own rules after
 * conversion.
 */
import { domainToASCII, domainToUnicode } from 'node:url'

/** Invisible and direction-changing characters: two addresses that look alike must not differ by one of them. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** RFC 1035 2.3.4. */
const MAX_LABEL = 63
/** RFC 5321 4.5.3.1.2. */
const MAX_DOMAIN = 255

/**
 * A quick form of `checkAscii` for names without A-labels: labels of letters, digits and hyphens within their bounds,
 * of which the last is not a number.
 */
const PLAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The result of a check: the A-label form, or a clause that says why the domain is invalid ("… has an empty label").
 */
type DomainResult = { ascii: string; reason?: never } | { ascii?: never; reason: string }

/**
 * Checks a domain name in Unicode or A-label form. Letters, digits, hyphens and dots only (RFC 5321 4.1.2 sub-domain),
 * labels of at most 63 octets, 255 in all, at least two labels, and no numeric top level (that would be an IP address).
 */
export function toAsciiDomain(text: string): DomainResult {
  if (text === '') return { reason: 'the domain is missing' }
  // No domain within the limit has more than 1,020 characters in any form: a longer text needs no conversion.
  if (text.length > MAX_DOMAIN * 4) return { reason: `the domain is longer than ${MAX_DOMAIN} octets` }
  let ascii = text.toLowerCase()
  if (ascii.length <= MAX_DOMAIN && PLAIN.test(ascii) && !ascii.includes('xn--')) return { ascii }
  if (!/^[\x00-\x7f]*$/.test(text)) {
    if (INVISIBLE.test(text)) return { reason: 'the domain contains an invisible character' }
    // `domainToASCII` follows the rules of URLs and decodes percent signs and the like: they are refused first, in
    // their full-width forms too.
    const stray = /[^a-z0-9.\-\u0080-\u{10ffff}]/u.exec(text.normalize('NFKC').toLowerCase())
    if (stray) return { reason: `the domain contains ${describe(stray[0])}` }
    ascii = domainToASCII(text)
    if (ascii === '') return { reason: 'the domain is not a valid internationalised name' }
  }
  const reason = checkAscii(ascii)
  return reason === null ? { ascii } : { reason }
}

function checkAscii(domain: string): string | null {
  const stray = /[^a-z0-9.-]/.exec(domain)
  if (stray) return `the domain contains ${describe(stray[0])}`
  if (domain.length > MAX_DOMAIN) return `the domain is longer than ${MAX_DOMAIN} octets`
  const labels = domain.split('.')
  for (const label of labels) {
    if (label === '') return 'the domain has a dot too many'
    if (label.length > MAX_LABEL) return `a label of the domain is longer than ${MAX_LABEL} octets`
    if (label.startsWith('-') || label.endsWith('-'))
      return 'a label of the domain begins or ends with a hyphen'
    // RFC 5891 5.4: an A-label must decode to a U-label.
    if (label.startsWith('xn--') && !encodesSomething(label)) {
      return `"${label}" in the domain is not valid punycode`
    }
  }
  // No domain on the public Internet is a name without a dot (RFC 7085).
  if (labels.length < 2) return 'the domain has no dot'
  if (/^[0-9]+$/.test(labels.at(-1)!)) return 'the domain is a number, not a name'
  return null
}

function encodesSomething(label: string): boolean {
  const unicode = domainToUnicode(label)
  return !/^[\x00-\x7f]*$/.test(unicode) && domainToASCII(unicode) === label
}

/** A character for a sentence: itself in quotes when it is visible, otherwise its code point. */
export function describe(character: string): string {
  if (character === ' ') return 'a space'
  if (character === '\t') return 'a tab'
  if (character === '\r' || character === '\n') return 'a line break'
  if (character === '"') return 'a quotation mark'
  const code = character.codePointAt(0)!
  if (code > 0x7f && /[\p{Zs}\u2800]/u.test(character)) {
    return `the space U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  }
  if (code < 0x20 || INVISIBLE.test(character) || (code >= 0xd800 && code <= 0xdfff)) {
    return `the character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  }
  return `"${character}"`
}
