import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  AddressCountError,
  AddressError,
  formatMailbox,
  parseAddressList,
  parseDomain,
  parseMailbox,
} from '../../src/mail/address/address.ts'

/** `name|address` of every mailbox read. */
function read(text: string): string[] {
  return parseAddressList(text).map(({ name, address }) => (name ? `${name}|${address}` : address))
}

function refusal(text: string): string {
  try {
    parseAddressList(text)
  } catch (error) {
    assert(error instanceof AddressError, String(error))
    return error.message
  }
  return assert.fail(`accepted: ${JSON.stringify(text)}`)
}

const accepted: [text: string, ...mailboxes: string[]][] = [
  ['j@x.org', 'j@x.org'],
  ['  j@x.org\t', 'j@x.org'],
  ['<j@x.org>', 'j@x.org'],
  ['Jane <j@x.org>', 'Jane|j@x.org'],
  ['Jane<j@x.org>', 'Jane|j@x.org'],
  ['Jane  van   Doe <j@x.org>', 'Jane van Doe|j@x.org'],
  ['J. R. "Bob" O\'Neil <j@x.org>', "J. R. Bob O'Neil|j@x.org"],
  ["'Bob' <b@x.org>", "'Bob'|b@x.org"],
  ['Jörg Müller <j@x.org>', 'Jörg Müller|j@x.org'],
  ['山田 太郎 <t@x.org>', '山田 太郎|t@x.org'],
  ['"Doe, Jane" <j@x.org>, b@y.org', 'Doe, Jane|j@x.org', 'b@y.org'],
  ['"a \\"quoted\\" \\\\ name" <j@x.org>', 'a "quoted" \\ name|j@x.org'],
  ['"" <j@x.org>', 'j@x.org'],
  // Unquoted commas, as some clients send them.
  ['Doe, Jane <j@x.org>', 'Doe, Jane|j@x.org'],
  ['A, B <a@ex.org>', 'A, B|a@ex.org'],
  ['b@y.org,Doe, Jane, MD <j@x.org>,c@z.org', 'b@y.org', 'Doe, Jane, MD|j@x.org', 'c@z.org'],
  // Semicolons, as people paste them.
  ['a@x.com; b@x.com', 'a@x.com', 'b@x.com'],
  [';a@x.com;;b@x.com;', 'a@x.com', 'b@x.com'],
  ['Doe, Jane <j@x.org>; Roe, Rick <r@y.org>', 'Doe, Jane|j@x.org', 'Roe, Rick|r@y.org'],
  ['a@x.com; G: b@x.com;, c@x.com; d@x.com', 'a@x.com', 'b@x.com', 'c@x.com', 'd@x.com'],
  // Unicode spaces around, and in names.
  ['\u00a0j@x.org\u3000', 'j@x.org'],
  ['\u2003Jane\u00a0<\u2007j@x.org\u2800>\u205f,\u1680b@y.org\u200a', 'Jane|j@x.org', 'b@y.org'],
  ['山田\u3000太郎\u3000<t@x.org>', '山田\u3000太郎|t@x.org'],
  ['"Jane\u00a0"\u00a0<j@x.org>', 'Jane\u00a0|j@x.org'],
  // Encoded words: the structure is read before them, and they are decoded once.
  ['=?utf-8?q?J=C3=B6rg?= <j@x.org>', 'Jörg|j@x.org'],
  ['"=?utf-8?q?J=C3=B6rg?=" <j@x.org>', 'Jörg|j@x.org'],
  ['j@x.org (=?utf-8?q?J=C3=B6rg?=)', 'Jörg|j@x.org'],
  ['=?utf-8?b?SsM=?= =?UTF-8*de?B?tnJn?= M. <j@x.org>', 'Jörg M.|j@x.org'],
  ['=?iso-2022-jp?B?GyRCOzNFRBsoQg==?= <t@x.org>', '山田|t@x.org'],
  ['=?utf-8?q?=22=2C_a=40y.org=2C_=3Cb=40y.org=3E?= <j@x.org>', '", a@y.org, <b@y.org>|j@x.org'],
  ['(=?utf-8?q?=29?= a@y.org) <j@x.org> (=?utf-8?q?=29?=)', '() a@y.org)|j@x.org'],
  ['=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3F=3D?= <j@x.org>', '=?utf-8?q?a?=|j@x.org'],
  ['=?x-unknown?q?a?= <j@x.org>', '=?x-unknown?q?a?=|j@x.org'],
  // Comments.
  ['Jane (work) <j@x.org>', 'Jane (work)|j@x.org'],
  ['Jane (5" pipe, with (nested)) <j@x.org>', 'Jane (5" pipe, with (nested))|j@x.org'],
  ['j@x.org (Jane)', 'Jane|j@x.org'],
  ['(Jane) j@x.org', 'Jane|j@x.org'],
  ['Jane <(here) j@x.org (there)> (everywhere)', 'Jane|j@x.org'],
  ['(nobody)'],
  // Groups and empty elements.
  ['G: a@b.org, C <c@d.org>;', 'a@b.org', 'C|c@d.org'],
  ['G: a@b.org;, c@d.org', 'a@b.org', 'c@d.org'],
  ['undisclosed-recipients:;'],
  [''],
  [' , ,'],
  ['a@b.org,,c@d.org, ', 'a@b.org', 'c@d.org'],
  // Quoted local parts: the address is the one at the last domain, whatever the quotes hold.
  ['"evil@evil.org"@good.org', '"evil@evil.org"@good.org'],
  ['"a@evil.org" <b@good.org>', 'a@evil.org|b@good.org'],
  ['"<a@evil.org>, x" <b@good.org>', '<a@evil.org>, x|b@good.org'],
  ['"a b"@x.org', '"a b"@x.org'],
  ['"a.b"@x.org', 'a.b@x.org'],
  ['"a\\"b\\\\"@x.org', '"a\\"b\\\\"@x.org'],
  ['"a,b" <"c>d"@x.org>', 'a,b|"c>d"@x.org'],
  ["!#$%&'*+-/=?^_`{|}~@x.org", "!#$%&'*+-/=?^_`{|}~@x.org"],
  // An unquoted name may be the address itself, nothing else with an @.
  ['jane@x.org <Jane@x.org>', 'jane@x.org|Jane@x.org'],
  // Internationalised.
  ['j@Bücher.DE', 'j@xn--bcher-kva.de'],
  ['j@XN--BCHER-KVA.de', 'j@xn--bcher-kva.de'],
  ['j@bücher。de', 'j@xn--bcher-kva.de'],
  ['jörg@x.org', 'jörg@x.org'],
  [`${'l'.repeat(64)}@x.org`, `${'l'.repeat(64)}@x.org`],
  [`a@${'d'.repeat(63)}.org`, `a@${'d'.repeat(63)}.org`],
]

const refused: [text: string, why: RegExp][] = [
  ['plain', /"plain" .*no @/],
  ['plain, j@x.org', /"plain" .*no @/],
  ['j@x.org, plain', /"plain" .*no @/],
  ['"plain"', /no @/],
  ['@b.org', /nothing stands before/],
  ['""@b.org', /nothing stands before/],
  ['a@', /domain is missing/],
  ['<a@>', /domain is missing/],
  ['Jane <>', /no address between/],
  ['Jane <jane>', /no @/],
  ['a@b@c.org', /more than one @/],
  ['a@b.org @c.org', /more than one @/],
  ['a..b@x.org', /dot before the @/],
  ['.a@x.org', /dot before the @/],
  ['a.@x.org', /dot before the @/],
  ['a b@x.org', /put "<" and ">"/],
  ['Jane j@x.org', /put "<" and ">"/],
  ['j@x.org Jane', /text after the address/],
  ['j @x.org', /put "<" and ">"/],
  ['j@ x.org', /domain is missing/],
  ['a"b@x.org', /not closed/],
  ['a"b"@x.org', /needs quotation marks/],
  ['"a"b@x.org', /must follow the quoted/],
  ['a(c)b@x.org', /needs quotation marks/],
  ['a[b@x.org', /needs quotation marks/],
  ['<<a@b.org>>', /"<" inside/],
  ['Jane <<a@b.org>>', /"<" inside/],
  ['<a@b.org> <c@d.org>', /second "<"/],
  ['<a@b.org> c', /text after ">"/],
  ['<@r.org:a@b.org>', /nothing stands before/],
  ['a@b.org>', /">" without/],
  ['Jane <a@b.org', /"<" that is not closed/],
  ['"Jane <a@b.org>', /quotation mark/],
  ['Jane (work <a@b.org>', /"\(" that is not closed/],
  ['x@y.org <a@b.org>', /put the name into quotation marks/],
  ['a@b.org c@d.org', /more than one @ in it; commas separate/],
  ['a@b.org; plain', /"plain" .*no @/],
  ['G: a@b.org', /opens a group/],
  ['G: H: a@b.org;;', /cannot hold another group/],
  ['G: a@b.org; c@d.org', /without a comma/],
  ['mailto:a@b.org', /begins with "mailto:": leave that out/],
  ['Jane <MAILTO:a@b.org>', /has "MAILTO:" before the address: leave that out/],
  ['smtp:a@b.org', /begins with "smtp:"/],
  ['To: a@b.org', /opens a group/],
  ['a\u00a0b@x.org', /the space U\+00A0 stands before the @/],
  ['a\u2800b@x.org', /the space U\+2800 stands before the @/],
  ['a\u3000@x.org', /the space U\+3000 stands before the @/],
  ['"a\u2003b"@x.org', /the space U\+2003 stands before the @/],
  ['a@x\u2009.org', /domain has no dot/],
  ['=?utf-8?q?ceo=40victim.org=3E?=@x.org', /"=\?" before the @ begins an encoded word/],
  ['"=?utf-8?q?ceo?="@x.org', /"=\?" before the @ begins an encoded word/],
  ['=?utf-8?q?a=0D=0ABcc=3A?= <j@x.org>', /a line break in the encoded words of its name/],
  ['=?utf-8?q?a=00?= <j@x.org>', /U\+0000 in the encoded words/],
  ['ceo＠victim.org@x.org', /can be taken for "@"/],
  ['a@b.org:c', /":" where none/],
  ['a@[192.0.2.1]', /names an IP address/],
  ['Jane <a@[IPv6:2001:db8::1]>', /names an IP address/],
  ['a@192.0.2.1', /a number, not a name/],
  ['a@localhost', /has no dot/],
  ['a@-x-.org', /hyphen/],
  ['a@x-.org', /hyphen/],
  ['a@x..org', /a dot too many/],
  ['a@x.org.', /a dot too many/],
  ['a@my_host.org', /contains "_"/],
  ['a@ex%61mple.org', /contains "%"/],
  ['a@ex％61mple.org', /contains "%"/],
  ['a@１２７.0.0.1', /a number/],
  ['a@bü cher.de', /no dot/],
  ['a@bü.de cher', /text after the address/],
  ['a@xn--a.de', /punycode/],
  ['a@x.org\r\nBcc: evil@x.org', /a line break at character 8/],
  ['"a\nb" <a@x.org>', /a line break/],
  ['a\rb@x.org', /a line break/],
  ['a\0@x.org', /U\+0000/],
  ['a\x7f@x.org', /U\+007F/],
  ['a\x85@x.org', /U\+0085/],
  ['Jane \x1b[2J <a@x.org>', /U\+001B/],
  ['a\ud800@x.org', /surrogate/],
  ['Jane \udc00 <a@x.org>', /surrogate/],
  ['a\u202eb@x.org', /invisible/],
  ['a\u200bb@x.org', /invisible/],
  ['"a\u200b b"@x.org', /invisible/],
  ['a@x\u200b.org', /invisible/],
  ['a@x\u00ad.org', /invisible/],
  ['a@x\u2028.org', /invisible/],
  [`${'l'.repeat(65)}@x.org`, /local part longer than 64/],
  [`${'ü'.repeat(33)}@x.org`, /local part longer than 64/],
  [`a@${'d'.repeat(64)}.org`, /label of the domain is longer than 63/],
  [`a@${'ü'.repeat(60)}.org`, /longer than 63/],
  [`a@${'d.'.repeat(127)}org`, /longer than 255/],
  [`a@${'ü.'.repeat(400)}org`, /longer than 255/],
  [`a@${'x'.repeat(5000)}.org`, /longer than 255/],
  [`${'l'.repeat(60)}@${'d.'.repeat(97)}org`, /longer than the 254 octets/],
  [`"${'n'.repeat(999)}" <a@x.org>`, /name longer than 998/],
]

describe('address list', () => {
  it('is read up to the given number of mailboxes', () => {
    assert.equal(parseAddressList('a@x.org, Us: b@x.org;, (nobody), c@x.org,', 3).length, 3)
    const many = 'a@x.org, b@x.org, c@x.org, not looked at'
    assert.throws(() => parseAddressList(many, 2), AddressCountError)
    assert.throws(() => parseAddressList(many, 3), /not looked at/)
    for (const endless of ['a@x.org,', '(),', 'a:;,']) {
      assert.throws(() => parseAddressList(endless.repeat(1_000_000), 10), AddressCountError)
    }
    assert.deepEqual(parseAddressList(`${', '.repeat(1_000_000)}a@x.org`, 1).length, 1)
  })

  for (const [text, ...mailboxes] of accepted) {
    it(`reads ${JSON.stringify(text).slice(0, 80)}`, () => assert.deepEqual(read(text), mailboxes))
  }

  for (const [text, why] of refused) {
    it(`refuses ${JSON.stringify(text).slice(0, 80)}`, () => {
      const message = refusal(text)
      assert.match(message, why)
      assert(message.length <= 200, message)
      assert.doesNotMatch(message, /[\x00-\x1f\x7f-\x9f]/)
      assert(message.isWellFormed())
    })
  }

  it('keeps the original text beside the parsed address', () => {
    assert.deepEqual(parseAddressList(' "Doe, Jane" <J.Doe@Bücher.de> , x@y.org'), [
      {
        name: 'Doe, Jane',
        local: 'J.Doe',
        domain: 'xn--bcher-kva.de',
        address: 'J.Doe@xn--bcher-kva.de',
        text: '"Doe, Jane" <J.Doe@Bücher.de>',
      },
      { name: '', local: 'x', domain: 'y.org', address: 'x@y.org', text: 'x@y.org' },
    ])
  })

  it('reads exactly one mailbox where only one is allowed', () => {
    assert.equal(parseMailbox('Jane <j@x.org>,').address, 'j@x.org')
    assert.throws(() => parseMailbox(' '), /is empty/)
    assert.throws(() => parseMailbox('a@x.org, b@x.org'), /holds 2 addresses/)
  })

  it('reads a domain in any of its forms', () => {
    assert.equal(parseDomain('Mail.Example.ORG'), 'mail.example.org')
    assert.equal(parseDomain('BÜCHER.de'), 'xn--bcher-kva.de')
    for (const text of ['', 'x', 'a b.org', 'x.org/', 'x@y.org', 'x.org\n', '[192.0.2.1]', '*.x.org']) {
      assert.throws(() => parseDomain(text), AddressError, text)
    }
  })

  it('takes time in proportion to the text, whatever the text', () => {
    assert.deepEqual(parseAddressList(','.repeat(10_000_000)), [])
    const repeat = (piece: string): string => piece.repeat(1_000_000 / piece.length)
    // Anything worse than linear would take hours here.
    for (const piece of [
      '(',
      '((',
      '"',
      '<',
      'a,',
      'a ',
      '\\',
      '"\\',
      'a:',
      '.',
      'a@',
      '<>',
      '()',
      ' ',
      '"",',
      '""',
    ]) {
      refusalOrEmpty(repeat(piece))
      refusalOrEmpty(`${repeat(piece)}<a@x.org>`)
      refusalOrEmpty(`a@x.org ${repeat(piece)}`)
    }
    assert.equal(parseAddressList('Jane <j@x.org>, '.repeat(100_000)).length, 100_000)
  })

  it('reads back what it writes', () => {
    const name = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((text) => !/[\x00-\x1f\x7f-\x9f]/.test(text) && text.isWellFormed())
      // Of blanks alone nothing is written.
      .filter((text) => text === '' || text.trim() !== '')
    const local = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 15 })
      .filter((text) => !/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text))
      // What normalising makes syntax of is refused, and so is what begins an encoded word.
      .filter((text) => !/[\x00-\x7f]/.test(text.replace(/[\x00-\x7f]+/g, '').normalize('NFKC')))
      .filter((text) => !text.includes('=?'))
    fc.assert(
      fc.property(name, local, (name, local) => {
        const address = `"${local.replace(/["\\]/g, '\\$&')}"@bücher.de`
        const mailbox = parseMailbox(`"${name.replace(/["\\]/g, '\\$&')}" <${address}>`)
        assert.equal(mailbox.name, name)
        const again = parseMailbox(formatMailbox(mailbox))
        assert.deepEqual({ ...again, text: '' }, { ...mailbox, text: '' })
        assert.equal(parseMailbox(mailbox.address).address, mailbox.address)
      }),
    )
  })

  it('throws nothing but its own error for arbitrary text', () => {
    const soup = fc.string({ unit: fc.constantFrom(...'ab@.,:;<>()[]"\\ \tüx'), maxLength: 40 })
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary' })), (text) => {
        let mailboxes: ReturnType<typeof parseAddressList>
        try {
          mailboxes = parseAddressList(text)
        } catch (error) {
          assert(error instanceof AddressError)
          assert(error.message.length <= 200)
          return
        }
        for (const { address, local, domain } of mailboxes) {
          assert.equal(address, `${local}@${domain}`)
          assert.match(domain, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)
          assert.equal(parseMailbox(address).address, address)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

function refusalOrEmpty(text: string): void {
  try {
    parseAddressList(text)
  } catch (error) {
    assert(error instanceof AddressError, String(error))
    assert(error.message.length <= 200)
  }
}

it('reads a plain mailbox the short way to the same as by the rules', () => {
  const word = fc.constantFrom(
    ...['Jane', 'Ü', '漢', 'x.y', "O'Brien", 'a-b', 'R&D', '\u00a0', '\u00ad'],
    ...['', ' ', '@', '"', '(c)', '<', ',', '😀'],
  )
  const local = fc.array(fc.constantFrom('a', 'B', '1', '+', '.', '"', 'ü', ' ', 'x'.repeat(60)), {
    minLength: 1,
    maxLength: 3,
  })
  const label = fc.constantFrom(
    'a',
    'B1',
    'a-1',
    'x',
    '1',
    '-',
    '',
    'xn--',
    'xn--bcher-kva',
    '_',
    'x'.repeat(63),
    'y'.repeat(64),
  )
  const domain = fc.array(label, { minLength: 1, maxLength: 5 })
  const outcome = (text: string) => {
    try {
      return parseAddressList(text)
    } catch (error) {
      assert(error instanceof AddressError)
      return error.message
    }
  }
  let mailboxes = 0
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 4 }),
      local,
      domain,
      fc.boolean(),
      (words, left, right, bracketed) => {
        const address = `${left.join('')}@${right.join('.')}`
        const text = bracketed ? `${words.join(' ')} <${address}>` : address
        // With a comma before it a text is a list, which only the rules can read.
        const found = outcome(`,${text}`)
        assert.deepEqual(outcome(text), found)
        if (typeof found !== 'string') mailboxes++
      },
    ),
    { numRuns: 5_000 },
  )
  assert(mailboxes > 100, `${mailboxes} were mailboxes`)
})
