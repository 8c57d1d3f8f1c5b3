import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import PostalMime, { decodeWords } from 'postal-mime'
import { parseAddressList } from '../../src/mail/address/address.ts'
import { addressField } from '../../src/mail/header/address-field.ts'
import { customField } from '../../src/mail/header/custom-field.ts'
import { encodeWords } from '../../src/mail/header/encoded-word.ts'
import {
  assertFieldName,
  assertHeaderText,
  HeaderError,
  isReservedHeader,
  textField,
} from '../../src/mail/header/header.ts'
import { isMessageId } from '../../src/mail/header/message-id.ts'

const headerText = fc
  .string({ unit: 'binary', maxLength: 300 })
  .filter((text) => text.isWellFormed() && !/[\x00-\x1f\x7f-\x9f]/.test(text))

/** The lines of a folded field, after the checks every field must pass (RFC 5322 2.1.1, 2.2.3). */
function linesOf(field: string, soft = 78): string[] {
  assert(field.endsWith('\r\n'))
  const lines = field.slice(0, -2).split('\r\n')
  for (const [index, line] of lines.entries()) {
    assert.doesNotMatch(line, /[\r\n]/)
    assert(Buffer.byteLength(line) <= soft, `${line.length}: ${line}`)
    if (index > 0) assert.match(line, /^[ \t]+[^ \t]/)
    // RFC 2047 2: 75 characters a word, 76 a line that has one.
    for (const word of line.match(/=\?utf-8\?[QB]\?[^?]*\?=/g) ?? []) {
      assert(word.length <= 75 && line.length <= 76, line)
    }
  }
  return lines
}

function unfold(field: string): string {
  return field
    .slice(field.indexOf(':') + 1)
    .replaceAll('\r\n', '')
    .trimStart()
}

describe('encoded words', () => {
  const cases: [text: string, encoded: string][] = [
    ['ü', '=?utf-8?B?w7w=?='],
    ['Grüße aus der alten Stadt', '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_der_alten_Stadt?='],
    ['日本', '=?utf-8?B?5pel5pys?='],
    ['a_b=c?d', '=?utf-8?B?YV9iPWM/ZA==?='],
  ]
  for (const [text, encoded] of cases) {
    it(`writes ${text}`, () => {
      assert.equal(encodeWords(text), encoded)
      assert.equal(decodeWords(encoded), text)
    })
  }

  it('splits between characters only: every word is valid UTF-8 by itself', () => {
    fc.assert(
      fc.property(headerText, fc.integer({ min: 0, max: 75 }), (text, room) => {
        const words = encodeWords(text, room).split(' ')
        for (const word of words) {
          assert(word.length <= 75)
          const [, , kind, payload] = word.split('?')
          const octets =
            kind === 'B'
              ? Buffer.from(payload!, 'base64')
              : Buffer.from(
                  unescape(payload!.replaceAll('_', ' ').replace(/=([0-9A-F]{2})/g, '%$1')),
                  'latin1',
                )
          new TextDecoder('utf-8', { fatal: true }).decode(octets)
        }
        assert.equal(decodeWords(words.join(' ')), text)
      }),
    )
  })
})

describe('text field', () => {
  const cases: [text: string, field: string][] = [
    ['Hello', 'Subject: Hello\r\n'],
    ['', 'Subject:\r\n'],
    ['Hello wörld', 'Subject: Hello =?utf-8?B?d8O2cmxk?=\r\n'],
    ['Größe and more', 'Subject: =?utf-8?B?R3LDtsOfZQ==?= and more\r\n'],
    ['Müllermeister und Söhne', 'Subject: =?utf-8?Q?M=C3=BCllermeister_und_S=C3=B6hne?=\r\n'],
    // What looks encoded but was written by a person is shown as written.
    ['a =?utf-8?Q?x?= b', 'Subject: a =?utf-8?B?PT91dGYtOD9RP3g/PQ==?= b\r\n'],
    [' a', 'Subject: =?utf-8?Q?_a?=\r\n'],
  ]
  for (const [text, field] of cases) {
    it(`writes ${JSON.stringify(text)}`, () => assert.equal(textField('Subject', text), field))
  }

  it('folds before white space and keeps it', () => {
    const text = 'word  two\twords '.repeat(20).trim()
    assert.equal(unfold(textField('Subject', text)), text)
    assert(linesOf(textField('Subject', text)).length > 4)
  })

  it('encodes a word that no line can hold', () => {
    const text = 'x'.repeat(5000)
    linesOf(textField('Subject', text))
    assert.equal(decodeWords(unfold(textField('Subject', text))), text)
  })

  it('is read back as written, whatever is written', () => {
    const latin = fc.string({
      unit: fc.constantFrom('a', 'b', ' ', '  ', 'ü', '=', '?', '=?', '日', '😀', '_'),
      maxLength: 200,
    })
    fc.assert(
      fc.property(fc.oneof(headerText, latin), (text) => {
        const field = textField('Subject', text)
        assert.match(field, /^[\x20-\x7e\t\r\n]*$/)
        linesOf(field, 998)
        if (text.trim() !== '') assert.equal(decodeWords(unfold(field)), text)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('address field', () => {
  const cases: [list: string, field: string][] = [
    ['j@x.org', 'To: j@x.org\r\n'],
    ['Jane Doe <j@x.org>', 'To: Jane Doe <j@x.org>\r\n'],
    ['"Doe, Jane" <j@x.org>, b@y.org', 'To: "Doe, Jane" <j@x.org>, b@y.org\r\n'],
    ['Doe, Jane <j@x.org>', 'To: "Doe, Jane" <j@x.org>\r\n'],
    ["J. R. O'Neil <j@x.org>", 'To: "J. R. O\'Neil" <j@x.org>\r\n'],
    ['Jörg <j@bücher.de>', 'To: =?utf-8?B?SsO2cmc=?= <j@xn--bcher-kva.de>\r\n'],
    // Words encoded by the sender are decoded and encoded again.
    ['=?iso-8859-1?Q?J=F6rg?= <j@x.org>', 'To: =?utf-8?B?SsO2cmc=?= <j@x.org>\r\n'],
    ['=?utf-8?q?Doe,?= =?utf-8?q?_Jane?= <j@x.org>', 'To: "Doe, Jane" <j@x.org>\r\n'],
    ['=?x-odd?Q?a?= <j@x.org>', 'To: =?utf-8?B?PT94LW9kZD9RP2E/PQ==?= <j@x.org>\r\n'],
    ['"x" <jörg@x.org>', 'To: x <jörg@x.org>\r\n'],
    ['"evil@evil.org"@good.org', 'To: <"evil@evil.org"@good.org>\r\n'],
    ['"a@evil.org" <b@good.org>', 'To: "a@evil.org" <b@good.org>\r\n'],
  ]
  for (const [list, field] of cases) {
    it(`writes ${list}`, () => assert.equal(addressField('To', parseAddressList(list)), field))
  }

  it('folds a long list between its mailboxes and names', () => {
    const list = Array.from({ length: 50 }, (_, n) => `"Doe, Jane ${n}" <jane.doe.${n}@example.org>`).join(
      ', ',
    )
    const field = addressField('To', parseAddressList(list))
    linesOf(field)
    assert.equal(unfold(field), list)
  })

  it('never breaks a line inside of quotes: some readers end the string there, and read an address in the rest', () => {
    for (const words of [1, 3, 9, 27]) {
      const name = `${'Jane Doe, '.repeat(words)}<me@victim.test> ü "x (`
      const field = addressField('From', [{ name, address: 'j@x.org' }])
      for (const line of linesOf(field))
        assert.equal(line.replaceAll('\\"', '').split('"').length % 2, 1, line)
      assert.equal(parseAddressList(field.replace(/^From:|\r\n/g, ''))[0]!.name, name)
    }
  })

  it('writes a name of any length within the limits of a line', () => {
    for (const name of ['x'.repeat(998), '"'.repeat(400), 'ü '.repeat(300), 'a '.repeat(400)]) {
      linesOf(addressField('From', [{ name, address: 'j@x.org' }]))
    }
  })
})

describe('header and envelope', () => {
  it('agree, as another parser reads the header, on every list that is accepted', async () => {
    const piece = fc.constantFrom(
      ...[
        'a@x.org',
        '<b@y.org>',
        'Jane',
        'Ü',
        '"Doe, J"',
        '"c@z.org"',
        ',',
        ';',
        'G:',
        '(d@w.org)',
        '"e@v.org"@u.org',
        ' ',
        '<',
        '>',
        '"f',
      ],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        let mailboxes: ReturnType<typeof parseAddressList>
        try {
          mailboxes = parseAddressList(pieces.join(''))
        } catch {
          return
        }
        if (mailboxes.length === 0) return
        const email = await PostalMime.parse(`${addressField('To', mailboxes)}\r\n`)
        // That parser leaves out a name which only repeats the address.
        assert.deepEqual(
          email.to?.map(({ name, address }) => [name, address]),
          mailboxes.map(({ name, address }) => [name === address ? '' : name, address]),
        )
      }),
      { numRuns: 3000, examples: [[['a@x.org', '<', 'a@x.org', '>']]] },
    )
  })
})

describe('custom field', () => {
  const cases: [name: string, value: string, field: string][] = [
    ['X-A', '1', 'X-A: 1\r\n'],
    ['X-A', '', 'X-A:\r\n'],
    ['X-A', '  spaced  ', 'X-A: spaced\r\n'],
    [
      'X-A',
      '=?utf-8?Q?J=C3=B6rg?= =?iso-8859-1?b?4Q==?=',
      'X-A: =?utf-8?Q?J=C3=B6rg?= =?iso-8859-1?b?4Q==?=\r\n',
    ],
    ['X-A', 'a ü b', 'X-A: a =?utf-8?B?w7w=?= b\r\n'],
    ['Sender', 'Jörg <j@x.org>', 'Sender: =?utf-8?B?SsO2cmc=?= <j@x.org>\r\n'],
    ['Sender', 'Doe, Jane <j@x.org>', 'Sender: "Doe, Jane" <j@x.org>\r\n'],
    ['SENDER', '(c) "J" <j@x.org> (c)', 'SENDER: "(c) J" <j@x.org>\r\n'],
    ['Resent-To', 'Us: a@x.org, <b@y.org>;', 'Resent-To: a@x.org, b@y.org\r\n'],
    ['Resent-Cc', 'nobody:;', ''],
    ['In-Reply-To', '<a@b.org>', 'In-Reply-To: <a@b.org>\r\n'],
  ]
  for (const [name, value, field] of cases) {
    it(`writes ${name}: ${value}`, () => assert.equal(customField(name, value), field))
  }

  it('never alters message ids and URLs: folded at their spaces, not encoded', () => {
    const ids = Array.from({ length: 40 }, (_, n) => `<${n}.${'a'.repeat(40)}@mail.example.org>`).join(' ')
    assert.equal(unfold(customField('References', ids)), ids)
    linesOf(customField('References', ids))
    const urls = `<https://x.org/?${'q'.repeat(300)}>, <mailto:u@x.org?subject=${'s'.repeat(200)}>`
    const field = customField('List-Unsubscribe', urls)
    assert.equal(unfold(field), urls)
    assert.equal(linesOf(field, 998).length, 2)
  })

  it('refuses invalid names and values', () => {
    const bad: [name: string, value: string, why: RegExp][] = [
      ['X-A', 'a\r\nBcc: evil@x.org', /X-A contains a line break at character 2/],
      ['X-A', 'a\nb', /line break/],
      ['X-A', 'a\rb', /line break/],
      ['X-A', 'a\0b', /U\+0000/],
      ['X-A', 'a\x7fb', /U\+007F/],
      ['X-A', 'a\ud800b', /surrogate/],
      ['X-A', 'x'.repeat(999), /X-A has 1000 octets without a space/],
      ['X-A:', 'a', /contains ":"/],
      ['X A', 'a', /contains a space/],
      ['X-A\r\nBcc', 'a', /contains a line break/],
      ['X-Ü', 'a', /contains "Ü"/],
      ['', 'a', /empty name/],
      ['X'.repeat(78), 'a', /longer than 77/],
      ['References', '<ü@x.org>', /References contains "ü", but only ASCII/],
      ['List-Unsubscribe', '<https://x.org/ü>', /only ASCII/],
      ['Sender', 'Jörg', /Sender is not valid: "Jörg"/],
    ]
    for (const [name, value, why] of bad) {
      assert.throws(
        () => customField(name, value),
        (error) => {
          assert(error instanceof HeaderError)
          assert.match(error.message, why)
          assert.doesNotMatch(error.message, /[\x00-\x1f\x7f-\x9f]/)
          return error.message.isWellFormed()
        },
      )
    }
  })

  it('holds a value of 998 octets on a line of its own', () => {
    assert.equal(customField('X-A', 'x'.repeat(997)), `X-A:\r\n ${'x'.repeat(997)}\r\n`)
  })
})

describe('header rules', () => {
  it('knows the names that the sender may not set', () => {
    for (const name of [
      'From',
      'TO',
      'cc',
      'Bcc',
      'SUBJECT',
      'Message-ID',
      'message-id',
      'Reply-To',
      'content-type',
      'MIME-Version',
      'Content-Transfer-Encoding',
      'Content-Disposition',
      'content-id',
      'Resent-Bcc',
      'Return-Path',
      'Received',
      'DKIM-Signature',
      'ARC-Seal',
      'arc-message-signature',
      'Authentication-Results',
    ]) {
      assert(isReservedHeader(name), name)
    }
    for (const name of [
      'Date',
      'Sender',
      'X-From',
      'References',
      'List-Id',
      'Archived-At',
      'Content-Language',
      'Content-Foo',
    ]) {
      assert(!isReservedHeader(name), name)
    }
  })

  it('takes TAB for text and no other control character', () => {
    assertHeaderText('a\tb', 'The value')
    assertFieldName('X-!~')
    for (let code = 0; code < 0xa0; code++) {
      if (code === 9 || (code >= 0x20 && code < 0x7f)) continue
      assert.throws(() => assertHeaderText(`a${String.fromCharCode(code)}`, 'The value'), HeaderError)
    }
  })

  it('knows a message id', () => {
    for (const id of ['<a@b>', '<a.b+c=d@x.org>']) assert(isMessageId(id), id)
    for (const id of [
      'a@b',
      '<a>',
      '<<a@b>>',
      '<a@b@c>',
      '<a b@c>',
      '<a@b> ',
      '<a@b>\r\n',
      '<ü@b>',
      `<${'a'.repeat(999)}@b>`,
    ]) {
      assert(!isMessageId(id), id)
    }
  })
})
