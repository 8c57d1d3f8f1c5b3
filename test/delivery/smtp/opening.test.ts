import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { SmtpError } from '../../../src/delivery/smtp/error.ts'
import { openSession, type SmtpSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { sendOnce, targetAt } from '../../support/smtp-transaction.ts'

/** The error with which a session fails to open at a server that follows the script. */
async function refusal(
  script: (peer: Peer) => Promise<void>,
  changes: Partial<SmtpTarget> = {},
): Promise<{ error: SmtpError; dialogue: string; peer: Peer }> {
  await using server = await rawServer(script)
  const dialogue = new Dialogue()
  const error = await openSession(targetAt(server.port, changes), dialogue).then(
    (session) => {
      session.destroy()
      assert.fail('the session opened')
    },
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SmtpError, String(error))
  await server.peers[0]!.closed()
  await server.finished()
  return { error, dialogue: dialogue.text, peer: server.peers[0]! }
}

/** The session that opens at a server that follows the script; destroyed at once. */
async function opened(
  script: (peer: Peer) => Promise<void>,
  changes: Partial<SmtpTarget> = {},
): Promise<SmtpSession> {
  await using server = await rawServer(script)
  const session = await openSession(targetAt(server.port, changes), new Dialogue())
  session.destroy()
  await server.finished()
  return session
}

test('greeting and EHLO reveal the capabilities of the server', async () => {
  const session = await opened(async (peer) => {
    assert.equal(await peer.greet('PIPELINING', 'SIZE 1000', '8BITMIME'), 'EHLO out.example.test')
  })
  assert.equal(session.extensions.pipelining, true)
  assert.equal(session.extensions.size, 1000)
  assert.equal(session.extensions.smtpUtf8, false)
  assert.equal(session.tls, null)
  assert.match(session.server, /^mx\.example\.test \[127\.0\.0\.1\]:\d+$/)
})

test('a greeting of many lines, in small pieces', async () => {
  await opened(async (peer) => {
    for (const piece of ['2', '20-mx\r', '\n220-wel', 'come\r\n22', '0 all\r\n']) {
      await peer.send(piece)
      await pause(1)
    }
    await peer.answer('250 mx')
  })
})

for (const code of [500, 502, 550]) {
  test(`EHLO refused with ${code}: HELO`, async () => {
    const session = await opened(async (peer) => {
      await peer.send('220 old\r\n')
      const lines = await peer.answer(`${code} what?`, '250 hello')
      assert.deepEqual(lines, ['EHLO out.example.test', 'HELO out.example.test'])
    })
    assert.equal(session.extensions.pipelining, false)
  })
}

test('EHLO and HELO refused', async () => {
  const { error } = await refusal(async (peer) => {
    await peer.send('220 old\r\n')
    await peer.answer('502 what?', '550 5.7.1 go away')
  })
  assert.equal(error.kind, 'reply')
  assert.equal(error.stage, 'ehlo')
  assert.equal(error.code, 550)
  assert.equal(error.enhancedCode, '5.7.1')
  assert.equal(error.permanent, true)
})

test('EHLO refused, and the server gone before HELO: the refusal counts', async () => {
  const { error } = await refusal(async (peer) => {
    await peer.send('220 mx\r\n')
    await peer.answer('554 5.7.1 not you')
    peer.end()
  })
  assert.equal(error.kind, 'reply')
  assert.equal(error.code, 554)
  assert.equal(error.permanent, true)
})

test('EHLO deferred is not a reason to try HELO', async () => {
  const { error, peer } = await refusal(async (peer) => {
    await peer.send('220 busy\r\n')
    await peer.answer('451 4.3.2 later')
  })
  assert.equal(error.code, 451)
  assert.equal(error.permanent, false)
  assert.doesNotMatch(peer.heard, /HELO/)
})

for (const [greeting, permanent] of [
  ['554 5.7.1 no mail from you', true],
  ['521 does not accept mail', true],
  ['556 gone', true],
  ['450 later', false],
  ['421 4.7.0 too many connections', false],
] as const) {
  test(`greeting ${greeting}`, async () => {
    const { error, dialogue } = await refusal(async (peer) => {
      await peer.send(`${greeting}\r\n`)
    })
    assert.equal(error.kind, 'reply')
    assert.equal(error.stage, 'greeting')
    assert.equal(error.code, Number(greeting.slice(0, 3)))
    assert.equal(error.permanent, permanent)
    assert.ok(error.message.includes(greeting), error.message)
    assert.ok(dialogue.includes(`< ${greeting}`), dialogue)
  })
}

for (const [name, bytes] of [
  ['text', 'hello there\r\n'],
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['999', '999 odd\r\n'],
  ['3yz', '354 go on\r\n'],
  ['a reply too many', '220 mx\r\n250 unasked\r\n'],
  ['NUL octets', Buffer.alloc(100)],
] as const) {
  test(`an invalid greeting: ${name}`, async () => {
    const { error } = await refusal(async (peer) => {
      await peer.send(bytes)
    })
    assert.equal(error.permanent, false)
    assert.match(error.kind, name === '3yz' ? /reply/ : /protocol/)
  })
}

test('no server listens', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(openSession(targetAt(port), new Dialogue()), {
    kind: 'connect',
    stage: 'connect',
    permanent: false,
    message: `mx.example.test [127.0.0.1]:${port} refused the connection`,
  })
})

for (const how of ['end', 'reset'] as const) {
  test(`connection ended before the greeting: ${how}`, async () => {
    const { error } = await refusal(async (peer) => peer[how]())
    // A reset may overtake the news of the connection itself.
    if (how === 'reset' && error.kind === 'connect') return
    assert.equal(error.kind, 'closed')
    assert.equal(error.stage, 'greeting')
    assert.match(error.message, /during its greeting$/)
  })
}

test('a silent server runs out of time at each step', async () => {
  const timeouts = { greeting: 60, helo: 60, starttls: 60, auth: 60 }
  const credentials = { user: 'u', password: 'secret', mechanism: null }
  const silent = {
    greeting: async () => {},
    ehlo: async (peer: Peer) => peer.send('220 mx\r\n'),
    starttls: async (peer: Peer) => void (await peer.greet('STARTTLS')),
    auth: async (peer: Peer) => void (await peer.greet('AUTH PLAIN')),
  }
  for (const [stage, script] of Object.entries(silent)) {
    const changes: Partial<SmtpTarget> = { timeouts }
    if (stage === 'starttls') changes.tls = 'required'
    if (stage === 'auth') changes.credentials = credentials
    const { error } = await refusal(script, changes)
    assert.equal(error.kind, 'timeout', stage)
    assert.equal(error.stage, stage)
    assert.equal(error.permanent, false)
  }
})

test('a trickle does not move the deadline: one byte at a time', async () => {
  const { error } = await refusal(
    async (peer) => {
      const closed = peer.closed().then(() => true)
      for (;;) {
        await peer.send('2')
        if (await Promise.race([closed, pause(10, false)])) return
      }
    },
    { timeouts: { greeting: 150 } },
  )
  assert.equal(error.kind, 'timeout')
  assert.equal(error.stage, 'greeting')
})

test('a trickle does not move the deadline: endless continuation lines', async () => {
  const { error } = await refusal(
    async (peer) => {
      await peer.send('220 mx\r\n')
      const closed = peer.closed().then(() => true)
      for (;;) {
        await peer.send('250-X\r\n')
        if (await Promise.race([closed, pause(10, false)])) return
      }
    },
    { timeouts: { helo: 150 } },
  )
  assert.equal(error.kind, 'timeout')
  assert.equal(error.stage, 'ehlo')
})

test('all steps together have a limit', async () => {
  const { error } = await refusal(
    async (peer) => {
      await peer.send('220 mx\r\n')
      // EHLO stays unanswered: well within its own time, not within that of all steps.
      await peer.closed()
    },
    { timeouts: { greeting: 60_000, helo: 60_000, opening: 1_000 } },
  )
  assert.equal(error.kind, 'timeout')
  assert.equal(error.stage, 'ehlo')
})

test('10 MB in one line, or a million continuation lines, end the session early', async () => {
  for (const flood of [Buffer.alloc(10_000_000, 'x'), Buffer.from('220-more\r\n'.repeat(1_000_000))]) {
    const { error } = await refusal(async (peer) => peer.send(flood))
    assert.equal(error.kind, 'protocol')
    assert.equal(error.permanent, false)
    assert.ok(error.message.length <= 1000)
  }
})

test('an attempt can be abandoned', async () => {
  const abort = new AbortController()
  await using server = await rawServer(async (peer) => {
    await peer.send('220 mx\r\n')
    await peer.line()
    abort.abort()
    await peer.closed()
  })
  const opening = openSession(targetAt(server.port), new Dialogue(), abort.signal)
  await assert.rejects(opening, { kind: 'closed', stage: 'ehlo', permanent: false })
  await server.finished()
})

test('an attempt abandoned beforehand does not begin', async () => {
  await using server = await rawServer(async () => {})
  const opening = openSession(targetAt(server.port), new Dialogue(), AbortSignal.abort())
  await assert.rejects(opening, { kind: 'closed', stage: 'connect' })
})

test('an EHLO name cannot inject a command', async () => {
  for (const helo of ['a\r\nMAIL FROM:<a@evil.test>', 'a b', '', 'ü.test']) {
    await assert.rejects(openSession(targetAt(1, { helo }), new Dialogue()), TypeError)
  }
})

test('bare LF in replies is accepted', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.send('220 mx\n')
    await peer.answer('250-mx\n250 8BITMIME\n'.trimEnd())
    await peer.accept('250 2.0.0 ok')
  })
  const { replies, session } = await sendOnce(targetAt(server.port))
  assert.equal(replies[0]!.verdict, 'delivered')
  assert.equal(session.extensions.eightBitMime, true)
  session.destroy()
})
