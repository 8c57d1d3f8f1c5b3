import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import PostalMime from 'postal-mime'
import { substituteRaw } from '../../src/mail/batch/substitute-raw.ts'
import { ANY_BOUNDARY } from '../../src/mail/compose/boundary.ts'
import { compose } from '../../src/mail/compose/compose.ts'
import { HeaderError } from '../../src/mail/header/header.ts'

const bob = {
  address: 'bob@x.test',
  name: 'Bob B.',
  variables: { n: 'Jörg', plain: 'P', bad: 'a\r\nBcc: e@x.test' },
}

function fill(...lines: string[]): string {
  return substituteRaw(Buffer.from(lines.join('\r\n')), bob).toString()
}

describe('recipient variables in a ready message', () => {
  it('keeps every octet of a message without placeholders', () => {
    const { header, body } = compose(
      {
        from: 'Jörg <a@acme.test>',
        to: ['b@x.test'],
        cc: [],
        replyTo: [],
        subject: '100% Größe',
        text: 'ü % recipient',
        html: '<p>100%;width:50%</p>',
        headers: [['X-A', 'a  b']],
        attachments: [
          {
            filename: 'a%.bin',
            contentType: 'text/plain',
            content: Buffer.from('%recipient.n%'),
            disposition: 'attachment',
          },
        ],
        messageId: '<1@acme.test>',
        date: 0,
      },
      ANY_BOUNDARY,
    )
    const raw = Buffer.concat([header, Buffer.from('\r\n'), body])
    assert.deepEqual(substituteRaw(raw, bob), raw)
    for (const odd of ['', 'no header at all', '\r\n', '\r\nbody', 'A: b', 'A: b\n\nc\n', '\xff\x80']) {
      assert.equal(substituteRaw(Buffer.from(odd, 'latin1'), bob).toString('latin1'), odd)
    }
  })

  const fields: [field: string, filled: string][] = [
    ['Subject: Hi %recipient.plain%', 'Subject: Hi P'],
    ['Subject: Hi %recipient.n%', 'Subject: Hi =?utf-8?B?SsO2cmc=?='],
    ['Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe_=25recipient=2Eplain=25?=', 'Subject: =?utf-8?B?R3LDvMOfZQ==?= P'],
    ['To: %recipient%', 'To: "Bob B." <bob@x.test>'],
    ['From: "%recipient.plain% at Acme" <a@acme.test>', 'From: P at Acme <a@acme.test>'],
    [
      'To: "%recipient.bad2%" <%recipient.plain%@x.test>',
      'To: "%recipient.bad2%" <%recipient.plain%@x.test>',
    ],
    [
      'List-Unsubscribe: <https://x.test/%recipient.plain%>,\r\n <%unsubscribe_url%>',
      'List-Unsubscribe: <https://x.test/P>',
    ],
    ['List-Unsubscribe: <%unsubscribe_url%>', ''],
    ['Message-ID: <%recipient.plain%@x.test>', 'Message-ID: <P@x.test>'],
    ['Message-ID: <%recipient.bad2%@x.test>', 'Message-ID: <%recipient.bad2%@x.test>'],
  ]
  for (const [field, filled] of fields) {
    it(`fills in ${field}`, () => {
      assert.equal(
        fill('X-Before: 1', field, 'X-After: 2', '', 'body'),
        ['X-Before: 1', ...(filled ? [filled] : []), 'X-After: 2', '', 'body'].join('\r\n'),
      )
    })
  }

  it('lets no value break out of its field', () => {
    assert.throws(() => fill('Subject: %recipient.bad%', '', ''), HeaderError)
    assert.throws(() => fill('From: "%recipient.bad%" <a@x.test>', '', ''), HeaderError)
  })

  it('reaches text in every encoding, at every level, and no file', async () => {
    const raw = fill(
      'Subject: x',
      'Content-Type: multipart/mixed; boundary="out er"',
      '',
      'preamble %recipient.plain%',
      '--out er',
      'Content-Type: multipart/alternative; boundary=in',
      '',
      '--in',
      '',
      'plain %recipient.n%',
      '--in',
      'Content-Type: text/html; charset=iso-8859-1; x=y',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>=FC %recipi=',
      'ent.n% =25recipient.plain%</p>',
      '--in--',
      '--out er',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('b64 %recipient.plain%').toString('base64'),
      '--out er',
      'Content-Type: text/plain; name=a.txt',
      'Content-Disposition: attachment; filename=a.txt',
      '',
      'file %recipient.plain%',
      '--out er',
      'Content-Type: message/rfc822',
      '',
      'Subject: %recipient.plain%',
      '',
      '--out er--',
      'epilogue %recipient.plain%',
    )
    assert.match(raw, /preamble %recipient\.plain%\r\n--out er\r\n/)
    assert.match(raw, /\r\nplain J=C3=B6rg\r\n--in\r\n/)
    assert.match(
      raw,
      /Content-Type: text\/html; charset=utf-8; x=y\r\nContent-Transfer-Encoding: quoted-printable\r\n/,
    )
    assert.match(raw, /<p>=C3=BC J=C3=B6rg P<\/p>\r\n--in--\r\n--out er\r\n/)
    assert.match(raw, /\r\n\r\nb64 P\r\n--out er\r\n/)
    assert.match(raw, /file %recipient\.plain%\r\n--out er\r\n/)
    assert.match(raw, /Subject: %recipient\.plain%\r\n\r\n--out er--\r\nepilogue %recipient\.plain%$/)
    const email = await PostalMime.parse(raw)
    assert.match(email.text!, /plain Jörg[\s\S]*b64 P/)
    assert.match(email.html!, /<p>ü Jörg P<\/p>/)
  })

  it('lets no value end a part, even if its author knows the boundary', async () => {
    const line = 'Content-Type: text/plain; charset=utf-8'
    const template = [
      'A: b',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      line,
      '',
      '%recipient.v%',
      '--b--',
      '',
    ]
    const values = [
      'x\r\n--b\r\nContent-Type: text/html\r\n\r\n<b>',
      '\n--b--\n',
      '--b\n',
      `ü ${'x'.repeat(72)}--b`,
      `ü${'x'.repeat(75)}\r--b--\r`,
      '-\n--b\n'.repeat(200),
    ]
    for (let fill = 60; fill < 80; fill++) values.push(`ü${'x'.repeat(fill)}--b`, `=${'x'.repeat(fill)}--b--`)
    for (const v of values) {
      const raw = substituteRaw(Buffer.from(template.join('\r\n')), { ...bob, variables: { v } })
      assert.equal(raw.toString().match(/^--b/gm)!.length, 2, JSON.stringify(v))
      const email = await PostalMime.parse(raw)
      assert.equal(email.html, undefined)
      assert.equal(email.text!.replace(/\r\n?/g, '\n').trimEnd(), v.replace(/\r\n?/g, '\n').trimEnd())
    }
  })

  it('leaves the messages of a digest alone', () => {
    const raw = [
      'Content-Type: multipart/digest; boundary=d',
      '',
      '--d',
      '',
      'Subject: a',
      '',
      '%recipient.plain%',
      '--d',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
    ]
    assert.equal(fill(...raw, '%recipient.plain%', '--d--'), [...raw, 'P', '--d--'].join('\r\n'))
  })

  it('leaves signed parts alone, and fills the parts beside them', () => {
    const signed = [
      'Content-Type: multipart/signed; boundary=s; micalg=sha-256',
      '',
      '--s',
      'Content-Type: text/plain',
      '',
      '%recipient.plain%',
      '--s',
      'Content-Type: application/pgp-signature',
      '',
      'signature',
      '--s--',
    ]
    assert.equal(fill('Subject: %recipient.plain%', ...signed), ['Subject: P', ...signed].join('\r\n'))
    const mixed = fill(
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      ...signed,
      '--b',
      '',
      '%recipient.plain%',
      '--b--',
    )
    assert.ok(mixed.includes(signed.join('\r\n')))
    assert.ok(mixed.endsWith('\r\n\r\nP\r\n--b--'))
  })

  it('survives parts nested without end', () => {
    const levels = Array.from(
      { length: 5000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    )
    const raw = Buffer.from(`${levels.join('')}\r\n%recipient.plain%`)
    assert.deepEqual(substituteRaw(raw, bob), raw)
  })
})
