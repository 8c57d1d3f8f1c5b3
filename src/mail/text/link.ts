/** Links in plain text. */
import { PLACEHOLDER } from '../batch/substitute.ts'

/** Schemes that lead nowhere from a text, or would be dangerous to paste. */
const USELESS = /^(?:javascript|vbscript|data|cid|about|blob|file):/i
/**
 * An address such as `https://...`, or one whose beginning is filled in later: `%recipient.link%`, `{{ link }}`,
 * `*|LINK|*`.
 */
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|%[a-z_]|\{\{|\[|\*\||\$\{)/i
/** A host without a scheme: `www.example.com`, `example.com/path`. */
const HOST =
  /^(?:www\.[^/?#]+|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,5}\.([a-z]{2,24})(?::\d{1,5})?)(?:[/?#]|$)/i
const FILES = new Set(
  'html htm xhtml shtml php asp aspx jsp jsf do cgi pdf png jpg jpeg gif svg txt'.split(' '),
)
/** Characters that cannot stand in an address, or would show it in another order or shape. */
const NOT_IN_ADDRESS =
  /[\s<>\x80-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\ufff9-\ufffb]|\u034f/g
/** Matches the characters to encode, those of NOT_IN_ADDRESS, and placeholders, which are kept. */
const TO_ENCODE = new RegExp(`${PLACEHOLDER.source}|${NOT_IN_ADDRESS.source}`, 'g')
const TO_ENCODE_IN_PART = new RegExp(`${TO_ENCODE.source}|[%&#?]`, 'g')
/** Characters of the longest link text that is searched for the address or number of its link. */
const FEW_WORDS = 1000

/** The address that is shown for a link, after its text or in place of it. */
interface LinkLabel {
  address: string
  instead: boolean
}

/**
 * How to show a link: its text followed by the address in angle brackets (the delimiters that RFC 3986 appendix C
 * recommends, which no mail client takes for a part of the address), or only the address when the text repeats it.
 *
 * `text` is the visible text, `''` for none. Returns undefined when the text is shown alone: when it contains the
 * address, and when the address leads nowhere from a text, as a relative one does.
 */
export function linkLabel(text: string, href: string): LinkLabel | undefined {
  // A browser ignores line ends and tabs in an address and white space around it (WHATWG URL 4.4).
  const url = href.replace(/[\x00-\x1f\x7f]/g, '').trim()
  const scheme = /^(mailto|tel|sms):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === 'mailto') return toMail(text, url.slice(7))
  if (scheme !== undefined) return toNumber(text, url.slice(scheme.length + 1))
  const target = absolute(url)
  if (target === undefined) return undefined
  const address = target.replace(TO_ENCODE, encode)
  return { address, instead: text === '' || plain(text) === plain(address) }
}

function absolute(url: string): string | undefined {
  if (url === '' || USELESS.test(url)) return undefined
  // Without a page there is no scheme to inherit.
  if (url.startsWith('//')) return url.length > 2 ? `https:${url}` : undefined
  if (ABSOLUTE.test(url)) return url
  const host = HOST.exec(url)
  return host !== null && !FILES.has(host[1]?.toLowerCase() ?? '') ? url : undefined
}

/**
 * The address of a mailto link. Of its other fields, only the subject is shown (RFC 6068 2), because a reader often
 * needs it to unsubscribe.
 */
function toMail(text: string, target: string): LinkLabel | undefined {
  const [mailbox, query = ''] = halves(target, '?')
  const address = visibleAddress(decoded(mailbox))
  if (address === '') return undefined
  let subject = ''
  for (const field of query.split('&')) {
    const [name, value = ''] = halves(field, '=')
    if (name.toLowerCase() === 'subject') subject = visibleAddress(decoded(value))
  }
  if (subject !== '') {
    const part = (text: string) => text.replace(TO_ENCODE_IN_PART, encode)
    return {
      address: `mailto:${part(address)}?subject=${part(subject)}`,
      instead: text === '' || text === address,
    }
  }
  if (text === '') return { address, instead: true }
  if (text.length > FEW_WORDS || address.length > FEW_WORDS) return { address, instead: false }
  return text.toLowerCase().includes(address.toLowerCase()) ? undefined : { address, instead: false }
}

function toNumber(text: string, target: string): LinkLabel | undefined {
  const address = visibleAddress(decoded(halves(target, '?')[0]))
  if (address === '') return undefined
  if (text === '') return { address, instead: true }
  const digits = (value: string) => value.replace(/[^\d]/g, '')
  // A number is the same with or without its country code, and in any grouping.
  const number = text.length > FEW_WORDS ? '' : digits(text)
  return number.length > 4 && digits(address).endsWith(number.replace(/^0+/, ''))
    ? undefined
    : { address, instead: false }
}

/** In the browsers' encoding of such characters (WHATWG URL 1.3). */
const encode = (found: string) => (found.startsWith('%recipient') ? found : encodeURIComponent(found))

/** The address without characters that are invisible or would end the brackets around it. */
function visibleAddress(text: string): string {
  return text
    .replace(NOT_IN_ADDRESS, (character) => (/\s/.test(character) ? ' ' : ''))
    .replace(/[\x00-\x1f\x7f]/g, '')
    .trim()
}

function halves(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** An address without the scheme and the final slash, which people leave out. */
function plain(address: string): string {
  const bare = address.toLowerCase().replace(/^https?:\/\//, '')
  return bare.endsWith('/') ? bare.slice(0, -1) : bare
}

/** Text with an invalid escape stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
