/** The line after the subject of an email in a list. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { snippetOf } from '../../../src/http/shown-emails/snippet.ts'

const NONE = {
  id: 'x',
  text: null,
  html: null,
  raw: null,
  rawOctets: null,
  files: 0,
  fileNames: null,
  filesKnown: true,
}

/** A ready message of these lines, of which `octets` were read. */
function ready(lines: string[], octets?: number) {
  const whole = Buffer.from(lines.join('\r\n'))
  const read = { raw: whole.subarray(0, octets), rawOctets: whole.length, filesKnown: false }
  const { text, attached } = snippetOf({ ...NONE, ...read })
  return { text, attached }
}

const MIXED = [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: multipart/alternative; boundary=c',
  '',
  '--c',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=FC=DFe',
  '--c',
  'Content-Type: text/html',
  '',
  '<p>Other',
  '--c--',
  '--b',
  'Content-Type: application/pdf; name=a.pdf',
  'Content-Disposition: attachment',
  'Content-Transfer-Encoding: base64',
  '',
  'aGk=',
  '--b--',
  '',
]

describe('a snippet', () => {
  test('is the text in one line, or the visible text of the HTML', () => {
    const text = (change: object) => snippetOf({ ...NONE, ...change }).text
    assert.equal(text({ text: ' a\n\n\tb ' }), 'a b')
    assert.equal(text({ html: '<style>p{color:red}</style><h1>Hi</h1><p>you' }), 'Hi you')
    assert.equal(text({ text: '', html: null }), '')
    assert.equal(text({}), '')
    // No half of a character at the end.
    assert.ok(text({ text: `${'x'.repeat(159)}😀` }).isWellFormed())
  })

  test('of a ready message is that of its first text', () => {
    assert.deepEqual(ready(MIXED), { text: 'Grüße', attached: true })
    assert.deepEqual(ready(['Content-Type: text/html', '', '<p>Only <b>HTML</b>']), {
      text: 'Only HTML',
      attached: false,
    })
    assert.deepEqual(ready(['Subject: s', '', 'Plain']), { text: 'Plain', attached: false })
  })

  test('of a message that was read only in part names files that it may have', () => {
    const end = MIXED.join('\r\n').indexOf('Other')
    assert.deepEqual(ready(MIXED, end), { text: 'Grüße', attached: true })
    assert.deepEqual(ready(['Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'x', '--b--']), {
      text: 'x',
      attached: false,
    })
    const alternative = MIXED.map((line) => line.replace('multipart/mixed', 'multipart/related'))
    assert.deepEqual(ready(alternative, end), { text: 'Grüße', attached: false })
    const raw = Buffer.from(MIXED.join('\r\n')).subarray(0, end)
    const filed = snippetOf({ ...NONE, raw, rawOctets: 9_999, filesKnown: true })
    assert.equal(filed.attached, false, 'where its files are filed, these count')
  })

  test('of text that is not a message is empty', () => {
    assert.deepEqual(ready(['Content-Transfer-Encoding: none-such', '', 'x']), { text: '', attached: false })
    assert.deepEqual(ready([`Content-Type: multipart/mixed; boundary=b`, '', '--b']), {
      text: '',
      attached: false,
    })
  })
})
