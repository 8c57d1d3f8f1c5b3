/** The links of a document as a browser finds them, by parse5, an independent implementation of the HTML standard. */
import { type DefaultTreeAdapterTypes, html as names, parse } from 'parse5'

/** Elements that have no place in mail that is shown: they load, lead or send elsewhere, or are read by other rules. */
const FORBIDDEN = new Set([
  ...[
    'applet',
    'base',
    'embed',
    'form',
    'frame',
    'frameset',
    'iframe',
    'link',
    'math',
    'meta',
    'noembed',
    'noframes',
  ],
  ...['noscript', 'object', 'plaintext', 'script', 'svg', 'template', 'textarea', 'title', 'xmp'],
])
const LEADING = new Set([
  ...[
    'action',
    'attributionsrc',
    'download',
    'formaction',
    'href',
    'http-equiv',
    'manifest',
    'ping',
    'srcdoc',
  ],
  ...['xlink:href'],
])

type Node = DefaultTreeAdapterTypes.Node

/** What leads anywhere but to the page that asks, or within the document: sentences. */
export function strayLinks(html: string, asks: string): string[] {
  return [true, false].flatMap((scriptingEnabled) => strayIn(parse(html, { scriptingEnabled }), asks))
}

function strayIn(root: Node, asks: string): string[] {
  const found: string[] = []
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('content' in node) waiting.push(node.content)
    if ('childNodes' in node) waiting.push(...node.childNodes)
    if (!('tagName' in node)) continue
    const { tagName, namespaceURI, attrs } = node
    if (namespaceURI !== names.NS.HTML || FORBIDDEN.has(tagName)) found.push(`the element ${tagName}`)
    for (const { name, value, prefix = '' } of attrs) {
      const whole = prefix === '' ? name : `${prefix}:${name}`
      if (whole.startsWith('on')) found.push(`${whole} of ${tagName}`)
      if (!LEADING.has(whole)) continue
      const isLink = whole === 'href' && (tagName === 'a' || tagName === 'area')
      if (!isLink || !(value.startsWith('#') || value.startsWith(asks))) {
        found.push(`${whole}="${value.slice(0, 200)}" of ${tagName}`)
      }
    }
  }
  return found
}
