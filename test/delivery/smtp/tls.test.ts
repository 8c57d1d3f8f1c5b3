import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { selfSigned } from '../../../harness/certificate.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { sendOnce, targetAt, transactionOf } from '../../support/smtp-transaction.ts'

const certificate = selfSigned(['mx.example.test'])
const ca = [certificate.cert]

interface TestServer extends AsyncDisposable {
  port: number
  messages: { text: string; secure: boolean }[]
}

async function smtpServer(options: SMTPServerOptions = {}): Promise<TestServer> {
  const messages: TestServer['messages'] = []
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    ...options,
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        messages.push({ text: Buffer.concat(chunks).toString(), secure: session.secure })
        callback()
      })
    },
  })
  // Clients that go away during a handshake are what some of these tests are about.
  server.on('error', () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.server.address() as AddressInfo).port,
    messages,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(resolve)),
  }
}

async function refusal(port: number, changes: Partial<SmtpTarget>) {
  const dialogue = new Dialogue()
  const error = await openSession(targetAt(port, changes), dialogue).then(
    () => assert.fail('the session opened'),
    (reason: unknown) => reason as import('../../../src/delivery/smtp/error.ts').SmtpError,
  )
  return { error, dialogue: dialogue.text }
}

for (const [changes, verified] of [
  [{ tls: 'opportunistic' }, false],
  [{ tls: 'required' }, false],
  [{ tls: 'opportunistic', ca }, true],
  [{ tls: 'verified', ca }, true],
  [{ implicitTls: true }, false],
  [{ implicitTls: true, tls: 'verified', ca }, true],
] as const) {
  const name = `${'tls' in changes ? changes.tls : 'off'}${'implicitTls' in changes ? ', implicit' : ''}`
  test(`encrypted: ${name}, ${'ca' in changes ? 'trusted' : 'self-signed'}`, async () => {
    await using server = await smtpServer({ secure: 'implicitTls' in changes })
    const target = targetAt(server.port, {
      ...changes,
      ca: 'ca' in changes ? [...changes.ca] : [],
    } as Partial<SmtpTarget>)
    const { session, replies, dialogue } = await sendOnce(target)
    assert.equal(replies[0]!.verdict, 'delivered')
    assert.deepEqual(server.messages, [{ text: 'Subject: hello\r\n\r\nhello\r\n', secure: true }])
    assert.equal(session.tls?.protocol, 'TLSv1.3')
    assert.match(session.tls.cipher, /^TLS_/)
    assert.equal(session.tls.verified, verified)
    assert.equal(session.extensions.startTls, false)
    assert.match(
      dialogue,
      verified ? /certificate verified/ : /certificate not verified \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    )
    const second = await session.send(transactionOf(), new Dialogue())
    assert.equal(second[0]!.verdict, 'delivered')
    await session.quit()
  })
}

test('off does not use STARTTLS', async () => {
  await using server = await smtpServer()
  const { session, replies } = await sendOnce(targetAt(server.port))
  assert.equal(replies[0]!.verdict, 'delivered')
  assert.equal(session.tls, null)
  assert.equal(server.messages[0]!.secure, false)
  await session.quit()
})

for (const implicitTls of [false, true]) {
  const how = implicitTls ? 'implicit TLS' : 'STARTTLS'
  test(`verified refuses an untrusted certificate, another name and an expired one (${how})`, async () => {
    const old = selfSigned(['mx.example.test'], -1)
    for (const [options, changes, reason] of [
      [{}, { ca: [] }, /DEPTH_ZERO_SELF_SIGNED_CERT/],
      [{}, { ca, host: 'mx.other.test' }, /not valid for mx\.other\.test \(ERR_TLS_CERT_ALTNAME_INVALID\)/],
      [old, { ca: [old.cert] }, /CERT_HAS_EXPIRED/],
    ] as const) {
      await using server = await smtpServer({ ...options, secure: implicitTls })
      const { error } = await refusal(server.port, {
        tls: 'verified',
        implicitTls,
        ...changes,
        ca: [...changes.ca],
      })
      assert.equal(error.kind, 'tls')
      assert.equal(error.permanent, false)
      assert.match(error.message, reason)
      assert.equal(server.messages.length, 0)
    }
  })
}

test('opportunistic continues unencrypted when TLS is not offered, or is refused', async () => {
  for (const script of [
    async (peer: Peer) => void (await peer.greet()),
    async (peer: Peer) => {
      await peer.greet('STARTTLS')
      await peer.answer('454 4.7.0 TLS not available')
    },
    async (peer: Peer) => {
      await peer.greet('STARTTLS')
      await peer.answer('502 5.5.1 no')
    },
  ]) {
    await using server = await rawServer(async (peer) => {
      await script(peer)
      await peer.accept()
    })
    const { session, replies } = await sendOnce(targetAt(server.port, { tls: 'opportunistic' }))
    assert.equal(replies[0]!.verdict, 'delivered')
    assert.equal(session.tls, null)
    session.destroy()
    await server.finished()
  }
})

for (const tls of ['required', 'verified'] as const) {
  test(`${tls}: STARTTLS not offered, refused, or EHLO unknown defers without sending anything unencrypted`, async () => {
    for (const script of [
      async (peer: Peer) => void (await peer.greet('PIPELINING')),
      async (peer: Peer) => {
        await peer.greet('STARTTLS')
        await peer.answer('454 4.7.0 TLS not available')
      },
      async (peer: Peer) => {
        await peer.greet('STARTTLS')
        await peer.answer('502 5.5.1 no')
      },
      async (peer: Peer) => {
        await peer.send('220 old\r\n')
        await peer.answer('500 what?', '250 hello')
      },
    ]) {
      await using server = await rawServer(async (peer) => {
        await script(peer)
        await peer.closed()
      })
      const { error } = await refusal(server.port, {
        tls,
        credentials: { user: 'u', password: 'secret', mechanism: null },
      })
      assert.equal(error.kind, 'tls')
      assert.equal(error.permanent, false)
      await server.finished()
      assert.doesNotMatch(server.peers[0]!.heard, /MAIL|AUTH/)
    }
  })
}

for (const [name, injected] of [
  ['a whole reply', '250 injected\r\n'],
  ['half a reply', '250-inj'],
  ['an EHLO answer', '250-mx\r\n250 AUTH PLAIN\r\n'],
] as const) {
  test(`bytes after the answer to STARTTLS end the session: ${name}`, async () => {
    await using server = await rawServer(async (peer) => {
      await peer.greet('STARTTLS')
      await peer.line()
      await peer.send(`220 go ahead\r\n${injected}`)
      await peer.closed()
    })
    const { error } = await refusal(server.port, {
      tls: 'opportunistic',
      credentials: { user: 'u', password: 'secret', mechanism: null },
    })
    assert.equal(error.kind, 'protocol')
    assert.equal(error.permanent, false)
    await server.finished()
    assert.doesNotMatch(server.peers[0]!.heard, /AUTH|MAIL/)
  })
}

test('bytes that arrive a moment later are read by the handshake, and break it', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet('STARTTLS')
    await peer.answer('220 go ahead')
    await peer.send('250 injected\r\n')
    await peer.closed()
  })
  const { error } = await refusal(server.port, { tls: 'opportunistic' })
  assert.match(error.kind, /^(tls|protocol)$/)
})

test('capabilities from before TLS are forgotten', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet('STARTTLS', 'PIPELINING', 'SIZE 10', 'AUTH PLAIN')
    await peer.answer('220 go ahead')
    await peer.encrypt(certificate)
    await peer.answer('250-mx\r\n250 8BITMIME')
    await peer.accept()
  })
  const { session, replies } = await sendOnce(targetAt(server.port, { tls: 'opportunistic' }))
  assert.equal(replies[0]!.verdict, 'delivered')
  assert.equal(session.extensions.pipelining, false)
  assert.equal(session.extensions.sizeOffered, false)
  assert.equal(session.extensions.eightBitMime, true)
  assert.equal(session.extensions.auth.size, 0)
  session.destroy()
  await server.finished()
})

test('a handshake that fails, is cut or never ends is an error of kind tls, so that the caller may continue unencrypted', async () => {
  for (const script of [
    async (peer: Peer) => peer.send('this is not TLS\r\n'),
    async (peer: Peer) => peer.end(),
    async (peer: Peer) => peer.reset(),
    async () => {},
  ]) {
    for (const implicitTls of [false, true]) {
      await using server = await rawServer(async (peer) => {
        if (!implicitTls) {
          await peer.greet('STARTTLS')
          await peer.answer('220 go ahead')
        }
        // Not before the client's first words of TLS, so that it does not overtake the answer to STARTTLS.
        await peer.some()
        await script(peer)
        await peer.closed()
      })
      const { error } = await refusal(server.port, {
        tls: 'opportunistic',
        implicitTls,
        timeouts: { starttls: 300, connect: 300 },
      })
      assert.equal(error.kind, 'tls', error.message)
      assert.equal(error.stage, implicitTls ? 'connect' : 'starttls')
      assert.equal(error.permanent, false)
    }
  }
})

test('a connection abandoned during the handshake', async () => {
  const abort = new AbortController()
  await using server = await rawServer(async (peer) => {
    await peer.greet('STARTTLS')
    await peer.answer('220 go ahead')
    abort.abort()
    await peer.closed()
  })
  const opening = openSession(targetAt(server.port, { tls: 'required' }), new Dialogue(), abort.signal)
  await assert.rejects(opening, { kind: 'closed' })
  await server.finished()
})
