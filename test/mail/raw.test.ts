import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseAddressList } from '../../src/mail/address/address.ts'
import { isEightBit, normaliseRaw, RawError, readRaw, readRawControl } from '../../src/mail/raw/raw.ts'

const bytes = (text: string) => Buffer.from(text, 'utf8')
const defaults = { messageId: '<new@x.test>', date: Date.UTC(2026, 10, 21, 9) }
const normalised = (text: string | Uint8Array) =>
  normaliseRaw(typeof text === 'string' ? bytes(text) : text, defaults).toString('latin1')
const lines = (...parts: string[]) => parts.join('\r\n')
const refused = (text: string | Uint8Array, reason: RegExp) =>
  assert.throws(
    () => normalised(text),
    (error) => error instanceof RawError && reason.test(error.message),
  )

const plain = lines(
  'From: Jane <jane@x.test>',
  'To: b@y.test',
  'Subject: Hi',
  'Date: Sat, 21 Nov 2026 08:00:00 +0000',
  'Message-ID: <1@x.test>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain',
  '',
  'Hello',
  '',
)

describe('reading a ready message', () => {
  test('gives its addresses, subject, ids and bodies', () => {
    const message = readRaw(
      bytes(
        lines(
          'From: =?utf-8?q?Zo=C3=AB_Doe?= <zoe@x.test>',
          'To: =?utf-8?B?RG9lLCBKYW5l?= <jane@y.test>,',
          ' "=?utf-8?q?not?=" <b@y.test>',
          'Cc: c@y.test',
          'Reply-To: r@x.test',
          'Subject: =?utf-8?Q?Gr=C3=BC=C3?= =?utf-8?Q?=9Fe?= from',
          '  here',
          'Date: Sat, 21 Nov 2026 08:00:00 +0100 (CET)',
          'Message-ID: <1@x.test>',
          'Content-Type: multipart/mixed; boundary="a b"',
          '',
          'preamble',
          '--a b',
          'Content-Type: multipart/alternative; boundary=in',
          '',
          '--in',
          '',
          'plain text',
          '--in',
          'Content-Type: text/html; charset=iso-8859-1',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          '<p>gr=FC=',
          'n</p>',
          '--in--',
          '--a b',
          'Content-Type: text/plain',
          'Content-Disposition: attachment; filename=a.txt',
          '',
          'attached',
          '--a b--',
          'epilogue',
        ),
      ),
    )
    assert.deepEqual(
      parseAddressList(message.from!).map(({ text }) => text),
      ['Zoë Doe <zoe@x.test>'],
    )
    assert.deepEqual(
      parseAddressList(message.to[0]!).map(({ text }) => text),
      ['"Doe, Jane" <jane@y.test>', 'not <b@y.test>'],
    )
    assert.deepEqual(
      [message.cc, message.replyTo.map(({ address }) => address)],
      [['c@y.test'], ['r@x.test']],
    )
    assert.equal(message.subject, 'Grüße from  here')
    assert.equal(message.messageId, '<1@x.test>')
    assert.equal(message.date, Date.UTC(2026, 10, 21, 7))
    assert.equal(message.text, 'plain text')
    assert.equal(message.html, '<p>grün</p>')
    assert.deepEqual(message.headers[2], ['Cc', 'c@y.test'])
  })

  test('takes any line end, a BOM and a mailbox line before it', () => {
    for (const end of ['\r\n', '\n', '\r']) {
      const message = readRaw(
        bytes(`\ufeff${end}From jane Sat Nov 21${end}From: a@x.test${end}Subject: s${end}${end}one${end}two`),
      )
      assert.equal(message.from, 'a@x.test')
      assert.equal(message.subject, 's')
      assert.equal(message.text, 'one\r\ntwo\r\n')
    }
  })

  test('gives no value for missing fields', () => {
    const message = readRaw(bytes('Subject: only\r\n\r\n'))
    assert.deepEqual([message.from, message.to], [undefined, []])
    assert.equal(message.messageId, undefined)
    assert.equal(message.date, undefined)
    assert.equal(message.html, undefined)
    assert.deepEqual(message.control, [])
  })

  test('an encoded word never adds an address', () => {
    const { from } = readRaw(
      bytes('From: =?utf-8?q?a=40evil.test=2C_b=3Cc=40evil.test=3E?= <jane@x.test>\r\n\r\n'),
    )
    assert.deepEqual(
      parseAddressList(from!).map(({ address }) => address),
      ['jane@x.test'],
    )
    assert.equal(
      readRaw(bytes('From: a@x.test\r\nSubject: =?utf-8?q?a=0D=0ABcc:_b?=\r\n\r\n')).subject,
      'a Bcc: b',
    )
  })

  test('lists the control fields in order, decoded and unfolded, and judges none', () => {
    const raw = bytes(
      lines(
        'From: a@x.test',
        'X-Mailgun-Tag: =?utf-8?q?caf=C3=A9?=',
        'x-mailgun-tag:  two ',
        'X-Mailgun-Variables: {"order": 7,',
        ' "name": "Zo\u00eb"}',
        'Subject: X-Mailgun-Tag: none',
        'X-Mailgun-Deliver-By: soon',
        'X-Mailgun-Unheard-Of:',
        '',
        'X-Mailgun-Tag: body',
        '',
      ),
    )
    const expected = [
      { name: 'X-Mailgun-Tag', value: 'café' },
      { name: 'x-mailgun-tag', value: 'two' },
      { name: 'X-Mailgun-Variables', value: '{"order": 7, "name": "Zoë"}' },
      { name: 'X-Mailgun-Deliver-By', value: 'soon' },
      { name: 'X-Mailgun-Unheard-Of', value: '' },
    ]
    assert.deepEqual(readRaw(raw).control, expected)
    assert.deepEqual(readRawControl(raw), expected)
  })

  test('a megabyte of CRs that no LF ends is read in one pass', () => {
    // Looked at once for each of them it would take hours.
    assert.equal(normalised(`From: a@x.test\r\r${'\r'.repeat(1_000_000)}x`).endsWith('\r\nx\r\n'), true)
  })

  test('finds control fields wherever the header ends, and refuses a header as readRaw does', () => {
    const tag = [{ name: 'X-Mailgun-Tag', value: 't' }]
    for (const end of ['\n', '\r\n', '\r']) {
      for (const start of ['', '\ufeff', end, `From x${'x'.repeat(600_000)}${end}`]) {
        for (const rest of ['', end, end + end, `${end}${end}${`x${end}`.repeat(400_000)}`]) {
          const raw = bytes(`${start}Subject: s${end}X-Mailgun-Tag: t${rest}`)
          assert.deepEqual(readRawControl(raw), tag, JSON.stringify([start.slice(0, 9), rest.slice(0, 9)]))
          assert.deepEqual(readRaw(raw).control, tag)
        }
      }
    }
    for (const raw of [
      '',
      'nonsense\n\n',
      'From: a@x.test\nFrom: b@x.test\n\n',
      `A: ${'b'.repeat(600_000)}`,
    ]) {
      assert.throws(() => readRawControl(bytes(raw)), RawError, raw.slice(0, 20))
    }
  })
})

describe('making a ready message fit to be sent', () => {
  test('leaves one alone that is complete', () => {
    assert.equal(normalised(plain), plain)
  })

  test('adds missing fields at the end of the header', () => {
    assert.equal(
      normalised('From: a@x.test\nMessage-ID: <<1@x.test>>\n\nHi'),
      lines(
        'From: a@x.test',
        'Date: Sat, 21 Nov 2026 09:00:00 +0000',
        'Message-ID: <new@x.test>',
        'MIME-Version: 1.0',
        '',
        'Hi',
        '',
      ),
    )
  })

  test('removes Bcc, the fields of the transport and control fields, folded or not', () => {
    const removed = lines(
      'Return-Path: <e@x.test>',
      'DKIM-Signature: v=1; b=x',
      'ARC-Seal: i=1',
      'Authentication-Results: x',
      'bcc : hidden@x.test,',
      ' other@x.test',
      'Resent-Bcc: hidden@x.test',
      'X-Mailgun-Tag: caf\u00e9',
      '',
    )
    assert.equal(normalised(removed + plain), plain)
  })

  test('keeps Received, which loops are found by, and puts one in front where there is one', () => {
    const traced = `Received: from a\r\n\tby b; Fri, 1 Jan 2021 10:00:00 +0000\r\n${plain}`
    assert.equal(normalised(traced), traced)
    const received = 'Received: by c with ESMTPSA id 1;\r\n\tFri, 1 Jan 2021 10:00:01 +0000\r\n'
    assert.equal(normaliseRaw(bytes(traced), { ...defaults, received }).toString('latin1'), received + traced)
  })

  test('leaves nothing that could end the message early', () => {
    const smuggled = '\n.\nMAIL FROM:<e@x.test>\r.\r\r\n.\rx\n.\r\n\r\r\n.end'
    const result = normalised(plain + smuggled)
    assert.doesNotMatch(result, /[^\r]\n|\r[^\n]|^\n|\r$/)
    assert.ok(result.endsWith('.end\r\n'))
  })

  test('folds long lines of the header at white space, and keeps every other fold', () => {
    const references = Array.from({ length: 80 }, (_, n) => `<${n}.${'i'.repeat(20)}@x.test>`).join(' ')
    const result = normalised(`X-A: 1\r\n  2\r\nReferences: ${references}\r\n${plain}`)
    assert.ok(result.startsWith('X-A: 1\r\n  2\r\nReferences: <0.'))
    for (const line of result.split('\r\n')) assert.ok(line.length <= 998)
    assert.ok(result.replaceAll('\r\n ', ' ').includes(`References: ${references}\r\n`))
  })

  test('encodes bodies with lines that are too long, and only those', () => {
    const long = 'x=y '.repeat(400).trimEnd()
    const message = plain
      .replace('text/plain', 'multipart/mixed; boundary=b')
      .replace(
        'Hello',
        lines(
          '--b',
          'Content-Type: text/html',
          '',
          `--${long}--`,
          '--b',
          'X-Other: 1',
          '',
          'short  ',
          '--b--',
        ),
      )
    const result = normalised(message)
    for (const line of result.split('\r\n')) assert.ok(line.length <= 76)
    assert.match(
      result,
      /Content-Type: text\/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=2D-x=3Dy/,
    )
    assert.ok(result.endsWith(lines('--b', 'X-Other: 1', '', 'short  ', '--b--', '')))
    assert.equal(readRaw(bytes(result)).html, `--${long}--`)
  })

  test('wraps base64 that stands in one line', () => {
    const content = Buffer.alloc(3000, 'attached ')
    const message = plain.replace(
      'Content-Type: text/plain',
      'Content-Type: text/plain\r\nContent-Transfer-Encoding: base64',
    )
    const result = normalised(message.replace('Hello', content.toString('base64')))
    for (const line of result.split('\r\n')) assert.ok(line.length <= 76)
    assert.equal(result.match(/Content-Transfer-Encoding/g)?.length, 1)
    assert.equal(readRaw(bytes(result)).text, content.toString())
  })

  test('refuses an ambiguous message, and names the cause', () => {
    refused('', /no header/)
    refused('\r\n\r\nbody', /Field 1 of the header is not of the form "Name: value" but "body"/)
    refused('From: a@x.test\r\nnonsense\r\n\r\n', /Field 2 of the header .* "nonsense"/)
    refused(' From: a@x.test\r\n\r\n', /Field 1/)
    refused('From: a@x.test\r\nfrom: b@x.test\r\n\r\n', /field from more than once/)
    refused(
      'From: a@x.test\r\nSubject: Zo\u00eb\r\n\r\n',
      /field Subject has 8-bit characters; write them as encoded words/,
    )
    refused('From: a@x.test\r\nSubject: a\0b\r\n\r\n', /Subject has a control character \(octet 0\)/)
    refused(
      `From: a@x.test\r\nX-Long: ${'x'.repeat(1000)}\r\n\r\n`,
      /X-Long has a line of 1008 octets that cannot be folded/,
    )
    refused(`From: a@x.test\r\n${'X-A: b\r\n'.repeat(1001)}\r\n`, /more than 1000 fields/)
    refused(`From: a@x.test\r\nX-A: ${' x\r\n'.repeat(70_000)}\r\n`, /longer than 262144 octets/)
  })

  test('refuses to change a signed part', () => {
    const signed = lines(
      'From: a@x.test',
      'Content-Type: multipart/signed; boundary=s; protocol="application/pgp-signature"',
      '',
      '--s',
      'Content-Type: text/plain',
      '',
      'x'.repeat(1200),
      '--s',
      'Content-Type: application/pgp-signature',
      '',
      'sig',
      '--s--',
      '',
    )
    refused(signed, /signed part that has lines over 998 octets.*break the signature/)
  })

  test('encodes lines of 986 to 998 octets, which some servers cut, and leaves signed parts unchanged', () => {
    const long = 'x'.repeat(990)
    const plain = normalised(lines('From: a@x.test', 'Content-Type: text/plain', '', long, ''))
    assert.match(plain, /Content-Transfer-Encoding: quoted-printable/)
    for (const line of plain.split('\r\n')) assert.ok(line.length <= 985)
    const signed = lines(
      'From: a@x.test',
      'Content-Type: multipart/signed; boundary=s; protocol="application/pgp-signature"',
      '',
      '--s',
      'Content-Type: text/plain',
      '',
      long,
      '--s',
      'Content-Type: application/pgp-signature',
      '',
      'sig',
      '--s--',
      '',
    )
    assert.ok(normalised(signed).includes(`\r\n${long}\r\n`))
  })
})

describe('hostile messages', () => {
  test('with endless nesting are refused', () => {
    let text = 'From: a@x.test\r\n'
    for (let n = 0; n < 1000; n++) text += `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`
    assert.throws(() => readRaw(bytes(text)), { name: 'RawError', message: /more than 64 levels/ })
    const attached = `From: a@x.test\r\n${'Content-Type: message/rfc822\r\n\r\n'.repeat(5000)}`
    assert.throws(() => readRaw(bytes(attached)), { name: 'RawError', message: /more than 64 levels/ })
  })

  test('with endless parts are refused', () => {
    const text = `From: a@x.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\n'.repeat(20_000)}`
    assert.throws(() => readRaw(bytes(text)), { name: 'RawError', message: /more than 10000 parts/ })
  })

  test('made to be slow are read all the same', () => {
    const heads = [
      `From: ${'<'.repeat(200_000)}`,
      `From: ${'"\\'.repeat(100_000)}`,
      `From: ${'=?a?q?'.repeat(30_000)}`,
      `Date: ${'('.repeat(200_000)}`,
      `Content-Type: ${'a;'.repeat(100_000)}`,
      `Content-Type: ${'('.repeat(200_000)}`,
      `Subject: ${' '.repeat(200_000)}x`,
    ]
    for (const head of heads) assert.ok(readRaw(bytes(`${head}\r\n\r\n`)).headers.length === 1)
    const dashes = `From: a@x.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--\r\n'.repeat(500_000)}`
    assert.equal(readRaw(bytes(dashes)).text, undefined)
  })

  test('with boundaries that repeat, do not close or stand in a header keep their parts apart', () => {
    const same = lines(
      'From: a@x.test',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '--b',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      '',
      'first',
      '--b--',
      '--b',
      '',
      'second',
    )
    const message = readRaw(bytes(same))
    assert.equal(message.text, 'first')
    assert.equal(message.html, '')
  })
})

test('a message is 8-bit when an octet is', () => {
  assert.equal(isEightBit(bytes('plain')), false)
  assert.equal(isEightBit(bytes('gr\u00fcn')), true)
  assert.equal(isEightBit(Buffer.alloc(0)), false)
})

test('a field of mailboxes that cannot be read is refused, whichever it is', () => {
  for (const name of ['Sender', 'Reply-To', 'Resent-From', 'Resent-To', 'Resent-Cc', 'Resent-Reply-To']) {
    const text = `From: a@x.test\r\n${name}: a@x.test, @@\r\n\r\ntext`
    assert.throws(() => readRaw(bytes(text)), { name: 'RawError', message: new RegExp(`field ${name} `) })
  }
})
