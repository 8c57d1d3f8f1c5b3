/** Options of a message for the service: in its header, the user name, the key. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { basic, call } from '../http/requests.ts'
import { base64, DOMAIN, message, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

describe('options of a message over SMTP', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig({ tls: null, submission: [STARTTLS] })
  })
  after(() => rig[Symbol.asyncDispose]())

  const captured = async (id: string) => (await rig.captured(id)).toString()

  test('X-Mailgun fields have the meaning that they have in messages.mime, and are not sent on', async () => {
    using client = await rig.loggedIn()
    const options =
      'X-Mailgun-Tag: news\r\nX-Mailgun-Tag: weekly\r\nX-Mailgun-Variables: {"order": "17"}\r\n' +
      'X-Mailgun-Drop-Message: yes\r\nX-Mailgun-Deliver-By: Fri, 1 Jan 2021 10:00:00 +0000\r\n' +
      'Bcc: hidden@x.test\r\n'
    const email = await rig.email(await client.send(message('Hello\r\n', options)))
    assert.deepEqual(email.tags, [
      { name: 'tag', value: 'news' },
      { name: 'tag', value: 'weekly' },
    ])
    assert.deepEqual(email.variables, { order: '17' })
    assert.equal(email.testMode, true)
    using plain = await rig.loggedIn()
    const { id } = await rig.email(
      await plain.send(message('Hello\r\n', options.replace(/X-Mailgun-Drop.*\r\n/, ''))),
    )
    const raw = await captured(id)
    assert.match(raw, /^Subject: Hi\r$/m)
    assert.doesNotMatch(raw, /X-Mailgun|hidden@|Resend-/i)
  })

  test('batch sending: each recipient gets a copy of its own', async () => {
    using client = await rig.loggedIn()
    const options =
      'X-Mailgun-Recipient-Variables: {"b@x.test": {"name": "Bob"}, "c@x.test": {"name": "Cai"}}\r\n'
    const email = await rig.email(
      await client.send(message('Hello %recipient.name%\r\n', options), ['b@x.test', 'c@x.test']),
    )
    const { recipients } = (await rig.service.store.readHistory(email.id))!
    assert.deepEqual(
      recipients.map(({ variables }) => variables?.name),
      ['Bob', 'Cai'],
    )
  })

  describe('SMTPUTF8 (RFC 6531)', () => {
    const begin = async (header: string, parameters = ' SMTPUTF8') => {
      using client = await rig.loggedIn()
      await client.say(`MAIL FROM:<a@${DOMAIN}>${parameters}`, /^250 /)
      await client.say('RCPT TO:<b@x.test>', /^250 /)
      await client.say('DATA', /^354 /)
      client.write(`${header}\r\nHällo\r\n`)
      return await client.say('.')
    }

    test('text of the header is encoded, names of mailboxes too; local parts stay', async () => {
      const header =
        `From: Jörg <a@${DOMAIN}>\r\nTo: Jörg\r\n <jörg@bücher.example>,\r\n "B, Ö" <b@x.test>\r\nSubject: Grüße aus\r\n Köln\r\n` +
        'X-Mailgun-Tag: größe\r\nReply-To: jörg@x.test\r\n'
      const email = await rig.email(await begin(header))
      assert.equal(email.content.subject, 'Grüße aus Köln')
      assert.deepEqual(email.tags, [{ name: 'tag', value: 'größe' }])
      const raw = await captured(email.id)
      assert.ok(raw.includes('\r\nFrom: =?utf-8?B?SsO2cmc=?= <a@acme.example>\r\n'))
      const to = 'To: =?utf-8?B?SsO2cmc=?= <jörg@xn--bcher-kva.example>, =?utf-8?B?Qiwgw5Y=?=\r\n <b@x.test>'
      assert.ok(raw.includes(`\r\n${to}\r\n`))
      assert.ok(raw.includes('\r\nSubject: =?utf-8?B?R3LDvMOfZSBhdXMgS8O2bG4=?=\r\n'))
      assert.match(raw, /^Reply-To: jörg@x\.test\r$/m)
    })

    test('a value that cannot be encoded is refused', async () => {
      assert.match(
        await begin(`From: a@${DOMAIN}\r\nReferences: <ö@x>\r\n`),
        /^550 5\.6\.0 .* The value of References contains/,
      )
    })
  })

  describe('8-bit text in the header of a client without SMTPUTF8', () => {
    const sent = async (header: string | Buffer, text = 'Hello\r\n') => {
      using client = await rig.loggedIn()
      const email = await rig.email(
        await client.send(Buffer.concat([Buffer.from(header), Buffer.from(`\r\n${text}`)])),
      )
      return { email, raw: (await rig.captured(email.id)).toString('latin1') }
    }
    const from = `From: Ann <a@${DOMAIN}>\r\n`

    test('UTF-8 is encoded', async () => {
      const { email, raw } = await sent(
        `From: Jörg <a@${DOMAIN}>\r\nTo: "B, Ö" <b@x.test>\r\nSubject: Grüße\r\n aus Köln\r\n` +
          'X-Mailgun-Variables: {"name": "Zoë"}\r\nX-Note: größer\r\nMessage-ID: <ö@x.test>\r\n',
      )
      assert.equal(email.content.subject, 'Grüße aus Köln')
      assert.deepEqual(email.variables, { name: 'Zoë' })
      assert.match(raw, /^From: =\?utf-8\?B\?SsO2cmc=\?= <a@acme\.example>\r$/m)
      assert.match(raw, /^To: =\?utf-8\?B\?Qiwgw5Y=\?= <b@x\.test>\r$/m)
      assert.match(raw, /^X-Note: =\?utf-8\?B\?Z3LDtsOfZXI=\?=\r$/m)
      assert.doesNotMatch(raw, /[\x80-\xff]/)
    })

    test('text that is not UTF-8 is read in the charset of the message, or in Windows-1252', async () => {
      const latin = (text: string) => Buffer.from(text, 'latin1')
      const first = await sent(
        latin(`From: J\xf6rg <a@${DOMAIN}>\r\nSubject: 5 \x80 f\xfcr K\xf6ln \x81\r\n`),
      )
      assert.equal(first.email.content.subject, '5 € für Köln \ufffd')
      assert.match(first.raw, /^From: =\?utf-8\?B\?SsO2cmc=\?= <a@acme\.example>\r$/m)
      const type = 'Content-Type: text/plain; charset="koi8-r"\r\n'
      const second = await sent(latin(`${from}${type}Subject: \xf0\xd2\xc9\xd7\xc5\xd4\r\n`))
      assert.equal(second.email.content.subject, 'Привет')
      for (const charset of ['utf-16', 'utf-8', 'nonsense', 'iso-8859-1']) {
        const { email } = await sent(latin(`${from}${type.replace('koi8-r', charset)}Subject: f\xfcr\r\n`))
        assert.equal(email.content.subject, 'für', charset)
      }
    })

    test('text that was encoded twice, and malformed lists, arrive', async () => {
      const { email, raw } = await sent(`${from}To: Käufer im Süden:; b@x\r\nSubject: 5 \xe2\x82\xac\r\n`)
      assert.equal(email.content.subject, '5 â\ufffd¬')
      assert.match(raw, /^To: =\?utf-8\?B\?[\w/+=]+\?= b@x\r$/m)
    })

    test('parameters are encoded in their own way (RFC 2231)', async () => {
      const boundary = 'b'.repeat(70)
      const { raw } = await sent(
        `${from}Content-Type: multipart/mixed; boundary=${boundary}; name="Öl.txt"\r\nContent-Disposition: attachment; filename=Öl.txt\r\n`,
        `--${boundary}\r\n\r\nHello\r\n--${boundary}--\r\n`,
      )
      assert.match(
        raw,
        new RegExp(
          `^Content-Type: multipart/mixed;\r\n boundary="${boundary}";\r\n name\\*=UTF-8''%C3%96l\\.txt\r$`,
          'm',
        ),
      )
      assert.match(raw, /^Content-Disposition: attachment; filename\*=UTF-8''%C3%96l\.txt\r$/m)
    })

    test('control characters, which could end a line, are refused as ever', async () => {
      using client = await rig.loggedIn()
      for (const subject of ['ö\0', 'ö\r\r\nBcc: c@x.test', 'ö\u0007']) {
        assert.match(await client.send(`${from}Subject: ${subject}\r\n\r\nx\r\n`), /^550 5\.6\.0 /)
      }
    })
  })

  describe('Resend-Idempotency-Key', () => {
    const field = (key: string) => `Resend-Idempotency-Key: ${key}\r\n`
    const made = (number: number, text = 'Hello') =>
      `Date: Fri, ${number} Jan 2027 10:00:00 +0000\r\nMessage-ID:\r\n <${number}@client.test>\r\n` +
      `Content-Type: multipart/alternative; boundary="--_NmP-0123456789-${number}"\r\n` +
      message(
        `----_NmP-0123456789-${number}\r\n\r\n${text}\r\n----_NmP-0123456789-${number}--\r\n`,
        field('order-17'),
      )

    test('the same message, made anew, is accepted once', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const first = await client.send(made(1))
      const ids = new Set([first])
      for (const number of [2, 3]) ids.add(await client.send(made(number)))
      using other = await rig.loggedIn()
      ids.add(await other.send(made(4)))
      assert.equal(ids.size, 1)
      assert.equal(await rig.count(), emails + 1)
      assert.equal((await rig.email(first)).content.messageId, '<1@client.test>')
      assert.doesNotMatch(await captured((await rig.email(first)).id), /Idempotency/)
    })

    test('with empty lines in front, which do not end the header', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const first = await client.send(`\r\n\r\n${message('Hello\r\n', field('below'))}`)
      assert.equal(await client.send(`Date: x\r\n${message('Hello\r\n', field('below'))}`), first)
      assert.equal(await rig.count(), emails + 1)
    })

    test('another message, or other recipients, under the same key are refused', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const conflict = /^550 5\.6\.0 This idempotency key was used with another message/
      assert.match(await client.send(made(1, 'Bye')), conflict)
      assert.match(await client.send(made(1), ['c@x.test']), conflict)
      assert.equal(await rig.count(), emails)
    })

    test('a large message, in a worker', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const large = message('x'.repeat(76).concat('\r\n').repeat(2_000), field('large'))
      assert.equal(await client.send(`Date: x\r\n${large}`), await client.send(`Date: y\r\n${large}`))
      assert.equal(await rig.count(), emails + 1)
    })

    test('the same key over HTTP gets a 409', async () => {
      using client = await rig.loggedIn()
      const emails = await rig.count()
      await rig.email(await client.send(message('Hello\r\n', field('both'))))
      const form = new FormData()
      form.append('to', 'b@x.test')
      form.append('message', new File([message()], 'message.mime'))
      const { status } = await call(`${rig.service.url}/v3/${DOMAIN}/messages.mime`, {
        method: 'POST',
        headers: { authorization: basic(rig.key.token), 'idempotency-key': 'both' },
        body: form,
      })
      assert.equal(status, 409)
      assert.equal(await rig.count(), emails + 1)
    })
  })

  describe('the trace fields of a message (RFC 5321 6.3)', () => {
    const by = (host: string) => `Received: from x by ${host}; Fri, 1 Jan 2021 10:00:00 +0000\r\n`

    test('a new one is added when mail leaves, without a word about the client', async () => {
      using client = await rig.loggedIn()
      const { id } = await rig.email(await client.send(`${by('mx.x.test')}${message()}`))
      const fields = (await captured(id)).match(/^Received:.*\r\n(?:[ \t].*\r\n)*/gm)!
      assert.match(
        fields[0]!,
        new RegExp(
          `^Received: by postroad\\.test \\(Postroad\\) with ESMTPA id ${id};\r\n\t.* [+-]0000\r\n$`,
        ),
      )
      assert.deepEqual(fields.slice(1), [by('mx.x.test')])
    })

    test('mail that loops is refused, on every way in', async () => {
      using client = await rig.loggedIn()
      assert.match(await client.send(`${by('mx.x.test').repeat(100)}${message()}`), /^250 /)
      const far = `${by('mx.x.test').repeat(101)}${message()}`
      assert.match(await client.send(far), /^554 5\.4\.6 .* it has gone through 101 servers/)
      const form = new FormData()
      form.append('to', 'b@x.test')
      form.append('message', new File([far], 'message.mime'))
      const { status, text } = await call(`${rig.service.url}/v3/${DOMAIN}/messages.mime`, {
        method: 'POST',
        headers: { authorization: basic(rig.key.token) },
        body: form,
      })
      assert.equal(status, 400)
      assert.match(text, /it has gone through 101 servers/)
    })

    test('returned mail is accepted a few times, because lists forward mail, and then refused', async () => {
      using client = await rig.loggedIn()
      let sent = message()
      for (let round = 1; round <= 5; round++)
        sent = await captured((await rig.email(await client.send(sent))).id)
      assert.match(await client.send(sent), /^554 5\.4\.6 .* it has been here 5 times, so it goes in circles/)
    })
  })

  describe('rights to send', () => {
    test('a user name with a domain of the company sends for that domain', async () => {
      await rig.service.domain(rig.companyId, 'mg.acme.example')
      using client = await rig.loggedIn(rig.key.token, 'postmaster@mg.acme.example')
      const reply = await client.send(message())
      assert.match(
        reply,
        /^550 5\.7\.1 From is at acme\.example, but the user name is for mg\.acme\.example; /,
      )
      const own = message().replace(DOMAIN, 'mg.acme.example')
      await rig.email(await client.send(own))
      using any = await rig.loggedIn()
      await rig.email(await any.send(own))
      await rig.email(await any.send(message()))
    })

    test('a key for one domain sends from that one', async () => {
      const domain = await rig.service.domain(rig.companyId, 'one.example')
      const { token } = await rig.service.key(rig.companyId, { domainId: domain.id })
      using client = await rig.loggedIn(token)
      assert.match(await client.send(message()), /^550 5\.7\.1 This API key may send only from one\.example/)
      using named = await rig.loggedIn(token, `postmaster@${DOMAIN}`)
      await named.say('MAIL FROM:<>', /^550 5\.7\.1 This API key may send only from one\.example/)
    })

    test('a domain of another company counts as unknown, and an inactive domain gets the reason', async () => {
      const other = await rig.service.tenant('other.example')
      await rig.service.domain(rig.companyId, 'new.example', 'inactive')
      using client = await rig.loggedIn(rig.key.token, 'postmaster@other.example')
      const from = (domain: string) => client.send(message().replace(DOMAIN, domain))
      assert.match(
        await from('other.example'),
        /^550 5\.7\.1 other\.example is not a domain that you may send from/,
      )
      assert.match(
        await from('new.example'),
        /^550 5\.7\.1 The domain new\.example may not send: its DNS records/,
      )
      assert.equal(
        await rig.service.store.listEmails({ companyId: other.company.id, limit: 1 }).then((l) => l.length),
        0,
      )
    })

    test('invalid keys, each with the reason', async () => {
      const { service, companyId } = rig
      const keys = [
        [
          await service.key(companyId, { scopes: ['reading'] }),
          /^535 5\.7\.8 This API key lacks the sending scope/,
        ],
        [
          await service.key(companyId, { networks: ['192.0.2.0/24'] }),
          /^535 5\.7\.8 This API key may not be used from the address 127\.0\.0\.1/,
        ],
        [await service.key(companyId, { expiresAt: Date.now() - 1 }), /^535 5\.7\.8 The API key has expired/],
      ] as const
      const replies = keys.map(async ([{ token }]) => {
        using client = await rig.connect()
        await client.say('EHLO client.test', /^250-/)
        return await client.say(`AUTH PLAIN ${base64(`\0api\0${token}`)}`)
      })
      for (const [index, reply] of (await Promise.all(replies)).entries())
        assert.match(reply, keys[index]![1])
      assert.ok(
        service.logged.some((line) => line.includes('a key was used from an address that it does not allow')),
      )
    })

    test('a key made a moment ago elsewhere works at once, and a revoked key no longer works', async () => {
      const { token, id } = await rig.service.key(rig.companyId)
      using client = await rig.loggedIn(token)
      using idle = await rig.loggedIn(token)
      await client.say('MAIL FROM:<>', /^250 /)
      await client.say('RCPT TO:<b@x.test>', /^250 /)
      await client.say('DATA', /^354 /)
      client.write(message())
      await rig.service.store.revokeKey(id, Date.now())
      await rig.service.app.refreshAccounts()
      // Not 5yz: a relay would bounce the message, where a refused login lets it wait.
      assert.match(await client.say('.'), /^421 4\.7\.0 The password is neither a valid API key/)
      await client.ended()
      await idle.say('MAIL FROM:<>', /^421 4\.7\.0 The password/)
      await idle.ended()
    })
  })
})
