import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { selfSigned } from '../../../harness/certificate.ts'
import { verifyDkim } from '../../../harness/verify-dkim.ts'
import { content, publishedKeys, relayAt, startRig, startSinks } from './rig.ts'

const certificate = selfSigned(['relay.test', '127.0.0.1'])

/** A relay that asks for `user` and `secret`, over TLS only. */
async function startRelay(t: TestContext, options: SMTPServerOptions = {}) {
  const accepted: { user: string; method: string }[] = []
  let logins = 0
  const server = new SMTPServer({
    cert: certificate.cert,
    key: certificate.key,
    logger: false,
    closeTimeout: 1,
    onAuth(auth, session, done) {
      logins++
      const user =
        session.secure && auth.username === 'user' && auth.password === 'secret' ? 'user' : undefined
      if (user === undefined) return done(new Error('Invalid login'))
      accepted.push({ user, method: auth.method })
      done(null, { user })
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => done(null, 'kept'))
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, accepted, logins: () => logins }
}

test('a relay gets the signed message once for all recipients, and the answer becomes the outcome', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port))
  const result = await deliver(['jane@x.test', 'joe@y.test'])
  const message = await sinks.at('127.0.0.1').next()
  assert.equal(message.sender, 'news@acme.test')
  assert.deepEqual(message.recipients, ['jane@x.test', 'joe@y.test'])
  assert.equal((await verifyDkim(message.raw, publishedKeys)).pass, true)
  assert.deepEqual(
    result.outcomes.map(({ position, verdict, code }) => ({ position, verdict, code })),
    [
      { position: 0, verdict: 'delivered', code: 250 },
      { position: 1, verdict: 'delivered', code: 250 },
    ],
  )
  assert.equal(result.server, `127.0.0.1 [127.0.0.1]:${sinks.port}`)
  assert.deepEqual(result.tls, {
    ...{
      version: null,
      cipher: null,
      demand: 'opportunistic',
      source: 'route',
      verified: false,
      doubt: null,
    },
  })
  assert.match(result.dialogue, /> MAIL FROM:<news@acme\.test>/)
})

test('the name of a relay is looked up by the system, all addresses are tried, private ones too', async (t) => {
  // `localhost` is ::1 as well on most machines, where nothing listens.
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { outcome, dns } = await startRig(
    t,
    relayAt(sinks.port, { host: 'localhost' }),
    {},
    { allowPrivateNetworks: false },
  )
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.deepEqual(dns.queries, [])
})

test('each recipient has its own answer', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  sinks.at('127.0.0.1').script = ({ step, recipient }) => {
    if (step !== 'rcpt' || recipient === 'good@x.test') return undefined
    return { reply: recipient === 'gone@x.test' ? '550 5.1.1 no such user' : '450 4.2.1 later' }
  }
  const { deliver } = await startRig(t, relayAt(sinks.port))
  const { outcomes } = await deliver(['good@x.test', 'gone@x.test', 'busy@x.test'])
  const seen = outcomes.map(({ position, verdict, code, suppress = false }) => ({
    position,
    verdict,
    code,
    suppress,
  }))
  assert.deepEqual(
    seen.sort((a, b) => a.position - b.position),
    [
      { position: 0, verdict: 'delivered', code: 250, suppress: false },
      { position: 1, verdict: 'bounced', code: 550, suppress: true },
      { position: 2, verdict: 'deferred', code: 450, suppress: false },
    ],
  )
})

test('STARTTLS is used when it is offered, and the outcome shows it', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': { tls: certificate } })
  const { deliver } = await startRig(t, relayAt(sinks.port))
  const result = await deliver(['jane@x.test'])
  assert.equal(result.outcomes[0]?.verdict, 'delivered')
  assert.match(result.tls?.version ?? '', /^TLSv1\.[23]$/)
  assert.equal((await sinks.at('127.0.0.1').next()).secure, true)
})

test('tls=required waits when the relay has none; tls=verified when its certificate is not trusted', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {}, '127.0.0.2': { tls: certificate } })
  for (const [host, tls] of [
    ['127.0.0.1', 'required'],
    ['127.0.0.2', 'verified'],
  ] as const) {
    const { deliver } = await startRig(t, relayAt(sinks.port, { host, tls }))
    const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
    const { verdict, enhancedCode, message } = outcomes[0]!
    assert.equal(verdict, 'postponed', message)
    assert.equal(enhancedCode, '4.7.5')
    assert.deepEqual({ kind: pathTrouble?.kind, met: pathTrouble?.met }, { kind: 'path', met: 'session' })
    assert.equal(sinks.at(host).messages.length, 0)
  }
})

test('a certificate of a trusted authority passes tls=verified, with implicit TLS too', async (t) => {
  for (const implicitTls of [false, true]) {
    const sinks = await startSinks(t, { '127.0.0.1': { tls: { ...certificate, implicit: implicitTls } } })
    const relay = relayAt(sinks.port, { tls: 'verified', implicitTls })
    const { outcome } = await startRig(t, relay, {}, { ca: [certificate.cert] })
    assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  }
})

test('credentials are used over TLS', async (t) => {
  const { port, accepted } = await startRelay(t)
  const { outcome } = await startRig(t, relayAt(port, { tls: 'required', user: 'user', password: 'secret' }))
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal(accepted.length, 1)
})

test('a relay that refuses the credentials, or demands some, bounces no recipient', async (t) => {
  const { port } = await startRelay(t)
  const relays = [
    [relayAt(port, { tls: 'required', user: 'user', password: 'wrong' }), 535],
    [relayAt(port), 530],
  ] as const
  for (const [relay, expected] of relays) {
    const { deliver } = await startRig(t, relay)
    const { outcomes, dialogue, pathTrouble } = await deliver(['jane@x.test', 'joe@x.test'])
    for (const { verdict, code } of outcomes) {
      assert.deepEqual({ verdict, code }, { verdict: 'postponed', code: expected })
    }
    assert.deepEqual(
      { kind: pathTrouble?.kind, met: pathTrouble?.met },
      { kind: 'credentials', met: 'session' },
    )
    assert.doesNotMatch(dialogue + pathTrouble?.message, /wrong/)
  }
})

test('a relay’s refusal for lack of a right bounces and suppresses no recipient', async (t) => {
  const replies = [
    '550 relay not permitted',
    '550 authentication required',
    '550 5.1.1 relaying denied',
    '554 5.7.1 <jane@x.test>: Relay access denied',
    '553 5.7.1 <news@acme.test>: Sender address rejected: not owned by user bob',
    '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org',
  ]
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { deliver } = await startRig(t, relayAt(sinks.port))
  for (const reply of replies) {
    sinks.at('127.0.0.1').script = ({ step }) => (step === 'rcpt' ? { reply } : undefined)
    const { outcomes, pathTrouble } = await deliver(['jane@x.test'])
    const { verdict, suppress = false } = outcomes[0]!
    assert.deepEqual({ verdict, suppress }, { verdict: 'postponed', suppress: false }, reply)
    // It may have asked the recipient's server, whose words stop no other mail.
    assert.equal(pathTrouble?.met, 'recipient', reply)
  }
  sinks.at('127.0.0.1').script = ({ step }) => (step === 'rcpt' ? { reply: '550 no such user' } : undefined)
  const bare = (await deliver(['jane@x.test'])).outcomes[0]!
  assert.deepEqual([bare.verdict, bare.suppress ?? false], ['bounced', false])
})

test('credentials are never sent unencrypted when TLS breaks', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': { tls: certificate, offers: ['AUTH PLAIN LOGIN'] } })
  const sink = sinks.at('127.0.0.1')
  sink.script = ({ step }) => (step === 'starttls' ? { close: true } : undefined)
  const { outcome } = await startRig(t, relayAt(sinks.port, { user: 'user', password: 'secret' }))
  assert.equal((await outcome('jane@x.test')).verdict, 'deferred')
  assert.equal(sink.connections, 1)
  assert.ok(!sink.dialogue.some((line) => line.includes('C: AUTH')))
})

test('a relay that is unreachable, has no address, or refuses the session with 5xx bounces no recipient', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  sinks.at('127.0.0.1').script = ({ step }) =>
    step === 'connect' ? { reply: '554 5.7.1 go away', close: true } : undefined
  const relays = [
    // Not a port that was free a moment ago: the sink of another test might take it, and say nothing for minutes.
    [relayAt(1), 'deferred'],
    [relayAt(25, { host: 'relay.invalid' }), 'deferred'],
    [relayAt(sinks.port), 'postponed'],
  ] as const
  for (const [relay, expected] of relays) {
    const { deliver } = await startRig(t, relay)
    const { outcomes, server } = await deliver(['jane@x.test'])
    assert.equal(outcomes[0]?.verdict, expected)
    assert.equal(server, null)
  }
})

test('a message that cannot be composed waits, and the relay is not blamed for it', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { outcome, log } = await startRig(t, relayAt(sinks.port))
  const message = { kind: 'parts', content: { ...content, from: 'nobody' } } as const
  const broken = await outcome('jane@x.test', { message })
  assert.equal(broken.verdict, 'deferred')
  assert.match(broken.message, /^Internal error/)
  assert.equal(log.length, 1)
  assert.doesNotMatch(log[0]?.message ?? '', /relay/)
  assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal(sinks.at('127.0.0.1').connections, 1)
})

test('messages share a connection', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { outcome } = await startRig(t, relayAt(sinks.port))
  for (let i = 0; i < 5; i++) assert.equal((await outcome('jane@x.test')).verdict, 'delivered')
  assert.equal(sinks.at('127.0.0.1').connections, 1)
  assert.equal(sinks.at('127.0.0.1').messages.length, 5)
})
