import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { parseMailbox } from '../../src/mail/address/address.ts'
import { AuthorError, assertAuthor } from '../../src/mail/address/author.ts'
import { addressField } from '../../src/mail/header/address-field.ts'
import { customField } from '../../src/mail/header/custom-field.ts'
import { textField } from '../../src/mail/header/header.ts'

/** What senders of every day write, and the name that readers see. */
const legitimate: [text: string, name: string][] = [
  ['me@acme.test', ''],
  ['"Doe, Jane" <me@acme.test>', 'Doe, Jane'],
  ["'Jane Doe' <me@acme.test>", "'Jane Doe'"],
  ['Jane Doe (Sales) <me@acme.test>', 'Jane Doe (Sales)'],
  ['=?UTF-8?Q?M=C3=BCller=2C_J=C3=BCrgen?= <me@acme.test>', 'Müller, Jürgen'],
  ['=?iso-8859-1?Q?Andr=E9?= Pirard <me@acme.test>', 'André Pirard'],
  ['"=?UTF-8?B?5bGx55Sw?=" <me@acme.test>', '山田'],
  ['=?ISO-2022-JP?B?GyRCOzNFRBsoQg==?= <me@acme.test>', '山田'],
  ['=?UTF-8?B?8J+RqOKAjfCfkanigI3wn5Gn?= Family <me@acme.test>', '👨‍👩‍👧 Family'],
  ['"News @ Acme" <me@acme.test>', 'News @ Acme'],
  ['"Café @ Zürich" <me@acme.test>', 'Café @ Zürich'],
  ['"Events @ St. Pauli" <me@acme.test>', 'Events @ St. Pauli'],
  ['"Jane (@jane)" <me@acme.test>', 'Jane (@jane)'],
  ['"I <3 Cats" <me@acme.test>', 'I <3 Cats'],
  ['"me@acme.test" <me@acme.test>', ''],
  ['"Support (help@acme.test)" <me@mail.acme.test>', 'Support (help@acme.test)'],
  ['"Jörg (help@acme.test)" <me@acme.test>', 'Jörg (help@acme.test)'],
  ['100% Wool! <me@acme.test>', '100% Wool!'],
  ['Acme.com <me@acme.test>', 'Acme.com'],
]

const refused: [text: string, why: RegExp][] = [
  [
    '"ceo@victim.test" <me@acme.test>',
    /holds an address at victim\.test, which is not the domain of the sender/,
  ],
  ['"The CEO <ceo@victim.test>" <me@acme.test>', /at victim\.test/],
  ['=?utf-8?q?ceo=40victim=2Etest?= <me@acme.test>', /at victim\.test/],
  ['=?utf-8?q?Chef_=C3=BC_ceo=40victim=2Etest?= <me@acme.test>', /at victim\.test/],
  ['"ceo @victim.test" <me@acme.test>', /at victim\.test/],
  ['"ceo@ victim . test" <me@acme.test>', /at victim\.test/],
  ['"ceo＠victim．test" <me@acme.test>', /at victim\.test/],
  ['"J@ ceo＠victim.test" <me@acme.test>', /at victim\.test/],
  ['"a@b@victim.test" <me@acme.test>', /at victim\.test/],
  ['"ceo@vic\u200btim.test" <me@acme.test>', /at victim\.test/],
  ['"ceo@[192.0.2.1]" <me@acme.test>', /an address at/],
  ['"ceo@evilacme.test" <me@acme.test>', /at evilacme\.test/],
  ['"me@acme.test, ceo@victim.test" <me@acme.test>', /at victim\.test/],
  ['"ceo@аcme.test" <me@acme.test>', /at xn--/],
  ['"jörg@acme.test" <me@acme.test>', /an address with characters other than ASCII/],
  ['=?utf-7?q?ceo+AEA-victim.test?= <me@acme.test>', /encoded word that cannot be read/],
  ['=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?= <me@acme.test>', /encoded word that cannot be read/],
  ['"\u202etset.mitciv@oec" <me@acme.test>', /reverses the text/],
  ['"Me\u2028ceo" <me@acme.test>', /breaks the line/],
  ['"ceo@victim.test "@acme.test', /must not have quotation marks/],
  ['"a b"@acme.test', /must not have quotation marks/],
  ['ceo%victim.test@acme.test', /another host/],
  ['victim.test!ceo@acme.test', /another host/],
]

describe('an author', () => {
  for (const [text, name] of legitimate) {
    it(`may be ${text}`, async () => {
      const mailbox = parseMailbox(text)
      assertAuthor(mailbox)
      const { from } = await PostalMime.parse(`${addressField('From', [mailbox])}\r\n`)
      assert.deepEqual([from?.name, from?.address], [name, mailbox.address])
    })
  }

  for (const [text, why] of refused) {
    it(`may not be ${text}`, () => {
      const mailbox = parseMailbox(text)
      assert.throws(
        () => assertAuthor(mailbox),
        (error) => error instanceof AuthorError && why.test(error.message) && error.message.length <= 200,
      )
    })
  }
})

describe('a line with an encoded word', () => {
  it('has 76 characters at most (RFC 2047 2), in every field', () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '漢', '😀', ' ', '"', ','), maxLength: 90 }),
      fc.constantFrom('plain', 'words', '=?', '=?utf-8?q?x?='),
    )
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
    const name = fc.integer({ min: 1, max: 60 }).map((length) => 'X'.repeat(length))
    const mailboxes = fc.array(
      fc.record({ name: text, address: fc.constantFrom('a@x.test', `${'l'.repeat(60)}@x.test`) }),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(name, text, mailboxes, (name, text, mailboxes) => {
        for (const field of [textField(name, text), addressField(name, mailboxes), customField(name, text)]) {
          for (const line of field.split('\r\n')) {
            if (/=\?[^?]+\?[bq]\?/i.test(line)) assert.ok(line.length <= 76, `${line.length}: ${line}`)
            assert.ok(line.length <= 998)
          }
        }
      }),
      { seed, numRuns: 3000, examples: [['Subject', 'Müller '.repeat(40), []]] },
    )
  })
})
