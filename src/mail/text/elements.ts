/** The meaning of the HTML elements for text. */
import type { Gap } from './block.ts'

/** The relevant properties of the elements of one name. */
export interface Kind {
  readonly name: string
  /** Small and unique; -1 for elements without a meaning here. */
  readonly id: number
  /** Never shown as text, including its content. */
  readonly dropped: boolean
  /** Has no content and no end tag. */
  readonly void: boolean
  /** The distance of the element from the text before and after it. */
  readonly gap: Gap
  /** The start and the end of the element matter, even when it changes no style. */
  readonly structural: boolean
  readonly list: boolean
  readonly cell: boolean
  /** The element's table bounds the reach of its end tag, and of its implied end. */
  readonly tablePart: boolean
  /** May stand in the head; anything else ends it (HTML standard 13.2.6.4.4). */
  readonly headContent: boolean
  readonly endsParagraph: boolean
  /** Kinds whose open elements it ends, up to the nearest open element of a kind in `within`. */
  readonly ends: readonly number[]
  readonly within: readonly number[]
}

const words = (names: string) => names.split(' ')

/**
 * Never shown in a mail client. The last ones are settings that Office writes beside a text. Video, audio and object
 * are not listed: their content is for clients that cannot show them, and a text cannot.
 */
const DROPPED = words(
  'head title script style template iframe applet svg math canvas select datalist textarea noframes noembed frameset ' +
    'xml w:worddocument w:latentstyles o:officedocumentsettings o:documentproperties o:customdocumentproperties ' +
    'o:shapedefaults o:shapelayout m:mathpr',
)
const VOID = words(
  'area base basefont br col command embed frame hr img input keygen link meta param source track wbr bgsound',
)
const HEAD_CONTENT = words(
  'title style script meta link base basefont bgsound noscript template noframes xml',
)
const ENDS_PARAGRAPH = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul li dt dd',
)
const TABLE_PARTS = words('caption thead tbody tfoot tr td th')
const APART = words('p h1 h2 h3 h4 h5 h6 ul ol menu dir dl pre listing xmp plaintext blockquote figure')
const BELOW = words(
  'html body div li dt dd section article header footer main aside nav address form fieldset legend center details ' +
    'summary dialog figcaption hgroup caption',
)

/**
 * Each of these ends its own kind, so at most one of a kind is ever open below a boundary. HTML standard 13.1.2.4 has
 * the rules.
 */
const IMPLIED_ENDS: Record<string, [ends: string, within: string]> = {
  li: ['li', 'ul ol menu dir table td th blockquote'],
  dt: ['dt dd', 'dl table td th blockquote'],
  dd: ['dt dd', 'dl table td th blockquote'],
  a: ['a', 'table td th'],
  td: ['td th caption', 'table'],
  th: ['td th caption', 'table'],
  tr: ['tr td th caption', 'table'],
  tbody: ['caption thead tbody tfoot tr td th', 'table'],
  thead: ['caption thead tbody tfoot tr td th', 'table'],
  tfoot: ['caption thead tbody tfoot tr td th', 'table'],
  caption: ['caption thead tbody tfoot tr td th', 'table'],
}

const NAMES = [
  ...new Set([
    ...[
      'table',
      'a',
      ...DROPPED,
      ...VOID,
      ...HEAD_CONTENT,
      ...ENDS_PARAGRAPH,
      ...TABLE_PARTS,
      ...APART,
      ...BELOW,
    ],
  ]),
]
const idOf = (name: string) => NAMES.indexOf(name)

function kind(name: string): Kind {
  const gap = APART.includes(name) ? 2 : BELOW.includes(name) ? 1 : 0
  const tablePart = TABLE_PARTS.includes(name)
  const [ends, within] = IMPLIED_ENDS[name] ?? []
  return {
    name,
    id: idOf(name),
    dropped: DROPPED.includes(name),
    void: VOID.includes(name),
    gap,
    structural: gap > 0 || tablePart || name === 'table' || name === 'a',
    list: name === 'ul' || name === 'ol',
    cell: name === 'td' || name === 'th',
    tablePart,
    headContent: HEAD_CONTENT.includes(name),
    endsParagraph: ENDS_PARAGRAPH.includes(name),
    ends: ends === undefined ? [] : words(ends).map(idOf),
    within: within === undefined ? [] : words(within).map(idOf),
  }
}

const KINDS = new Map(NAMES.map((name) => [name, kind(name)]))
const OTHER = kind('')

/** The kind of the elements of a lower-case name. */
export function kindOf(name: string): Kind {
  return KINDS.get(name) ?? OTHER
}

export const PARAGRAPH = idOf('p')
export const TABLE = idOf('table')
export const HEAD = idOf('head')
export const CELLS = [idOf('td'), idOf('th')]
/** Number of kinds that have an id. */
export const KNOWN = NAMES.length

/** Whether a self-closing tag of an element closes it: in XML within HTML it does, in HTML itself it does not. */
export function closesItself(name: string): boolean {
  return name === 'svg' || name === 'math' || name === 'xml' || name.includes(':')
}
