import { strayLinks } from '../../harness/shown-links.ts'
import { safeHtml } from '../../src/http/shown-emails/safe-html.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

const ASKS = '/console/api/leave?'
/** Characters that one of HTML may become, beside the addresses of links. */
const GROWTH = 8

export const preview: FuzzTarget = {
  name: 'preview',
  about: 'HTML of mail that the console shows: every link leads to the page that asks',
  seeds: [
    '<p>Hello <a href="https://x.test/?a=1&amp;b=2">there</a><img src="cid:logo">',
    '<!doctype html><html><head><style>p > a { x: "<" }</style></head><body><table><tr><td>1</table>',
    '<svg><script></svg><a href=https://x.test/>x</a><style></style></svg>',
    '<math><mtext><style></math><a href=https://x.test/>x</a></style>',
    '<svg><![CDATA[<a href=https://x.test/>x</a>]]></svg><!--><a href=x:>--><noscript><p title="</noscript>">',
    '<svg><a xlink:href=https://x.test/><set attributeName=href to=https://y.test/></a></svg>',
    '<form action=https://x.test/><button formaction=x></form><base href=//x><meta http-equiv=refresh content=0>',
    '<select><style></select><a href=http://x.test/><textarea></textarea><title></title><xmp><template>',
  ],
  tokens: [
    ...words(
      '< > </ /> <svg> </svg> <math> </math> <mtext> <mglyph> <annotation-xml> <foreignObject> <desc> <title> </title>',
      '<style> </style> <script> </script> <xmp> </xmp> <noembed> <noframes> <noscript> </noscript> <textarea>',
      '</textarea> <plaintext> <template> </template> <iframe> </iframe> <select> </select> <table> <tr> <td> <frameset>',
      '<!-- --> <!--> --!> <![CDATA[ ]]> <? ?> <! & &amp; &lt; &#60; " \' = / \0 \\3c <form> </form> <p> </p> <br>',
    ),
    '<a href="https://evil.test/">',
    "<a href='",
    ' href=https://evil.test/ ',
    ' xlink:href="',
    ' style="',
    ' title="</',
    '<base href=//evil.test>',
    '<meta http-equiv=refresh content="0;url=//evil.test">',
    ' ',
    '\n',
  ],
  run(input) {
    const html = input.toString('utf8')
    let links = 0
    const shown = safeHtml(html, {
      link: (href) => {
        links += 1
        return `${ASKS}${encodeURIComponent(href.toWellFormed())}`
      },
      picture: () => null,
    })
    const stray = strayLinks(shown, ASKS)
    assert(stray.length === 0, `leads past the page that asks: ${stray.join(', ')}`)
    const most = GROWTH * 3 * html.length + 100 * links + 100
    assert(shown.length <= most, `${html.length} characters became ${shown.length}`)
  },
}
