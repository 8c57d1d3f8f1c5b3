/** SMTP submission as part of the service: limits shared with HTTP, certificates, outages, metrics, a stop. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from '../../harness/certificate.ts'
import { Api, call, inTime } from '../http/requests.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { base64, DOMAIN, message, SmtpClient, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

const MIB = 1024 * 1024

async function begin(client: SmtpClient, parameters = ''): Promise<void> {
  await client.say(`MAIL FROM:<a@${DOMAIN}>${parameters}`, /^250 /)
  await client.say('RCPT TO:<b@x.test>', /^250 /)
  await client.say('DATA', /^354 /)
}

describe('limits that SMTP and HTTP share', () => {
  test('messages in progress of a company; another company is served', async () => {
    // 40 requests, of which one company alone may have some thirty.
    await using rig = await startRig({
      memory: 40 * MIB,
      maxMessageSize: 4 * MIB,
      tls: null,
      submission: [STARTTLS],
    })
    const parked: SmtpClient[] = []
    let refused = ''
    while (refused === '') {
      assert.ok(parked.length < 40, 'all of them were taken')
      const client = await rig.loggedIn()
      const reply = await client.say('MAIL FROM:<>')
      if (reply.startsWith('250 ')) parked.push(client)
      else refused = reply
    }
    assert.match(refused, /^451 4\.3\.2 Your company has too many messages in progress/)
    assert.ok(parked.length >= 20)
    const api = new Api(rig.service.url, rig.key.token)
    assert.equal((await api.send({ from: `a@${DOMAIN}`, to: 'b@x.test', text: 't' })).status, 429)
    const other = await rig.service.tenant('other.example')
    using client = await rig.loggedIn(other.key.token)
    await rig.email(await client.send(message().replace(DOMAIN, 'other.example')))
    for (const one of parked) one[Symbol.dispose]()
  })

  test('a client that opens a transaction and sends nothing gives way to a waiting client', async () => {
    await using rig = await startRig({
      memory: 40 * MIB,
      maxMessageSize: 4 * MIB,
      tls: null,
      submission: [STARTTLS],
    })
    const slow: SmtpClient[] = []
    for (let count = 0; count < 2; count++) {
      const client = await rig.loggedIn()
      await begin(client, ` SIZE=${4 * MIB}`)
      client.write('Subject: slow\r\n')
      slow.push(client)
    }
    const other = await rig.service.tenant('other.example')
    using client = await rig.loggedIn(other.key.token)
    const text = 'x'.repeat(76).concat('\r\n').repeat(40_000)
    const sent = message(text).replace(DOMAIN, 'other.example')
    await client.say(`MAIL FROM:<> SIZE=${sent.length}`, /^250 /)
    await client.say('RCPT TO:<b@x.test>', /^250 /)
    await client.say('DATA', /^354 /)
    client.write(sent)
    await rig.email(await client.say('.'))
    assert.match(
      await Promise.race(slow.map((one) => one.reply())),
      /^421 4\.4\.2 The request arrived too slowly while other requests needed its place/,
    )
    for (const one of slow) one[Symbol.dispose]()
  })

  test('the memory: recipients count as well', async () => {
    await using rig = await startRig({
      memory: 40 * MIB,
      maxMessageSize: 4 * MIB,
      maxRecipients: 100_000,
      tls: null,
      submission: [STARTTLS],
    })
    // One alone would have room for a message of full size.
    using other = await rig.loggedIn()
    await begin(other, ' SIZE=1000')
    using client = await rig.loggedIn()
    await client.say('MAIL FROM:<>', /^250 /)
    const name = 'n'.repeat(60)
    const commands = Array.from(
      { length: 20_000 },
      (_, number) => `RCPT TO:<${name}${number % 10}@d${number}.test>\r\n`,
    )
    client.write(commands.join(''))
    let accepted = 0
    for (;;) {
      const reply = await client.reply()
      if (reply.startsWith('250 ')) accepted++
      else {
        assert.match(reply, /^451 4\.3\.2 Your company has too many messages in progress/)
        break
      }
    }
    // A company alone may have three quarters of the 7 MB for small requests, and everything is counted four times.
    assert.ok(accepted > 5_000 && accepted < 15_000, String(accepted))
    assert.equal((await new Api(rig.service.url, rig.key.token).get('/emails/x')).status, 404)
  })

  test('connections: those of strangers make room for a new one', async () => {
    await using rig = await startRig({ memory: 40 * MIB, maxMessageSize: 4 * MIB })
    // There may be 80.
    const idle: SmtpClient[] = []
    for (let count = 0; count < 100; count++) idle.push(await rig.connect())
    assert.ok(idle.filter(({ closed }) => closed).length >= 20)
    using client = await rig.loggedIn()
    await rig.email(await client.send(message()))
    for (const one of idle) one[Symbol.dispose]()
  })

  test('the rate of a key', async () => {
    await using rig = await startRig({ rateLimit: 0.001, tls: null, submission: [STARTTLS] })
    using client = await rig.loggedIn()
    await rig.email(await client.send(message()))
    await client.say(
      'MAIL FROM:<>',
      /^450 4\.7\.1 This API key may send 0\.001 messages per second; try again in \d+ s/,
    )
    const api = new Api(rig.service.url, rig.key.token)
    assert.equal((await api.get('/emails/x')).status, 429)
  })
})

describe('acceptance', () => {
  test('nothing is accepted while the store does not answer; the client may try again', async () => {
    await using rig = await startRig()
    using client = await rig.loggedIn()
    await rig.service.store.close()
    assert.match(
      await client.send(message()),
      /^451 4\.3\.0 The service cannot accept mail now; nothing was accepted/,
    )
    await client.say('NOOP', /^250 /)
    assert.ok(rig.service.logged.some((line) => line.includes('cannot accept mail now')))
    using stranger = await rig.connect()
    await stranger.say('EHLO client.test', /^250-/)
    const unknown = Buffer.from(`\0api\0pr_${'0'.repeat(32)}`).toString('base64')
    await stranger.say(`AUTH PLAIN ${unknown}`, /^454 4\.7\.0 /)
  })

  test('a stop lets a message on its way finish, and ends the sessions that wait', async () => {
    await using rig = await startRig({ shutdownTimeout: 60_000 })
    using idle = await rig.connect()
    using between = await rig.loggedIn()
    await between.say('MAIL FROM:<>', /^250 /)
    using open = await rig.loggedIn()
    await begin(open)
    open.write(message())
    const stopped = rig.service.stop()
    assert.match(await idle.reply(), /^421 4\.3\.2 The service is stopping/)
    assert.match(await between.reply(), /^421 4\.3\.2 /)
    const reply = await open.say('.')
    assert.match(await open.reply(), /^421 4\.3\.2 /)
    await inTime(stopped, 'the stop')
    await using again = await startService({
      database: rig.service.settings.database,
      secretKey: rig.service.settings.secretKey,
    })
    const [, id] = /Queued as (\S+)/.exec(reply) ?? []
    assert.ok(await again.store.readEmail(id!))
  })
})

describe('logging in without TLS', () => {
  /** An address of this machine that is not its loopback. */
  const address = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
  const skip = address === undefined && 'this machine has only its loopback'

  const from = async (rig: SubmissionRig, number: number) => {
    const { port } = new URL(rig.service.app.submission.urls[number]!)
    const client = new SmtpClient(net.connect(Number(port), address))
    assert.match(await client.reply(), /^220 /)
    return client
  }

  test('takes a client on the same machine, or a listener that says so', { skip }, async () => {
    const anywhere = { ...STARTTLS, host: '0.0.0.0' }
    const submission = [
      { ...anywhere, clearLogin: false },
      { ...anywhere, clearLogin: true },
    ]
    await using rig = await startRig({ submission })
    using local = await rig.loggedIn()
    await local.say('NOOP', /^250 /)
    const login = `AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`
    using strict = await from(rig, 0)
    assert.doesNotMatch(await strict.say('EHLO client.test', /STARTTLS/), /AUTH/)
    await strict.say(login, /^538 5\.7\.11 A login requires an encrypted connection: send STARTTLS first/)
    await strict.say('STARTTLS', /^220 /)
    await strict.encrypt()
    await strict.say('EHLO client.test', /AUTH PLAIN LOGIN/)
    await strict.say(login, /^235 /)
    using open = await from(rig, 1)
    await open.say('EHLO client.test', /AUTH PLAIN LOGIN/)
    await open.say(login, /^235 /)
  })
})

describe('the certificate', () => {
  test('is taken from its files again when they change', async () => {
    await using rig = await startRig()
    const second = selfSigned(['localhost'])
    writeFileSync(join(rig.directory, 'key.pem'), second.key)
    writeFileSync(join(rig.directory, 'cert.pem'), second.cert)
    const wanted = second.cert.replace(/-----[^-]+-----|\s/g, '')
    await until(async () => (await served(rig)) === wanted, 'the other certificate')
  })

  async function served(rig: SubmissionRig): Promise<string> {
    using client = await rig.connect()
    await client.say('EHLO client.test', /^250-/)
    await client.say('STARTTLS', /^220 /)
    await client.encrypt()
    const { raw } = (client.socket as import('node:tls').TLSSocket).getPeerCertificate()
    return raw.toString('base64')
  }
})

test('a client that disconnects, at any point, leaves nothing behind', async () => {
  const settings = { memory: 40 * MIB, maxMessageSize: 4 * MIB, metrics: 'same', tls: null } as const
  await using rig = await startRig({ ...settings, submission: [STARTTLS] })
  const large = ` SIZE=${4 * MIB}`
  const places: ((client: SmtpClient) => Promise<void> | void)[] = [
    () => {},
    (client) => client.write('MAIL FROM:<>\r\nRCPT'),
    (client) => begin(client),
    async (client) => {
      await begin(client, large)
      client.write(message('half of it'))
    },
    // There is room for one of them or two; the others wait for it.
    (client) => client.write(`MAIL FROM:<>${large}\r\nRCPT TO:<b@x.test>\r\nDATA\r\n`),
    (client) => client.write(`MAIL FROM:<>${large}\r\nRCPT TO:<b@x.test>\r\nDATA\r\n`),
    async (client) => {
      await begin(client)
      client.write(`${message()}.\r\n`)
    },
    (client) => client.write(`NOOP\r\n`.repeat(90)),
  ]
  for (const place of places) {
    const client = await rig.loggedIn()
    await place(client)
    client.socket.destroy()
  }
  const gone = [
    /^postroad_smtp_submission_sessions 0$/m,
    /^postroad_http_requests_under_way\{state="all"\} 0$/m,
    /^postroad_http_requests_under_way\{state="waiting"\} 0$/m,
    /^postroad_http_body_bytes\{size="small"\} 0$/m,
    /^postroad_http_body_bytes\{size="large"\} 0$/m,
  ]
  for (const deadline = Date.now() + 30_000; ; await pause(50)) {
    const { text } = await call(`${rig.service.url}/metrics`)
    if (gone.every((line) => line.test(text))) break
    assert.ok(Date.now() < deadline, text.match(/^postroad_(?:smtp_sub|http_).* [1-9].*$/gm)?.join('\n'))
  }
})

test('metrics count sessions, logins and messages', async () => {
  await using rig = await startRig({ metrics: 'same', tls: null, submission: [STARTTLS] })
  using client = await rig.loggedIn()
  await rig.email(await client.send(message()))
  await client.send('nothing\r\n')
  const { text } = await call(`${rig.service.url}/metrics`)
  assert.match(text, /^postroad_smtp_submission_sessions 1$/m)
  assert.match(text, /^postroad_smtp_submission_logins_total\{result="accepted"\} 1$/m)
  assert.match(text, /^postroad_smtp_submission_messages_total\{status="250"\} 1$/m)
  assert.match(text, /^postroad_smtp_submission_messages_total\{status="550"\} 1$/m)
  assert.match(text, /^postroad_smtp_submission_seconds_count 2$/m)
})
