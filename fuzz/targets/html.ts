import { textFromHtml } from '../../src/mail/text/text-from-html.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

/** Characters of text that one character of HTML may become: list marks and rules are longer than what asks for them. */
const GROWTH = 12

export const html: FuzzTarget = {
  name: 'html',
  about: 'HTML that text is derived from',
  seeds: [
    '<p>Hello <b>world</b></p>',
    '<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=2>1</td><td>2</td></tr></table>',
    '<ul><li>a<ol start=3><li>b</ol></ul><blockquote>q<pre> x\n y</pre></blockquote>',
    '<a href="https://x.test/?a=b&amp;c">l<img src=i alt="alt"></a><map><area href=x></map>',
    '<div style="display:none;max-height:0">h</div><span style="font-size:0"><img alt=i></span>',
    '<!--[if mso]><v:x><![endif]--><o:p>&nbsp;</o:p><![CDATA[x]]><xml>y</xml>',
    '<h1>t</h1><hr><br><p style="white-space:pre-line">a\n b</p>&#x202e;&zwj;&amp;&lt;',
  ],
  tokens: [
    ...words(
      '< > </ /> <p> </p> <table> <tr> <td> </table> <ul><li> "> <pre> <blockquote> <br> <!-- -->',
      '<![CDATA[ ]]> <script> </script> <style> <textarea> <title> <svg> <template> & &amp; &# &#x',
      '&nbsp; ; " \' = \n \u00a0 \u202e \0 \ud800 <h1> <hr>',
    ),
    '<td colspan=1000000>',
    '<td rowspan=1000000>',
    '<ol start=2147483647>',
    '<a href="',
    '<img alt="',
    '<div style="display:none">',
    ' ',
    ' style="white-space:pre"',
    ' style="font-size:0"',
    ' hidden',
  ],
  run(input) {
    const text = textFromHtml(input.toString('utf8'))
    assert(text.isWellFormed(), 'half of a surrogate pair in the text')
    assert(!/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text), 'a control character in the text')
    assert(
      text.length <= GROWTH * input.length + 1_000,
      `${input.length} octets became ${text.length} characters`,
    )
  },
}
