/** What strangers and broken clients send instead of SMTP: refused, counted, and over before it costs anything. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { textOf } from '../../src/mail/body.ts'
import { base64, DOMAIN, message, type SmtpClient, type SubmissionRig, startRig } from './rig.ts'

const MIB = 1024 * 1024

describe('hostile clients of SMTP submission', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig({ maxMessageSize: MIB, maxRecipients: 3, requestTimeout: 2_000 })
  })
  after(() => rig[Symbol.asyncDispose]())

  /** Nothing of it was accepted, and the session is where it was. */
  async function inStep(client: SmtpClient, emails: number): Promise<void> {
    await client.say('NOOP', /^250 2\.0\.0 /)
    assert.equal(client.received, '')
    assert.equal(await rig.count(), emails)
  }

  describe('many sessions at once', () => {
    const SESSIONS = 20
    /** As long and as dear as a command can be, and fewer than end a session. */
    const COMMANDS = `RCPT TO:<"${'\\"'.repeat(990)}"@x.test>\r\n`.repeat(30)

    test('a company that pipelines on many connections delays no other company', async () => {
      const { key } = await rig.service.tenant('other.example')
      using other = await rig.loggedIn(key.token)
      const many = await Promise.all(Array.from({ length: SESSIONS }, () => rig.loggedIn()))
      for (const client of many) await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
      for (const client of many) client.write(COMMANDS)
      await other.say('NOOP', /^250 /)
      const answers = many.reduce((sum, { received }) => sum + received.split('\r\n').length - 1, 0)
      assert.ok(answers < (SESSIONS * 30) / 4, `${answers} commands came first`)
      for (const client of many) {
        for (let count = 0; count < 30; count++) assert.match(await client.reply(), /^5\d\d /)
        client.socket.destroy()
      }
    })

    test('a message that arrives meanwhile is accepted as a whole', async () => {
      const { key } = await rig.service.tenant('another.example')
      using other = await rig.loggedIn(key.token)
      const many = await Promise.all(Array.from({ length: SESSIONS }, () => rig.loggedIn()))
      const text = 'a line of the message\r\n'.repeat(10_000)
      for (const client of many) await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
      for (const client of many) client.write(COMMANDS)
      const reply = await other.send(
        message(text).replaceAll(DOMAIN, 'another.example'),
        undefined,
        'a@another.example',
      )
      const email = await rig.email(reply)
      assert.ok(email.size > text.length)
      for (const client of many) client.socket.destroy()
    })
  })

  describe('a CR or LF by itself', () => {
    const smuggled = `MAIL FROM:<evil@${DOMAIN}>\r\nRCPT TO:<victim@x.test>\r\nDATA\r\n${message('smuggled\r\n')}`
    for (const end of [
      '\n.\n',
      '\n.\r\n',
      '\r\n.\n',
      '\r.\r',
      '\r.\r\n',
      '\r\n.\r',
      '\n\n.\n\n',
      '\r\r\n.\r\r\n',
      '\0\n.\r\n',
    ]) {
      test(`ends no message: ${JSON.stringify(end)}`, async () => {
        const emails = await rig.count()
        using client = await rig.loggedIn()
        const email = await rig.email(await client.send(`${message('first')}${end}${smuggled}`))
        assert.equal(textOf(email.content.text ?? '').split('smuggled').length, 2)
        await inStep(client, emails + 1)
        const { recipients } = (await rig.service.store.readHistory(email.id))!
        assert.deepEqual(
          recipients.map(({ address }) => address),
          ['b@x.test'],
        )
        const text = (await rig.captured(email.id)).toString('latin1')
        assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n/)
        assert.match(text, /\nMAIL FROM:<evil@/)
      })
    }

    test('wherever the octets are cut', async () => {
      let emails = await rig.count()
      using client = await rig.loggedIn()
      client.socket.setNoDelay(true)
      const wire = `${message('')}..\r\n.x\n.\r\nQUIT\r\n.\r\r\n..y\n..z\n.\n.q\r\n.\r\n`
      for (let cut = 1; cut < wire.length; cut++) {
        await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
        await client.say('RCPT TO:<b@x.test>', /^250 /)
        await client.say('DATA', /^354 /)
        client.write(wire.slice(0, cut))
        await new Promise((resolve) => setImmediate(resolve))
        client.write(wire.slice(cut))
        const { content } = await rig.email(await client.reply())
        assert.equal(content.text, '.\r\nx\r\n.\r\nQUIT\r\n\r\n.y\r\n.z\r\n.\r\n.q\r\n', `cut at ${cut}`)
        emails++
      }
      await inStep(client, emails)
    })

    test('in the header: an LF ends a line, a CR is refused', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const mixed = `From: Ann <a@${DOMAIN}>\nTo: b@x.test\r\nSubject: Hi\n there\r\n\nHello\n`
      const email = await rig.email(await client.send(`${mixed}\r\n`))
      assert.equal(email.content.subject, 'Hi there')
      assert.match((await rig.captured(email.id)).toString(), /^To: b@x\.test\r\nSubject: Hi\r\n there\r\n/m)
      assert.match(
        await client.send(`${mixed.replace('Hi', 'H\ri')}\r\n`),
        /^550 5\.6\.0 .* has a CR that no LF follows/,
      )
      await inStep(client, emails + 1)
    })

    test('lines count as large as they leave', async () => {
      const emails = await rig.count()
      using client = await rig.loggedIn()
      const lines = '\n'.repeat(MIB * 0.6)
      assert.match(
        await client.send(message(`${lines}\r\n`)),
        /^552 5\.3\.4 The message is larger than the limit of 1 MB/,
      )
      await inStep(client, emails)
    })

    for (const line of ['NOOP\n', 'NOOP\rNOOP\r\n', `EHLO x\nMAIL FROM:<a@${DOMAIN}>\r\n`]) {
      test(`ends no command: ${JSON.stringify(line)}`, async () => {
        using client = await rig.loggedIn()
        client.write(line)
        assert.match(
          await client.reply(),
          /^500 5\.5\.2 The command cannot be read: lines must end with CR LF/,
        )
        await client.ended()
      })
    }
  })

  test('dots that lines begin with are taken away, once', async () => {
    using client = await rig.loggedIn()
    const email = await rig.email(await client.send(message('..\r\n...x\r\n.y\r\n. \r\n')))
    assert.equal(email.content.text, '.\r\n..x\r\ny\r\n \r\n')
  })

  test('a message that comes although DATA was refused is not taken for commands', async () => {
    const emails = await rig.count()
    using client = await rig.loggedIn()
    const inside = `MAIL FROM:<a@${DOMAIN}>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n${message()}.\r\n`
    client.write(`MAIL FROM:<a@${DOMAIN}>\r\nRCPT TO:<no address>\r\nDATA\r\n${inside}`)
    for (const like of [/^250 /, /^553 /, /^554 5\.5\.1 There is no valid recipient/]) {
      assert.match(await client.reply(), like)
    }
    await client.ended()
    assert.equal(client.received, '')
    assert.equal(await rig.count(), emails)
  })

  test('nor is one that comes with BDAT, which is not offered', async () => {
    const emails = await rig.count()
    using client = await rig.loggedIn()
    const inside = `MAIL FROM:<a@${DOMAIN}>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n${message()}.\r\n`
    client.write(`BDAT ${inside.length} LAST\r\n${inside}`)
    assert.match(await client.reply(), /^502 5\.5\.1 .* BDAT is not supported/)
    await client.ended()
    assert.equal(client.received, '')
    assert.equal(await rig.count(), emails)
  })

  test('recipients without end', async () => {
    using client = await rig.loggedIn()
    await client.say('MAIL FROM:<>', /^250 /)
    client.write('RCPT TO:<b@x.test>\r\n'.repeat(120))
    await client.ended()
    assert.equal(client.received.match(/^250 /gm)?.length, 106)
    assert.match(client.received, /421 4\.5\.3 Far too many recipients\r\n$/)
  })

  test('a line without end', async () => {
    using client = await rig.connect()
    client.write('x'.repeat(2_049))
    assert.match(
      await client.reply(),
      /^500 5\.5\.2 The command cannot be read: a line may have at most 2048 octets/,
    )
    await client.ended()
  })

  test('a message that is too large: said, sent, or without end', async () => {
    const emails = await rig.count()
    using client = await rig.loggedIn()
    await client.say(
      `MAIL FROM:<a@${DOMAIN}> SIZE=${MIB + 1}`,
      /^552 5\.3\.4 The message is larger than the limit of 1 MB/,
    )
    assert.match(await client.send(message('x'.repeat(76).concat('\r\n').repeat(14_000))), /^552 5\.3\.4 /)
    await inStep(client, emails)
    await client.say(`MAIL FROM:<a@${DOMAIN}> SIZE=10`, /^250 /)
    await client.say('RCPT TO:<b@x.test>', /^250 /)
    await client.say('DATA', /^354 /)
    const chunk = Buffer.alloc(MIB, 'endless\r\n')
    client.socket.on('error', () => {})
    for (let sent = 0; sent < 40 && !client.closed; sent++) {
      if (!client.socket.write(chunk)) await Promise.race([once(client.socket, 'drain'), client.ended()])
    }
    assert.match(await client.reply(), /^552 5\.3\.4 The message is larger than the limit/)
    await client.ended()
    assert.equal(await rig.count(), emails)
  })

  test('a message that takes too long', async () => {
    using client = await rig.loggedIn()
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
    await client.say('RCPT TO:<b@x.test>', /^250 /)
    await client.say('DATA', /^354 /)
    const drip = setInterval(() => client.write('x'), 100)
    try {
      assert.match(await client.reply(), /^421 4\.4\.2 That took too long/)
      await client.ended()
    } finally {
      clearInterval(drip)
    }
  })

  test('commands in the clear behind STARTTLS are not obeyed', async () => {
    using client = await rig.connect()
    await client.say('EHLO client.test', /STARTTLS/)
    client.write('STARTTLS\r\nRSET\r\n')
    assert.match(await client.reply(), /^554 5\.5\.1 Nothing may follow STARTTLS/)
    await client.ended()
  })

  test('and the commands before it are forgotten', async () => {
    using client = await rig.loggedIn()
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^250 /)
    await client.say('STARTTLS', /^220 2\.0\.0 /)
    await client.encrypt()
    await client.say('RCPT TO:<b@x.test>', /^530 5\.7\.0 /)
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^503 5\.5\.1 Send EHLO first/)
    assert.doesNotMatch(await client.say('EHLO client.test'), /STARTTLS/)
    await client.say('STARTTLS', /^503 5\.5\.1 This connection is already encrypted/)
    await client.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`, /^235 /)
    await rig.email(await client.send(message()))
  })

  test('plain text where TLS is spoken, and an invalid handshake', async () => {
    const plain = net.connect(rig.implicitPort, '127.0.0.1')
    plain.on('error', () => {})
    plain.write('EHLO x\r\n'.repeat(10))
    await once(plain.resume(), 'close')
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    await client.say('STARTTLS', /^220 /)
    client.write('EHLO client.test\r\n')
    await client.ended()
  })

  test('HTTP', async () => {
    using client = await rig.connect()
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nEHLO x\r\nMAIL FROM:<a@b>\r\n')
    assert.match(await client.reply(), /^421 4\.7\.0 This is SMTP, not HTTP/)
    await client.ended()
  })

  test('RCPT does not reveal suppressed addresses', async () => {
    await rig.service.store.addSuppressions([
      {
        id: randomUUIDv7(),
        companyId: rig.companyId,
        address: 'dead@x.test',
        type: 'bounce',
        tags: null,
        reason: 'test',
        code: 550,
        emailId: null,
        domainId: null,
        createdAt: Date.now(),
      },
    ])
    using client = await rig.loggedIn()
    await client.say('MAIL FROM:<>', /^250 /)
    const replies = [await client.say('RCPT TO:<dead@x.test>'), await client.say('RCPT TO:<alive@x.test>')]
    assert.equal(replies[0], replies[1])
  })

  test('commands that lead to nothing, all at once', async () => {
    using client = await rig.loggedIn()
    client.socket.on('error', () => {})
    client.write('NOOP\r\n'.repeat(50_000))
    await client.ended()
    assert.equal(client.received.match(/^250 2\.0\.0 /gm)?.length, 100)
    assert.match(client.received, /421 4\.7\.0 Too many commands without effect\r\n$/)
  })

  test('a reply does not wait for the rest of the next command', async () => {
    using client = await rig.loggedIn()
    client.write('NOOP\r\nNO')
    assert.match(await client.reply(), /^250 /)
    client.write('OP\r\n')
    assert.match(await client.reply(), /^250 /)
  })

  test('replies that the client does not read', async () => {
    using client = await rig.loggedIn()
    client.socket.pause()
    const transaction = `MAIL FROM:<a@${DOMAIN}>\r\nRCPT TO:<b@x.test>\r\nRSET\r\n`
    for (let count = 0; count < 2_000; count++) client.write(transaction)
    client.socket.resume()
    let replies = 0
    while (replies < 6_000) {
      assert.match(await client.reply(), /^250 /)
      replies++
    }
  })

  test('unknown commands, and commands in the wrong place', async () => {
    using client = await rig.connect()
    await client.say(`MAIL FROM:<a@${DOMAIN}>`, /^503 5\.5\.1 Send EHLO first/)
    await client.say('EHLO', /^501 5\.5\.4 EHLO requires one name/)
    await client.say('HELO client.test', /^250 postroad\.test\r\n$/)
    await client.say('DATA', /^530 5\.7\.0 Log in first/)
    await client.say('XYZZY', /^500 5\.5\.1 Unknown command XYZZY/)
    await client.say('VRFY root', /^252 2\.0\.0 /)
    await client.say('caf\u00e9 \u0007', /^500 5\.5\.2 /)
    client.write(Buffer.from('NOOP \xff\r\n', 'latin1'))
    assert.match(await client.reply(), /^500 5\.5\.2 /)
    await client.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`, /^235 /)
    await client.say('RCPT TO:<b@x.test>', /^503 5\.5\.1 Send MAIL first/)
    const says = (text: string) =>
      new RegExp(`^501 5\\.5\\.4 ${text}; the syntax is (?:MAIL FROM|RCPT TO):<address>`)
    await client.say('MAIL', says('"FROM:" is missing'))
    await client.say(`MAIL a@${DOMAIN}`, says('"FROM:" is missing'))
    await client.say('MAIL FROM:', says('The address is missing'))
    await client.say(`MAIL FROM:<a@${DOMAIN}`, says('The > after the address is missing'))
    await client.say(`MAIL FROM: Ann <a@${DOMAIN}>`, says('The address must be alone between < and >'))
    await client.say(`MAIL FROM:<a@${DOMAIN}>x`, says('The address cannot be read'))
    await client.say('MAIL FROM:<>', /^250 /)
    await client.say('MAIL FROM:<>', /^503 5\.5\.1 One message at a time/)
    await client.say('DATA', /^554 5\.5\.1 There is no valid recipient/)
  })

  test('unknown and invalid parameters', async () => {
    using client = await rig.loggedIn()
    for (const [parameter, like] of [
      ['BODY=8BITMIME SIZE=100 SMTPUTF8 AUTH=<>', /^250 /],
      ['BODY=BINARYMIME', /^555 5\.5\.4 The parameter BODY or its value is not supported/],
      ['SIZE=many', /^555 /],
      ['SIZE=1 SIZE=2', /^501 /],
      ['RET=HDRS', /^555 5\.5\.4 The parameter RET/],
      ['=', /^501 /],
    ] as const) {
      await client.say(`MAIL FROM:<a@${DOMAIN}> ${parameter}`, like)
      await client.say('RSET', /^250 /)
    }
    await client.say('MAIL FROM:<>', /^250 /)
    await client.say('RCPT TO:<b@x.test> NOTIFY=NEVER', /^555 5\.5\.4 The parameter NOTIFY/)
  })

  test('addresses without brackets, as old clients write them', async () => {
    using client = await rig.loggedIn()
    await client.say(`MAIL FROM:a@${DOMAIN} SIZE=100`, /^250 /)
    await client.say('RCPT TO: b@x.test', /^250 /)
    await client.say('rcpt to:"a b"@x.test', /^250 /)
    await client.say('RCPT TO:c@x.test NOTIFY=NEVER', /^555 5\.5\.4 The parameter NOTIFY/)
    await client.say('RCPT TO:c@x.test d@x.test', /^501 5\.5\.4 "d@x\.test" is not a parameter/)
    await client.say('DATA', /^354 /)
    client.write(message())
    const email = await rig.email(await client.say('.'))
    const { recipients } = (await rig.service.store.readHistory(email.id))!
    assert.deepEqual(
      recipients.map(({ address }) => address),
      ['b@x.test', '"a b"@x.test'],
    )
  })

  test('each recipient is answered for itself', async () => {
    using client = await rig.loggedIn()
    await client.say(`MAIL FROM: <a@${DOMAIN}>`, /^250 /)
    await client.say('RCPT TO:<no address>', /^553 5\.1\.3 The address cannot be used/)
    await client.say('RCPT TO:<b@[127.0.0.1]>', /^553 5\.1\.3 /)
    await client.say('RCPT TO:<>', /^553 5\.1\.3 /)
    await client.say('RCPT TO:<jörg@x.test>', /^553 5\.6\.7 A non-ASCII address requires MAIL with SMTPUTF8/)
    await client.say('RCPT TO:b@', /^553 5\.1\.3 /)
    await client.say('RCPT TO:jörg@x.test', /^553 5\.6\.7 /)
    await client.say('RCPT TO:<@relay.test,@other.test:b@x.test>', /^250 /)
    await client.say('RCPT TO:<"a b"@x.test>', /^250 /)
    await client.say('RCPT TO:<c@bücher.example>', /^250 /)
    await client.say('RCPT TO:<d@x.test>', /^452 4\.5\.3 A message may have at most 3 recipients/)
    await client.say('RCPT TO:<b@x.test>', /^250 /)
    await client.say('DATA', /^354 /)
    client.write(message())
    const email = await rig.email(await client.say('.'))
    const { recipients } = (await rig.service.store.readHistory(email.id))!
    assert.deepEqual(
      recipients.map(({ address }) => address),
      ['b@x.test', '"a b"@x.test', 'c@xn--bcher-kva.example'],
    )
  })

  test('the sender of the envelope is not used, so the name of a machine will do', async () => {
    using client = await rig.loggedIn()
    for (const sender of [
      'root@web1',
      'www-data@web_1.internal',
      'root',
      'x@[192.0.2.1]',
      '"a b"@web1',
      'jörg@web1',
    ]) {
      const email = await rig.email(await client.send(message(), undefined, sender))
      assert.match(email.content.from, /a@acme\.example/, sender)
    }
    await client.say('MAIL FROM:<no address>', /^553 5\.1\.7 The sender's address cannot be used/)
    await client.say('MAIL FROM:<"open@web1>', /^501 5\.5\.4 /)
    await rig.email(await client.send(message()))
  })

  test('messages that cannot be sent, each with the reason', async () => {
    const emails = await rig.count()
    using client = await rig.loggedIn()
    for (const [text, like] of [
      ['', /^550 5\.6\.0 the message cannot be used: The message has no header/],
      ['no header\r\n', /^550 5\.6\.0 the message cannot be used: Field 1 of the header/],
      ['Subject: x\r\n\r\nx\r\n', /^550 5\.6\.0 From is missing/],
      [`From: a@${DOMAIN}, b@${DOMAIN}\r\n\r\n`, /^550 5\.6\.0 From cannot be used/],
      ['From: a@other.example\r\n\r\n', /^550 5\.7\.1 other\.example is not a domain that you may send from/],
      [
        `From: a@${DOMAIN}\r\nSender: boss@other.example\r\n\r\n`,
        /^550 5\.7\.1 The message cannot be sent: Sender names other\.example/,
      ],
      [
        `From: a@${DOMAIN}\r\nX-Mailgun-Template-Name: t\r\n\r\n`,
        /^550 5\.6\.0 X-Mailgun-Template-Name is not supported/,
      ],
      [
        `From: a@${DOMAIN}\r\nX-Mailgun-Deliver-By: soon\r\n\r\n`,
        /^550 5\.6\.0 soon is not an RFC-2822 compliant date/,
      ],
      [
        `From: a@${DOMAIN}\r\nResend-Idempotency-Key: ${'x'.repeat(257)}\r\n\r\n`,
        /^550 5\.6\.0 Idempotency keys/,
      ],
    ] as const) {
      assert.match(await client.send(text), like)
    }
    await inStep(client, emails)
  })
})
