import { AddressError } from '../../src/mail/address/address.ts'
import { customField } from '../../src/mail/header/custom-field.ts'
import { decodeWords } from '../../src/mail/header/encoded-word.ts'
import { HeaderError, textField } from '../../src/mail/header/header.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

/** Octets of a line without its CRLF (RFC 5322 2.1.1). */
const LONGEST_LINE = 998

/** Fields stay one field each, whatever is in them, and say what they were given. */
export const header: FuzzTarget = {
  name: 'header',
  about: 'subjects and custom header fields',
  seeds: [
    'Subject\nHello',
    'Subject\nHällo  wörld, a longer text that has to be folded somewhere because it passes the limit of a line',
    'X-Custom\n a b ',
    'Sender\nJane <jane@x.test>',
    'List-Unsubscribe\n<https://x.test/u?a=b>, <mailto:u@x.test?subject=x>',
    'References\n<a@x.test> <b@x.test>',
    'Subject\n=?utf-8?q?J=C3=B6rg?= and =?utf-8?b?SsO2cmc=?=',
    `Subject\n${'x'.repeat(1_200)}`,
  ],
  tokens: [
    ...words(
      '\r\n \n \r \0 =? ?= =?utf-8?q? =?utf-8?b? =?iso-2022-jp?b? \t ä 😀 \u2028 < > ( ) : Sender',
      'References Bcc Subject Resent-From',
    ),
    ' ',
    '  ',
    'x'.repeat(100),
  ],
  run(input) {
    const [name = '', ...rest] = input.toString('utf8').split('\n')
    const value = rest.join('\n')
    const written = unlessRefused(() => customField(name, value), HeaderError, AddressError)
    // A list of mailboxes that names nobody is not written.
    if (written !== undefined && written !== '') assertOneField(written)
    const subject = unlessRefused(() => textField('Subject', value), HeaderError)
    if (subject === undefined) return
    assertOneField(subject)
    if (value.trim() === '') return
    const read = decodeWords(subject.slice('Subject:'.length).replaceAll('\r\n', '').replace(/^ /, ''))
    assertSame('a subject changed on its way', read.trim(), value.trim())
  },
}

function assertOneField(field: string): void {
  assert(field.endsWith('\r\n'), 'a field without its line end')
  const lines = field.slice(0, -2).split('\r\n')
  for (const [index, line] of lines.entries()) {
    assert(!/[\r\n\0]/.test(line), 'a lone CR, LF or NUL in a field')
    assert(Buffer.byteLength(line) <= LONGEST_LINE, 'a line of over 998 octets')
    assert(index === 0 || /^[ \t]/.test(line), 'a folded line that does not begin with white space')
    assert(index === 0 || line.trim() !== '', 'a folded line of white space alone')
  }
}
