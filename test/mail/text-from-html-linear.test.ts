import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { HTML_LIMIT, TEXT_LIMIT, textFromHtml } from '../../src/mail/text/text-from-html.ts'
import { htmlWeight } from '../../src/mail/text/weight.ts'
import { grown, type HostileShape, hostileShape } from '../support/hostile-html.ts'
import { measureWork } from '../support/work-meter.ts'

/** For each character of HTML: blocks of code executed, characters copied, and characters of text at most. */
const STEPS = 60
const COPIED = 40
const WRITTEN = 12
/** Blocks and characters for each unit of weight. */
const OF_WEIGHT = 30
/** What every document costs, and text may have beyond its share. */
const FREE = 10_000

const SOURCES = ['/src/mail/text/', '/htmlparser2/', '/entities/']

interface Measured {
  length: number
  weight: number
  steps: number
  copied: number
  written: number
}

function measured(html: string): Measured {
  let text = ''
  const { steps, handled } = measureWork(SOURCES, () => {
    text = textFromHtml(html)
  })
  return { steps, copied: handled, length: html.length, weight: htmlWeight(html), written: text.length }
}

/** Twice the input is twice the work at most, and neither is much for what it reads. */
function holds(shape: HostileShape, characters = 8000): void {
  const half = measured(grown(shape, characters))
  const all = measured(grown(shape, 2 * characters))
  for (const { length, weight, steps, copied, written } of [half, all]) {
    assert.ok(steps <= STEPS * length + FREE, `${steps} steps for ${length} characters`)
    assert.ok(copied <= COPIED * length + FREE, `${copied} characters copied for ${length}`)
    assert.ok(
      Math.max(steps, copied) <= OF_WEIGHT * weight + FREE,
      `${steps}, ${copied} for a weight of ${weight}`,
    )
    assert.ok(written <= WRITTEN * length + FREE, `${written} characters written for ${length}`)
  }
  // Numbers in the pieces get longer, too.
  const twice = (of: number) => ((1.1 * all.length) / half.length) * of + FREE
  assert.ok(all.steps <= twice(half.steps), `${half.steps} steps, then ${all.steps}`)
  assert.ok(all.copied <= twice(half.copied), `${half.copied} copied, then ${all.copied}`)
}

const repeated = (piece: string, rest: Partial<HostileShape> = {}): HostileShape => ({
  before: '',
  repeated: piece,
  between: '',
  repeatedAfter: '',
  ...rest,
})

const SHAPES: Record<string, HostileShape> = {
  'links on one line': repeated('<a href="https://x.test/">t</a> '),
  'links of pictures on one line': repeated('<a href=x://y><img></a>'),
  'one link around a long line': repeated('word <b>x</b>', { before: '<a href=https://x.test/>' }),
  'links within links': repeated('<a href=x://y>t<table><tr><td>', {
    repeatedAfter: '</td></tr></table></a>',
  }),
  'links never closed': repeated('<p><a href="https://x.test/">t'),
  'a long mail address in a long text': repeated('a', {
    before: '<a href="mailto:b',
    between: '">',
    repeatedAfter: 'a',
  }),
  'a link of a long number': repeated('1', { before: '<a href=tel:', between: '>0', repeatedAfter: '0' }),
  'a link of nothing but brackets': repeated('<', { before: '<a href="x://', between: '">t</a>' }),
  'nested divs': repeated('<div>x'),
  'nested and closed divs': repeated('<div>x', { repeatedAfter: '</div>' }),
  'nested tables': repeated('<table><tr><td>x'),
  'nested tables of two columns': repeated('<table><tr><td>x<td>', { repeatedAfter: 'y<td>z</table>' }),
  'nested quotes': repeated('<blockquote>a'),
  'lines in nested quotes': repeated('a<br>', { before: '<blockquote>'.repeat(200) }),
  'empty lines in nested quotes': repeated('\n', {
    before: `${'<blockquote>'.repeat(200)}<pre>a`,
    between: 'a',
  }),
  'lines in nested lists': repeated('a<br>', { before: '<ol start=999999><li>'.repeat(200) }),
  'nested lists': repeated('<ul><li>a'),
  'paragraphs below many elements': repeated('<p><b>x', { before: '<div>'.repeat(500) }),
  'stray end tags below many elements': repeated('</foo></td></p></tr>', { before: '<div>'.repeat(500) }),
  'end tags that stop at a cell': repeated('</p></ul></a>', {
    before: `<p><a href=x><ul><table><tr><td>${'<div>'.repeat(500)}`,
  }),
  'items below many elements': repeated('<li>x', { before: `<ul>${'<div>'.repeat(500)}` }),
  'list items far from their list': repeated('<li>x</li>', { before: `<ol>${'<center>'.repeat(500)}` }),
  'hidden within hidden': repeated('<div style="display:none"><i>'),
  'visible within invisible': repeated('<i style="visibility:hidden">x<i style="visibility:visible">y'),
  'unclosed inline elements': repeated('<b><span style="color:red">t'),
  'unclosed inline elements below a style': repeated('<b><i>t', {
    before: '<p style="white-space:pre-line">',
  }),
  'elements of ever new names': repeated('<x\u0001>', { before: '<p style="font-size:0">' }),
  'one endless row': repeated('<td>a', { before: '<table>' }),
  'one endless row of empty cells': repeated('<td>', { before: '<table border=1><tr>', between: 'x' }),
  'rows of a cell': repeated('<tr><td>a', { before: '<table border=1>' }),
  'cells that reach down, above many rows': repeated('<td rowspan=1000000>', {
    before: '<table border=1><tr>',
    between: '<td>x',
    repeatedAfter: '<tr><td>a<td>',
  }),
  'cells that reach down in each row': repeated('<tr><td rowspan=0>a<td>b', { before: '<table border=1>' }),
  'cells that reach across': repeated('<tr><td rowspan=9 colspan=1000000>a<td colspan=99>b', {
    before: '<table border=1>',
  }),
  'rows of nothing': repeated('<tr>', {
    before: '<table border=1><tr><td rowspan=99999>a<td rowspan=99999>b',
  }),
  'attributes without end': repeated(' href=x', { before: '<a', between: '>t</a>' }),
  'attributes of ever new names': repeated(' a\u0001=x', { before: '<a', between: '>t</a>' }),
  'a style without end': repeated('a:b;', { before: '<p style="', between: 'display:none">x' }),
  'a style of comments': repeated('/*', { before: '<p style="display:none' }),
  'a style of closed comments': repeated('/**/', { before: '<p style="display:', between: 'none">x' }),
  'a style of almost font sizes': repeated('font-size:', { before: '<p style="', between: '">x' }),
  'a style of spaces': repeated(' ', { before: '<p style="font-size', between: 'x;font">x' }),
  'a style of importance': repeated('a:b !important;', { before: '<p style="' }),
  'many styles': repeated('<i style="font-size:14px">x</i>'),
  'a tag name without end': repeated('a', { before: '<' }),
  'nothing but openings': repeated('<'),
  'nothing but joiners': repeated('\u200c', { between: 'x' }),
  'letters with joiners': repeated('a\u200c'),
  'nothing but no-break spaces': repeated('&nbsp;'),
  'words with no-break spaces': repeated('a&nbsp;'),
  'entities that do not end': repeated('&am'),
  'a number that does not end': repeated('9', { before: '&#' }),
  'almost numbers': repeated('&#x'),
  ampersands: repeated('&'),
  'ampersands in an attribute': repeated('&', { before: '<a href="https://x.test/', between: '">x</a>' }),
  'entities in an attribute': repeated('&amp;', { before: '<a href="https://x.test/', between: '">x</a>' }),
  'comments that do not end': repeated('a<!--'),
  'comments that almost end': repeated('--', { before: '<!--' }),
  'declarations that do not end': repeated('<![CDATA['),
  'styles that do not end': repeated('<style></styl'),
  'titles that almost end': repeated('</titl&amp;', { before: '<title>' }),
  'breaks only': repeated('<br>'),
  'rules only': repeated('<hr>'),
  'rules and letters': repeated('<hr>a'),
  'lines of one letter': repeated('\na', { before: '<pre>' }),
  'spaces in preformatted text': repeated(' \n', { before: '<pre>a', between: 'b' }),
  'breaks in preformatted text': repeated('<br>', { before: '<pre>a', between: 'b' }),
  'control characters': repeated('\0'),
  'punctuation beside pictures': repeated('<img alt=".,.,">.,;:!?'),
  'punctuation in a row beside a picture': repeated('.', { before: '<img alt=x>', between: 'x' }),
  areas: repeated('<area href=x://y alt=z>'),
  'heads in heads': repeated('<head><title>'),
  'cells without a table': repeated('<td>a'),
  'Office settings': repeated('<xml><w:WordDocument/>'),
}

describe('the work to derive text, and the text, grow as the HTML does, no faster', () => {
  for (const [name, shape] of Object.entries(SHAPES)) test(name, () => holds(shape))

  test('whatever the shape', () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`seed ${seed}`)
    fc.assert(
      fc.property(hostileShape, (shape) => holds(shape, 4000)),
      { seed, numRuns: 150 },
    )
  })

  test('stops at limits of the input and of the text', () => {
    const lines = textFromHtml(`<blockquote><blockquote><blockquote>${'a<br>'.repeat(HTML_LIMIT)}`)
    assert.ok(lines.length <= TEXT_LIMIT + 100)
    assert.match(lines, /^> > > a\n> > > a\n/)
    const text = textFromHtml('<p>Hello <b>world</b> &amp; more</p>'.repeat(150_000))
    assert.match(text, /^Hello world & more\n\n/)
    const end = '<p>The end.</p>'
    const filled = (length: number) =>
      `<p>The beginning.</p><!--${'x'.repeat(length - 21 - 7 - end.length)}-->${end}`
    assert.equal(filled(HTML_LIMIT).length, HTML_LIMIT)
    assert.equal(textFromHtml(filled(HTML_LIMIT)), 'The beginning.\n\nThe end.')
    // Nothing that stands behind the limit is read, not even to its end.
    const beyond = textFromHtml(`${filled(HTML_LIMIT)}<p>Never read.</p>`)
    assert.match(beyond, /^The beginning\.\n\nThe end\.\n\n\[The rest/)
    assert.ok(!beyond.includes('Never read'))
    for (const shortened of [lines, text, beyond]) {
      assert.match(shortened, /\n\n\[The rest of this message is only in its HTML version\.\]$/)
    }
    assert.ok(!textFromHtml('<p>x</p>'.repeat(1000)).includes('[The rest'))
    // Neither limit leaves half a character.
    for (const before of ['', 'x'])
      assert.ok(textFromHtml(before + '\u{1F468}'.repeat(HTML_LIMIT)).isWellFormed())
  })
})

describe('the weight of a document', () => {
  test('counts characters, tags and entities, as far as they are read', () => {
    assert.equal(htmlWeight(''), 0)
    assert.equal(htmlWeight('words'), 5)
    assert.ok(htmlWeight('<p>a</p>') > 2 * htmlWeight('aaaaaaaa'))
    assert.ok(htmlWeight('a&amp;b') > htmlWeight('a+amp;b'))
    assert.equal(htmlWeight('x'.repeat(2 * HTML_LIMIT)), HTML_LIMIT)
    assert.equal(htmlWeight(`${'x'.repeat(HTML_LIMIT)}<p>&amp;`), HTML_LIMIT)
    assert.equal(htmlWeight('<p>'.repeat(2 * HTML_LIMIT)), htmlWeight('<p>'.repeat(HTML_LIMIT)))
  })

  test('is counted until it is enough', () => {
    const html = '<p>&amp;'.repeat(10_000)
    const { steps } = measureWork(SOURCES, () => htmlWeight(html, 100))
    assert.ok(steps < 200, `${steps} steps`)
    assert.ok(htmlWeight(html, 100) >= 100)
  })
})
