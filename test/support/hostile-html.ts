/** HTML written to harm its readers: seeded, for property tests and for fuzzing. */
import fc from 'fast-check'

const words = (text: string) => text.split(' ')

const NAMES = words(
  'html head body title style script div p span b i a table caption thead tbody tfoot tr td th ul ol li dl dt dd pre ' +
    'blockquote br hr img area map h1 h6 center font svg math xml template select textarea iframe noscript xmp plaintext ' +
    'video object o:p w:worddocument v:rect x-y base form input',
)

const STYLES = [
  'display:none',
  'display:block',
  'display:none !important;display:block',
  'visibility:hidden',
  'visibility:visible',
  'font-size:0',
  'font:0/0 a',
  'font-size:14px',
  'white-space:pre',
  'white-space:pre-line',
  'white-space:normal',
  'height:0;overflow:hidden',
  'max-height:0;overflow:hidden;opacity:0',
  '/*',
  '/**/display/**/:/**/none',
  ';;;;:::;',
  `color:red;${'a:b;'.repeat(50)}`,
]

const HREFS = [
  'https://x.test/',
  'http://x.test/a?b=1&amp;c=2#d',
  '//x.test',
  '/',
  '',
  '#',
  'x.test/a',
  'index.html',
  '%recipient.link%',
  'javascript:alert(1)',
  'mailto:a@x.test',
  'mailto:a@x.test?subject=%0d%0aBcc:%20b@x.test&body=c',
  'mailto:%',
  `mailto:${'a'.repeat(300)}b`,
  'tel:+1 234',
  'https://x.test/&#8238;<>\u009b31m \u202e',
]

const attribute = fc.oneof(
  fc.constantFrom(...STYLES).map((style) => `style="${style}"`),
  fc.constantFrom(...HREFS).map((href) => `href="${href}"`),
  fc.constantFrom(
    ...[
      'hidden',
      'alt',
      'alt=""',
      'alt="a picture"',
      'alt="&nbsp;\u202e\0"',
      'width=1',
      'width=0',
      'border=1',
      '"',
    ],
    ...[
      'rowspan=1000000',
      'rowspan=0',
      'rowspan=2',
      'rowspan=-1',
      'colspan=1000000',
      'colspan=2',
      'colspan=x',
    ],
    ...[
      'role=presentation',
      'role=table',
      'start=999999',
      'start=-5',
      'value=3',
      'value=1e9',
      "'",
      '=',
      '/',
      '&',
      '<',
    ],
  ),
)

/** A start tag, now and then an unfinished one. */
const tag = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.array(attribute, { maxLength: 3 }),
    fc.constantFrom('>', '>', '>', '>', '>', '>', ' />', '/>', '', ' '),
  )
  .map(([name, attributes, end]) => `<${[name, ...attributes].join(' ')}${end}`)

const endTag = fc.constantFrom(...NAMES).map((name) => `</${name}>`)

const text = fc.constantFrom(
  ...[
    'x',
    ' ',
    '\n',
    '\t',
    'word ',
    'two words',
    '. ',
    '(',
    '"',
    ' | ',
    '\r\n',
    '\r',
    '/',
    '<',
    '>',
    '&',
    '&#',
    '&#x',
  ],
  ...[
    '&nbsp;',
    '&zwnj;',
    '&zwj;',
    '&shy;',
    '&amp;',
    '&notit;',
    '&NotEqualTilde;',
    '&#0;',
    '&#xd800;',
    '&#x202e;',
  ],
  ...[
    '&#99999999999;',
    '&am',
    '&lt;a:',
    '\0',
    '\x1b[31m',
    '\u009b',
    '\u202e',
    '\u2066',
    '\ud800',
    '\udc00',
    '\u2028',
  ],
  ...[
    '\u00a0',
    '\u200b',
    '\u200c',
    '\u200d',
    '\u{1F468}',
    '\u0627',
    'e\u0301',
    '\ufeff',
    '\ufffe',
    '\u{E0041}',
  ],
  ...['12345678901234567890', 'https://x.test/', 'a@x.test', '%recipient.name%', '{{x}}', 'x'.repeat(100)],
)

const markup = fc.constantFrom(
  ...[
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!',
    '<!doctype html>',
    '<!doctype',
    '<![CDATA[',
    ']]>',
    '<?xml',
    '?>',
    '</',
    '</>',
  ],
  ...[
    '<!--[if mso]>',
    '<![endif]-->',
    '<![if !mso]>',
    '<![endif]>',
    '<!--[if !mso]><!-->',
    '<!--<![endif]-->',
  ],
  ...[
    '<table><tr><td>',
    '</td></tr></table>',
    '<tr><td>x<td rowspan=9>y',
    '<ul><li>',
    '<a href=https://x.test/>t</a>',
  ],
  ...[
    '<a href=x://y><img></a>',
    '<hr>',
    '<br>',
    '<blockquote>',
    '<pre>\n',
    '<dd>',
    '<style>',
    '</style>',
    '<textarea>',
  ],
)

/** A piece of a document: a tag, an end tag, a comment, or a text, whole or not. */
const hostileFragment: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: tag },
  { weight: 2, arbitrary: endTag },
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: markup },
)

/** A document of up to some kilobytes. */
export const hostileHtml: fc.Arbitrary<string> = fc
  .array(hostileFragment, { maxLength: 120 })
  .map((fragments) => fragments.join(''))

/** A shape that grows: what is repeated in front, between, and behind. `\u0001` in it becomes the number of the repetition. */
export interface HostileShape {
  before: string
  repeated: string
  between: string
  repeatedAfter: string
}

const fragments = (maxLength: number) =>
  fc.array(hostileFragment, { maxLength }).map((pieces) => pieces.join(''))

export const hostileShape: fc.Arbitrary<HostileShape> = fc.record({
  before: fragments(4),
  repeated: fc
    .tuple(fragments(5), hostileFragment, fc.constantFrom('', '', '', '<x\u0001>', 'a\u0001', '<b c\u0001>'))
    .map((pieces) => pieces.join('')),
  between: fragments(2),
  repeatedAfter: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fragments(3) }),
})

/** The shape at a size: what repeats does so until about that many characters are reached. */
export function grown(
  { before, repeated, between, repeatedAfter }: HostileShape,
  characters: number,
): string {
  const times = Math.max(1, Math.floor(characters / (repeated.length + repeatedAfter.length)))
  const numbered = (piece: string) => {
    if (!piece.includes('\u0001')) return piece.repeat(times)
    return Array.from({ length: times }, (_, index) => piece.replaceAll('\u0001', String(index))).join('')
  }
  return before + numbered(repeated) + between + numbered(repeatedAfter)
}
