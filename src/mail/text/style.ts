/** The visible effect of an element's inline styles: those that hide things in mail or keep line ends. */
import type { Attributes } from './html-reader.ts'

type WhiteSpace = 'collapse' | 'keep lines' | 'keep'

export interface Style {
  /** Removed with its content; nothing inside can be shown again. */
  hidden: boolean
  /** `visibility: hidden`; an element inside may be visible again. */
  invisible: boolean
  /**
   * `font-size: 0`: hides text, not pictures. An element inside may have a size again (mail builders do that in every
   * column).
   */
  sizeless: boolean
  whiteSpace: WhiteSpace
}

export const INITIAL: Style = { hidden: false, invisible: false, sizeless: false, whiteSpace: 'collapse' }

/** Elements whose white space is kept without any style. */
export const isPreformatted = (name: string) =>
  name === 'pre' || name === 'listing' || name === 'xmp' || name === 'plaintext'

export const showsPictures = (style: Style) => !style.hidden && !style.invisible
export const showsText = (style: Style) => showsPictures(style) && !style.sizeless

/** For these elements the height is a minimum (CSS 2.2 17.5.3). */
const GROWING = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'])
const WHITE_SPACE = new Map<string, WhiteSpace>([
  ['normal', 'collapse'],
  ['nowrap', 'collapse'],
  ['initial', 'collapse'],
  ['pre', 'keep'],
  ['pre-wrap', 'keep'],
  ['break-spaces', 'keep'],
  ['pre-line', 'keep lines'],
])
/** Most inline styles of a mail are about looks; those are not parsed. */
const RELEVANT = /display|visibility|opacity|overflow|white-space|font-size\s*:\s*[01]|font\s*:|\/\*|\\/i

/**
 * The style of an element inside of `outer`, or `outer` itself when nothing changes.
 *
 * Only inline styles and the `hidden` attribute count; style sheets are not applied, because mail clients often drop
 * them too, and hiding by class is therefore always repeated inline. `mso-hide: all` alone hides nothing: it hides from
 * Outlook what every other client shows, often a button that Outlook gets as a drawing.
 */
export function styleOf(outer: Style, name: string, attributes: Attributes): Style {
  if (outer.hidden) return outer
  let inner = outer
  if (isPreformatted(name)) inner = { ...inner, whiteSpace: 'keep' }
  const style = attributes.get('style')
  if (style !== undefined && (outer.sizeless || RELEVANT.test(style))) inner = declared(inner, name, style)
  // A `display` style of its own wins over the attribute, which is only a default rule of browsers (HTML standard
  // 15.3.1).
  if (attributes.has('hidden') && !inner.hidden && !(style !== undefined && DISPLAY.test(style))) {
    inner = { ...inner, hidden: true }
  }
  return inner
}

const DISPLAY = /(?:^|;)\s*display\s*:/i

function declared(outer: Style, name: string, style: string): Style {
  const values = declarations(style)
  const zero = (property: string) => isZero(values.get(property))
  const clipped = ['overflow', 'overflow-x', 'overflow-y'].some((p) =>
    /hidden|clip/.test(values.get(p) ?? ''),
  )
  const flat =
    zero('max-height') || zero('max-width') || (!GROWING.has(name) && (zero('height') || zero('width')))
  const hidden = values.get('display') === 'none' || zero('opacity') || (clipped && flat)
  const visibility = values.get('visibility')
  const invisible =
    visibility === undefined ? outer.invisible : visibility === 'hidden' || visibility === 'collapse'
  const size = values.get('font-size')
  const sizeless = size === undefined ? outer.sizeless : isZero(size) || /^[01](?:\.\d*)?px$/.test(size)
  const whiteSpace = WHITE_SPACE.get(values.get('white-space') ?? '') ?? outer.whiteSpace
  if (
    hidden === outer.hidden &&
    invisible === outer.invisible &&
    sizeless === outer.sizeless &&
    whiteSpace === outer.whiteSpace
  ) {
    return outer
  }
  return { hidden, invisible, sizeless, whiteSpace }
}

/** Properties and their values in lower case. The last one counts, or the last important one. */
function declarations(style: string): Map<string, string> {
  const values = new Map<string, string>()
  let important: Set<string> | undefined
  for (const declaration of unescaped(withoutComments(style)).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 0) continue
    let property = declaration.slice(0, colon).trim()
    let value = declaration.slice(colon + 1).trim()
    const mark = value.indexOf('!')
    if (mark >= 0) {
      value = value.slice(0, mark).trimEnd()
      important ??= new Set()
      important.add(property)
    } else if (important?.has(property)) continue
    if (property === 'font') {
      // The size stands before the family, followed by a slash and the line height: `0/0 a`, `bold 14px/20px Arial`.
      const size = /(?:^| )(\d[^ /]*)(?:[ /]|$)/.exec(value)?.[1]
      if (size === undefined) continue
      property = 'font-size'
      value = size
    }
    values.set(property, value)
  }
  return values
}

function withoutComments(style: string): string {
  let rest = ''
  let from = 0
  for (;;) {
    const start = style.indexOf('/*', from)
    if (start < 0) return from === 0 ? style : rest + style.slice(from)
    rest += style.slice(from, start)
    const end = style.indexOf('*/', start + 2)
    if (end < 0) return rest
    from = end + 2
  }
}

/** CSS Syntax 4.3.7: `\64 isplay` is `display`. */
function unescaped(style: string): string {
  if (!style.includes('\\')) return style
  return style.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, other: string) =>
    hex === undefined ? other : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** `0`, `0px`, `0.0em`, `0%`. */
function isZero(value: string | undefined): boolean {
  return value !== undefined && Number.parseFloat(value) === 0
}
