/** Strangers' HTML as it is shown: a browser parses it as we have written it, and finds no other link. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { strayLinks } from '../../../harness/shown-links.ts'
import { safeHtml } from '../../../src/http/shown-emails/safe-html.ts'
import { grown, hostileHtml, hostileShape } from '../../support/hostile-html.ts'
import { HOSTILE_LINKS } from '../../support/hostile-links.ts'
import { measureWork } from '../../support/work-meter.ts'

const ASKS = '/console/api/leave?'
const shown = (html: string) =>
  safeHtml(html, {
    link: (href) => (/^https?:/i.test(href) ? `${ASKS}to=${encodeURIComponent(href)}` : null),
    picture: (id) => (id === 'logo' ? 'data:image/png;base64,AAAA' : null),
  })

test('every link leads to the page that asks first, even where a tokenizer and a browser disagree', () => {
  assert.ok(HOSTILE_LINKS.length > 150)
  for (const html of HOSTILE_LINKS) assert.deepEqual(strayLinks(shown(html), ASKS), [], html)
})

test('every link in any document leads to that page', () => {
  fc.assert(
    fc.property(fc.oneof(hostileHtml, fc.array(fc.constantFrom(...HOSTILE_LINKS)).map(mixed)), (html) => {
      assert.deepEqual(strayLinks(shown(html), ASKS), [])
    }),
    { numRuns: 2_000 },
  )
})

/** The second half of each, then the first half of the next. */
function mixed(documents: readonly string[]): string {
  return documents
    .map((html, index) => (index % 2 ? html.slice(html.length / 2) : html.slice(0, 60)))
    .join('')
}

test('the output parses to the same output again', () => {
  fc.assert(
    fc.property(hostileHtml, (html) => {
      const once = shown(html)
      assert.deepEqual(textOf(shown(once)), textOf(once))
    }),
    { numRuns: 500 },
  )
})

const textOf = (html: string) => html.replace(/<[^>]*>/g, '')

test('mail keeps its layout, styles, pictures and links', () => {
  const html = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head><title>T</title><style type="text/css">p > a { color: red } @media (max-width: 9px) { x { y: "<" } }</style></head>
<body bgcolor="#fff"><!--[if mso]><p>mso</p><![endif]--><table width="100%" style="background:url(cid:logo)"><tr><td>
<a href="https://x.test/?a=1&amp;b=2" style="color:red" target="_top">a &lt; b &amp; c</a> <img src="cid:logo" alt='"q"'>
<o:p>&nbsp;</o:p><br/></td></tr></table></body></html>`
  assert.equal(
    shown(html),
    `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head><style type="text/css">p > a { color: red } @media (max-width: 9px) { x { y: "\\3c " } }</style></head>
<body bgcolor="#fff"><table width="100%" style="background:url(data:image/png;base64,AAAA)"><tr><td>
<a href="${ASKS}to=https%3A%2F%2Fx.test%2F%3Fa%3D1%26b%3D2" target="_blank" rel="noopener noreferrer" style="color:red">a &lt; b &amp; c</a> <img src="data:image/png;base64,AAAA" alt="&quot;q&quot;">
<o:p>\u00a0</o:p><br></td></tr></table></body></html>`,
  )
  assert.equal(shown('<a href=" #part ">p</a><p>cid:logo'), '<a href="#part">p</a><p>cid:logo')
  assert.equal(shown('<style>a{}'), '<style>a{}</style>')
  assert.equal(shown('<noscript>n</noscript><script>s</script><xmp><b></xmp>e'), 'ne')
})

test('the cost is linear, whatever is repeated', () => {
  fc.assert(
    fc.property(hostileShape, (shape) => {
      const cost = (characters: number) => {
        const html = grown(shape, characters)
        const { steps, handled } = measureWork(['/src/http/console/', '/htmlparser2/'], () => shown(html))
        return (steps + handled) / html.length
      }
      cost(2_000)
      const [small, large] = [cost(20_000), cost(80_000)]
      assert.ok(large < 1.5 * small + 20, `${small} became ${large} a character`)
    }),
    { numRuns: 20 },
  )
})
