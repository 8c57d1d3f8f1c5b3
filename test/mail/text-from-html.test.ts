import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { HTML_LIMIT, textFromHtml } from '../../src/mail/text/text-from-html.ts'
import { hostileHtml } from '../support/hostile-html.ts'

/** Mails in the style of builders and mail programs, each with a text that reads well. */
const MAILS = new URL('text-from-html/', import.meta.url)
const mail = (name: string) => readFileSync(new URL(name, MAILS), 'utf8')
/** Each pair: HTML, and the text it becomes. */
function become(pairs: [html: string, text: string][]): void {
  for (const [html, text] of pairs) assert.equal(textFromHtml(html), text, html)
}

describe('whole mails read well', () => {
  for (const name of readdirSync(MAILS).filter((file) => file.endsWith('.html'))) {
    test(name, () => {
      assert.equal(`${textFromHtml(mail(name))}\n`, mail(name.replace('.html', '.txt')))
    })
  }
})

describe('text', () => {
  test('is collapsed as a browser does, across tags and entities', () => {
    become([
      ['', ''],
      [' \n ', ''],
      ['a  b\n\tc', 'a b c'],
      ['a <b> b</b>c', 'a bc'],
      ['<b>a</b> <i>b</i>', 'a b'],
      ['a&nbsp;&nbsp;b', 'a b'],
      ['&euro;&#8364;&#x20AC;&amp;lt;&bogus;', '€€€&lt;&bogus;'],
      ['1 < 2 && 3 > 2', '1 < 2 && 3 > 2'],
    ])
  })

  test('has no invisible fillers, but keeps joiners that shape letters', () => {
    become([
      [`a${'&nbsp;&zwnj;'.repeat(90)}`, 'a'],
      [`Hello${'&#847;&zwnj;&nbsp;&#8199;&shy;'.repeat(30)} there`, 'Hello there'],
      ['می\u200cخواهم', 'می\u200cخواهم'],
      ['\u{1F468}\u200D\u{1F469}', '\u{1F468}\u200D\u{1F469}'],
      ['a\u0000b\u0007c\u009f', 'abc'],
    ])
    assert.ok(textFromHtml('a\ud800b').isWellFormed())
  })

  test('has its paragraphs, breaks and rules apart', () => {
    become([
      ['<p>a</p><p>b</p>', 'a\n\nb'],
      ['<p>a<p>b', 'a\n\nb'],
      ['<div>a</div><div>b</div>c', 'a\nb\nc'],
      ['a<br>b<br/><br />c<br><br><br><br>d', 'a\nb\n\nc\n\nd'],
      ['<p>a<br></p><p>&nbsp;</p><p><br></p><p>b</p>', 'a\n\nb'],
      ['a<hr>b', `a\n\n${'-'.repeat(40)}\n\nb`],
      ['<h1>Title</h1>text', 'Title\n\ntext'],
      ['a</p>b', 'a\n\nb'],
      ['a<hr><hr>b', `a\n\n${'-'.repeat(40)}\n\nb`],
      ['<div>a</div><div><br></div><div>b</div><br>c', 'a\n\nb\n\nc'],
    ])
  })

  test('keeps its line ends and its spaces where a style says so', () => {
    become([
      ['<p style="white-space:pre-line">one  two\n  three\n\nfour</p>', 'one two\nthree\n\nfour'],
      ['<div style="WHITE-SPACE: pre-wrap">a  b\r\n  c</div>d', 'a  b\n  c\nd'],
      ['<p style="white-space:break-spaces">a\n<b>b</b></p>', 'a\nb'],
      ['<p style="white-space:pre">x\n y<span style="white-space:normal"> a\n b</span></p>', 'x\n y a b'],
      ['<pre style="white-space:normal">a\n b</pre>', 'a b'],
      ['<p style="white-space:nowrap">a\n  b</p>', 'a b'],
      ['<div style="white-space:pre">x<table>\n<tr>\n<td>a</td>\n<td>b</td></tr></table></div>', 'x\na | b'],
    ])
  })

  test('of a picture is a word of its own', () => {
    become([
      ['<img alt="Logo">Welcome', 'Logo Welcome'],
      ['by<img alt="A"><img alt=" B "> now', 'by A B now'],
      ['Hello<img alt="\u{1F44B}">, you (<img alt="x">)', 'Hello \u{1F44B}, you (x)'],
      ['a<img alt="">b<img>c', 'a b c'],
      ['<img alt="x" width="1" height="1"><img alt="y" style="display:none">a', 'a'],
      ['<td style="font-size:0"><img alt="Logo">x</td>', 'Logo'],
    ])
  })

  test('is not wrapped', () => {
    const long = 'word '.repeat(500).trim()
    assert.equal(textFromHtml(`<p>${long}</p>`), long)
  })

  test('leaves out content that is not text', () => {
    become([
      ['a<script>if (a < b) "</p>"</script>b<style>p{}</style>c', 'abc'],
      ['<head><title>T</title></head><body>a', 'a'],
      ['<head><meta charset="utf-8"><title>T</title><p>a</p>', 'a'],
      ['a<!-- x --><!--[if mso]>no<![endif]--><![if !mso]>yes<![endif]>', 'ayes'],
      ['a<svg><text>x</text></svg><iframe src="x">y</iframe><template>z</template>', 'a'],
      ['a<style>never closed', 'a'],
      ['a<!-- never closed', 'a'],
    ])
  })

  test('leaves out the additions of Office', () => {
    become([
      ['<xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml>a', 'a'],
      [
        '<head><xml>\n <w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><style>b</style></head>a',
        'a',
      ],
      ['<w:LatentStyles>x</w:LatentStyles><o:shapedefaults v:ext="edit" spidmax="1026" />a', 'a'],
      ['<p>a<o:p></o:p></p><p><o:p>&nbsp;</o:p></p><p><st1:place>b</st1:place></p>', 'a\n\nb'],
      ['<!--[if gte mso 9]><xml><w:View>x</w:View></xml><![endif]-->a', 'a'],
      [
        '<!--[if mso]><v:rect><v:textbox inset="0"><![endif]-->a<!--[if mso]></v:textbox></v:rect><![endif]-->',
        'a',
      ],
      ['<!--[if !vml]--><img alt="a"><!--[endif]--><![if !mso]>b<![endif]>', 'a b'],
    ])
  })

  test('of hidden elements is not there', () => {
    for (const style of [
      'display:none',
      'DISPLAY : NONE !important',
      'color:red;visibility:hidden',
      'max-height:0;overflow:hidden',
      'max-height:0px;overflow:clip',
      'width:200px;height:0;overflow:hidden',
      'overflow-y:hidden;height:0px !important;height:20px',
      'font:0/0 a',
      'font-size:1px',
      'display:/**/none',
      'd\\69splay:\\6e one',
      'max-height:0;overflow:hidden;display:block',
      'font-size:0',
      'opacity:0',
    ]) {
      become([[`<div style="${style}">x<p>y<span>z</span></p></div>a`, 'a']])
    }
    become([
      ['<div hidden>x</div>a', 'a'],
      ['<div style="display:none"><div style="display:block">x</div></div>a', 'a'],
      ['<p style="display:none">x<p>a', 'a'],
      ['<td style="font-size:0"><div style="font-size:14px">a <span>b</span> c</div>x</td>', 'a b c'],
      ['<div style="visibility:hidden">x<b style="visibility:visible">a</b></div>', 'a'],
      ['<a style="mso-hide:all" href="https://x.test/go">Go</a>', 'Go <https://x.test/go>'],
      ['<div style="max-height:0.5em;overflow:hidden">a</div>', 'a'],
      ['<div hidden style="display:block">a</div>', 'a'],
      ['<div style="display:block !important;display:none">a</div>', 'a'],
      [`${'<div>'.repeat(300)}<div style="display:none">x</div>a`, 'a'],
    ])
  })

  test('that a browser shows is there, though its style looks as if it hid it', () => {
    become([
      // What overflows is seen; a cell grows with its content.
      ['<div style="max-height:0">a</div><div style="height:0">b</div>', 'a\nb'],
      ['<table><tr><td style="height:0;overflow:hidden">a</td></tr></table>', 'a'],
      ['<p style="font-size:12px;opacity:0.5;line-height:0">a</p>', 'a'],
      ['<svg width="9"/>a', 'a'],
      ['<video src="x"><a href="https://x.test/v">Watch</a></video>', 'Watch <https://x.test/v>'],
    ])
  })
})

describe('links', () => {
  test('show their address once', () => {
    become([
      ['<a href="https://x.test/a?b=1&amp;c=2">here</a>.', 'here <https://x.test/a?b=1&c=2>.'],
      ['<a href="https://x.test/a">https://x.test/a</a>', 'https://x.test/a'],
      ['see <a href="https://x.test/">x.test</a>!', 'see https://x.test/!'],
      ['<a href=" https://x.test/a\n b ">t</a>', 't <https://x.test/a%20b>'],
      ['<a href="https://x.test/"><b>bold</b> and not</a>', 'bold and not <https://x.test/>'],
      ['a <a href="https://x.test/1"> b </a>c', 'a b <https://x.test/1> c'],
    ])
  })

  test('to mail and telephone are shown as such', () => {
    become([
      ['<a href="mailto:jane@x.test">jane@x.test</a>', 'jane@x.test'],
      ['<a href="MAILTO:jane%2Ba@x.test?subject=Hi">Jane</a>', 'Jane <mailto:jane+a@x.test?subject=Hi>'],
      ['<a href="mailto:?subject=Hi">Tell others</a>', 'Tell others'],
      [
        '<a href="mailto:u@x.test?body=x&amp;Subject=%C3%9Cber%20uns">Write</a>',
        'Write <mailto:u@x.test?subject=Über%20uns>',
      ],
      [
        '<a href="mailto:u@x.test?subject=a%26b%0d%0aBcc:">u@x.test</a>',
        'mailto:u@x.test?subject=a%26b%20%20Bcc:',
      ],
      ['<a href="mailto:u@x.test?subject=">Write</a>', 'Write <u@x.test>'],
      [
        '<a href="mailto:%recipient_email%?subject=Hi %recipient.first name%">x</a>',
        'x <mailto:%recipient_email%?subject=Hi%20%recipient.first name%>',
      ],
      ['<a href="tel:+4930123456">030 / 123456</a>', '030 / 123456'],
      ['<a href="tel:+4930123456">Call us</a>', 'Call us <+4930123456>'],
    ])
  })

  test('that lead nowhere leave their text only', () => {
    become([
      ['<a href="#x">a</a> <a name="x">b</a> <a href="">c</a>', 'a b c'],
      ['<a href="javascript:alert(1)">a</a> <a href="java\nscript:alert(1)">b</a>', 'a b'],
      ['<a href="data:text/html,x">a</a> <a href="https://x.test/"></a>b', 'a b'],
    ])
  })

  test('that are relative leave their text only, as a mail is no page', () => {
    become([
      [
        '<a href="/">Home</a> <a href="../a">b</a> <a href="index.html">c</a> <a href="?x=1">d</a>',
        'Home b c d',
      ],
      ['a<a href="/x"><img src="/x.png"></a>b', 'a b'],
      ['<a href="//x.test/a">a</a>', 'a <https://x.test/a>'],
      ['<a href="www.x.test/a">a</a> <a href="x.test">b</a>', 'a <www.x.test/a> b <x.test>'],
      ['<a href="%recipient.link%">a</a> <a href="*|UNSUB|*">b</a>', 'a <%recipient.link%> b <*|UNSUB|*>'],
      ['<a href="{{ link }}">a</a> <a href="[link]">b</a>', 'a <{{%20link%20}}> b <[link]>'],
    ])
  })

  test('show no characters that would hide or change the address', () => {
    become([
      ['<a href="https://x.test/\u202egpj.exe">a</a>', 'a <https://x.test/%E2%80%AEgpj.exe>'],
      ['<a href="https://x.test/\u009b31m\u200b\u00a0">a</a>', 'a <https://x.test/%C2%9B31m%E2%80%8B>'],
      ['<a href="https://x.test/> <https://y.test/">a</a>', 'a <https://x.test/%3E%20%3Chttps://y.test/>'],
      ['<a href="https://y.test/">\u202etset.x//:sptth</a>', 'tset.x//:sptth <https://y.test/>'],
    ])
  })

  test('of a picture have their lines', () => {
    become([
      [
        '<img usemap="#m" alt="Map"><map><area href="https://x.test/n" alt="North"><area href="https://x.test/s"></map>a',
        'Map\nNorth <https://x.test/n>\nhttps://x.test/s\na',
      ],
      [
        '<map style="display:none"><area href="https://x.test/"></map><area alt="x"><area href="/" alt="y">a',
        'a',
      ],
      ['<area href="https://x.test/" alt="&#8203;">a', 'https://x.test/\na'],
    ])
  })

  test('around pictures and blocks keep their address', () => {
    become([
      [
        '<a href="https://x.test/1"><img></a><a href="https://x.test/2"><img></a>',
        'https://x.test/1 https://x.test/2',
      ],
      [
        '<a href="https://x.test/1"><img alt="A"></a><a href="https://x.test/2"><img alt="B"></a>',
        'A <https://x.test/1> B <https://x.test/2>',
      ],
      [
        'Us:<a href="https://x.test/"><img></a>. (<a href="https://x.test/"><img></a>)',
        'Us: https://x.test/. (https://x.test/)',
      ],
      ['a<a href="https://x.test/">x.test</a>b', 'a https://x.test/ b'],
      ['<a href="https://x.test/"><div>Go</div></a>a', 'Go <https://x.test/>\na'],
      ['see <a href="https://x.test/"><p>Go</p></a>a', 'see\n\nGo <https://x.test/>\n\na'],
      ['<a href="https://x.test/"><table><tr><td>Go</td></tr></table></a>', 'Go <https://x.test/>'],
      ['<a href="https://x.test/"><img alt="Logo"></a>', 'Logo <https://x.test/>'],
      ['by <a href="https://x.test/"><img></a> now', 'by https://x.test/ now'],
      ['<a href="https://x.test/"><p>One</p><p>Two</p></a>', 'One\n\nTwo\n\n<https://x.test/>'],
      [
        '<a href="https://x.test/1">one <a href="https://x.test/2">two',
        'one <https://x.test/1> two <https://x.test/2>',
      ],
    ])
  })
})

describe('structure', () => {
  test('of lists is kept', () => {
    become([
      ['<ul><li>a<li>b</ul>c', '- a\n- b\n\nc'],
      ['<ol start="9"><li>a</li><li>b<br>c</li></ol>', '9. a\n10. b\n    c'],
      ['<ul><li>a<ul><li>b</li></ul></li><li></li><li>c</li></ul>', '- a\n  - b\n- c'],
      ['<li>stray</li>', '- stray'],
    ])
  })

  test('of data tables is kept, empty cells included', () => {
    become([
      ['<table border="1"><tr><td>a</td><td>b</td></tr><tr><td></td><td>d</td></tr></table>', 'a | b\n | d'],
      ['<table><tr><th>Item<th>Price<tr><td>Widget<td>$10</table>', 'Item | Price\nWidget | $10'],
      ['x<table><caption>C</caption><tr><td>a<td>b</table>y', 'x\nC\n\na | b\n\ny'],
      ['<table><tr><th>Name<td>Jane</table>', 'Name | Jane'],
    ])
  })

  test('of data tables without headings is kept, too', () => {
    become([
      [
        '<table><tr><td>Oak shelf<br>Natural<td>2<td>$10<tr><td>Bracket<td><td>$12</table>',
        'Oak shelf / Natural | 2 | $10\nBracket |  | $12',
      ],
      [
        '<table><tr><td>Ship to<td>Bill to<tr><td>Zoë<br>Main St<td>Jane<br>Road 2</table>',
        'Ship to | Bill to\nZoë / Main St | Jane / Road 2',
      ],
      [
        '<table role="presentation"><tr><td>Tea, 250 g<br>in a tin<td><s>$26.00</s><p>$22.00</p></table>',
        'Tea, 250 g / in a tin | $26.00 / $22.00',
      ],
    ])
  })

  test('of tables is kept where cells reach down', () => {
    become([
      [
        '<table><tr><th>Region<th>Month<th>Sales<tr><td rowspan=2>North<td>Jan<td>10<tr><td>Feb<td>20<tr><td>South<td>Jan<td>5</table>',
        'Region | Month | Sales\nNorth | Jan | 10\n | Feb | 20\nSouth | Jan | 5',
      ],
      [
        '<table border="1"><tr><td>a<td rowspan="2">b<td>c<tr><td>d<td>e<tr><td>f</table>',
        'a | b | c\nd |  | e\nf',
      ],
      [
        '<table border="1"><tr><td colspan="2">a<td rowspan="0">b<td>c<tr><td>d<td>e<td>f<tr><td>g<td>h<td>i</table>',
        'a | b | c\nd | e |  | f\ng | h |  | i',
      ],
      ['<table border="1"><tr><td rowspan="x">a<td rowspan="-1">b<tr><td>c<td>d</table>', 'a | b\nc | d'],
    ])
  })

  test('of layout tables becomes blocks', () => {
    become([
      ['<table><tr><td>a</td><td>b</td></tr></table>', 'a | b'],
      [
        '<table role="presentation"><tr><th>only</th></tr><tr><td> </td></tr><tr><td>b</td></tr></table>',
        'only\nb',
      ],
      ['<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>', 'a\n\nb\n\nc'],
      ['<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>', 'x'],
      ['<tr><td>a</td><td>b</td></tr>', 'a\nb'],
      ['<table><tr><th><h1>a</h1><p>b</p></th><th class="expander"></th></tr></table>', 'a\n\nb'],
      ['<table><tr><th><h4>a</h4><p>b</p></th><th><h4>c</h4><p>d</p></th></tr></table>', 'a\n\nb\n\nc\n\nd'],
      [
        '<table><tr><td><img alt="Shoe"><br>A shoe<td><img alt="Hat"><br>A hat<tr><td><img alt="Cap"><br>A cap<td>x</table>',
        'Shoe\nA shoe\n\nHat\nA hat\n\nCap / A cap | x',
      ],
      ['<table border="1"><tr><td>a<br>b</td></tr></table>', 'a\nb'],
    ])
  })

  test('of quotes and preformatted text is kept', () => {
    become([
      ['<blockquote>a<p>b</p></blockquote>c', '> a\n>\n> b\n\nc'],
      ['<blockquote>a<ul><li>b</ul>c</blockquote>', '> a\n>\n> - b\n>\n> c'],
      ['<pre>\n a  b\r\n\n\tc</pre>d', ' a  b\n\n\tc\n\nd'],
      ['<pre>a<br>b</pre>', 'a\nb'],
    ])
  })
})

describe('hostile input', () => {
  const deep = 100_000
  const documents: Record<string, [html: string, text: RegExp]> = {
    'nested divs': [`${'<div>'.repeat(deep)}x`, /^x$/],
    'nested and closed': [`${'<div>'.repeat(60_000)}x${'</div>'.repeat(60_000)}y`, /^x\ny$/],
    'nested tables': [`${'<table><tr><td>'.repeat(deep)}x`, /^$|^x$/],
    'nested quotes': ['<blockquote>a'.repeat(deep), /^> a\n/],
    'nested lists': ['<ul><li>a'.repeat(deep), /^- a\n/],
    'unclosed links and paragraphs': [
      '<p><a href="https://x.test/">t'.repeat(20_000),
      /^t <https:\/\/x\.test\/>\n\nt/,
    ],
    'unclosed inline elements': ['<b><span style="color:red">t'.repeat(20_000), /^t{20000}$/],
    'stray end tags': [`${'<div>'.repeat(255)}x${'</foo></td></p>'.repeat(60_000)}`, /^x$/],
    'paragraphs below many elements': ['<div>'.repeat(250) + '<p><b>x'.repeat(deep), /^x\n\nx/],
    'one endless row': [`<table>${'<td>a'.repeat(deep)}`, /^a\na/],
    'one tag with endless attributes': [`<a ${'href=x:y '.repeat(deep)}>t</a>`, /^t <x:y>$/],
    'one endless style': [`<p style="${'a:b;'.repeat(deep)}display:none">x</p>y`, /^y$/],
    'nothing but openings': ['<'.repeat(HTML_LIMIT), /^<+$/],
    'nothing but joiners': [`${'\u200c'.repeat(HTML_LIMIT - 1)}x`, /^x$/],
    'an endless comment': ['a<!--'.repeat(deep), /^a$/],
    'breaks only': ['<br>'.repeat(deep), /^$/],
  }

  for (const [name, [html, text]] of Object.entries(documents)) {
    test(`is read: ${name}`, () => {
      const shown = textFromHtml(html).replace(/\n\n\[The rest .*\]$|^\[The rest .*\]$/, '')
      assert.match(shown, text)
    })
  }

  test('of any shape gives clean text', () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`seed ${seed}`)
    fc.assert(
      fc.property(hostileHtml, (html) => {
        const text = textFromHtml(html)
        // No control characters but tab and line end, no overrides of the reading direction, no halves of characters.
        assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\u202d\u202e]/)
        assert.ok(text.isWellFormed())
        assert.ok(!text.endsWith('\n') && !text.startsWith('\n'))
        assert.doesNotMatch(text, /[ \t](?:\n|$)/)
      }),
      { seed, numRuns: 3000 },
    )
  })
})
