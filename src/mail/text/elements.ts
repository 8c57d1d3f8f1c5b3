/** What the HTML elements mean for text. */
import type { Gap } from './block.ts'

const set = (names: string) => new Set(names.split(' '))

/** Never shown as text in a mail client. */
export const DROPPED = set(
  'head title script style template iframe object applet svg math audio video canvas select datalist textarea ' +
    'noframes noembed frameset',
)

export const VOID = set(
  'area base basefont br col command embed frame hr img input keygen link meta param source track wbr bgsound',
)

/** May stand in the head; anything else ends it (HTML standard 13.2.6.4.4). */
export const HEAD_CONTENT = set(
  'title style script meta link base basefont bgsound noscript template noframes',
)

/** Elements that end an open paragraph. */
export const ENDS_PARAGRAPH = set(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 ' +
    'h4 h5 h6 header hgroup hr main menu nav ol p pre section summary table ul li dt dd',
)

/** The table an element belongs to bounds where its end tag, or the end that is implied, may reach. */
export const TABLE_PARTS = set('caption thead tbody tfoot tr td th')

const APART = set('p h1 h2 h3 h4 h5 h6 ul ol menu dir dl pre blockquote figure')
const BELOW = set(
  'html body div li dt dd section article header footer main aside nav address form fieldset legend center details ' +
    'summary dialog figcaption hgroup caption',
)

/** How far an element keeps from what is before and after it. */
export function gapOf(name: string): Gap {
  if (APART.has(name)) return 2
  return BELOW.has(name) ? 1 : 0
}

/** Opening one of these ends an open one of those, up to the nearest boundary. */
export const IMPLIED_ENDS = new Map<string, { ends: ReadonlySet<string>; within: ReadonlySet<string> }>([
  ['li', { ends: set('li'), within: set('ul ol menu dir table td th blockquote') }],
  ['dt', { ends: set('dt dd'), within: set('dl table td th blockquote') }],
  ['dd', { ends: set('dt dd'), within: set('dl table td th blockquote') }],
  ['a', { ends: set('a'), within: set('table td th') }],
  ['td', { ends: set('td th caption'), within: set('table') }],
  ['th', { ends: set('td th caption'), within: set('table') }],
  ['tr', { ends: set('tr td th caption'), within: set('table') }],
  ['tbody', { ends: set('thead tbody tfoot tr td th caption'), within: set('table') }],
  ['thead', { ends: set('thead tbody tfoot tr td th caption'), within: set('table') }],
  ['tfoot', { ends: set('thead tbody tfoot tr td th caption'), within: set('table') }],
])
