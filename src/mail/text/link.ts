/** Links in plain text. */

/** Schemes that lead nowhere from a text, or would be dangerous to paste. */
const USELESS = /^(?:javascript|vbscript|data|cid|about|blob|file):/i

/**
 * What to show of a link: its text followed by the address in angle brackets (the delimiters RFC 3986 appendix C
 * recommends, which no mail client takes for a part of the address), or the address alone where the text says nothing else.
 *
 * `text` is the visible text, `''` for none. Gives undefined when the text stands for itself.
 */
export function linkText(text: string, href: string): string | undefined {
  // A browser ignores line ends and tabs in an address and white space around it (WHATWG URL 4.4).
  const url = href.replace(/[\x00-\x1f\x7f]/g, '').trim()
  if (url === '' || url.startsWith('#') || USELESS.test(url)) return undefined
  const scheme = /^(mailto|tel|sms):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    const shown = url.replaceAll(' ', '%20').replaceAll('<', '%3C').replaceAll('>', '%3E')
    if (text === '' || plain(text) === plain(shown)) return shown
    return `${text} <${shown}>`
  }
  const target = decode(url.slice(scheme.length + 1).split('?', 1)[0]!)
    .replace(/[<>\x00-\x1f\x7f]/g, '')
    .trim()
  if (target === '') return undefined
  if (text === '') return target
  if (scheme === 'mailto') {
    return text.toLowerCase().includes(target.toLowerCase()) ? undefined : `${text} <${target}>`
  }
  const digits = (value: string) => value.replace(/[^\d]/g, '')
  // A number is the same with or without its country code and however it is grouped.
  const said = digits(text)
  return said.length > 4 && digits(target).endsWith(said.replace(/^0+/, ''))
    ? undefined
    : `${text} <${target}>`
}

/** An address as people write it: scheme and final slash do not count. */
function plain(address: string): string {
  const bare = address.toLowerCase().replace(/^https?:\/\//, '')
  return bare.endsWith('/') ? bare.slice(0, -1) : bare
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
