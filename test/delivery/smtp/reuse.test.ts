import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession, type SmtpSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import { type Peer, type RawServer, rawServer } from '../../support/raw-smtp.ts'
import { type TransactionChanges, targetAt, transactionOf } from '../../support/smtp-transaction.ts'

/** A session with a server that greets and then follows the script. */
async function connected(
  capabilities: string[],
  script: (peer: Peer) => Promise<unknown>,
  changes: Partial<SmtpTarget> = {},
): Promise<{ session: SmtpSession; server: RawServer } & AsyncDisposable> {
  const server = await rawServer(async (peer) => {
    await peer.greet(...capabilities)
    await script(peer)
  })
  const session = await openSession(targetAt(server.port, changes), new Dialogue())
  return {
    session,
    server,
    async [Symbol.asyncDispose]() {
      session.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

async function verdict(session: SmtpSession, changes: TransactionChanges = {}): Promise<string> {
  const replies = await session.send(transactionOf(changes), new Dialogue())
  return replies.map((reply) => reply.verdict).join(' ')
}

/** Resolves when the session reports that it ended while idle. */
function idleEnd(session: SmtpSession): Promise<void> {
  return new Promise((resolve) => {
    session.onIdleEnd = resolve
  })
}

for (const capabilities of [[], ['PIPELINING']]) {
  test(`one transaction after the other, without RSET (${capabilities})`, async () => {
    await using connection = await connected(capabilities, async (peer) => {
      for (let at = 0; at < 3; at++) await peer.accept()
      await peer.answer('221 bye')
      peer.end()
    })
    const { session, server } = connection
    for (let at = 0; at < 3; at++) assert.equal(await verdict(session), 'delivered')
    assert.equal(session.transactions, 3)
    assert.equal(session.usable, true)
    await session.quit()
    assert.equal(session.usable, false)
    await server.finished()
    assert.equal(server.peers.length, 1)
    assert.doesNotMatch(server.peers[0]!.heard, /RSET/)
    assert.match(server.peers[0]!.heard, /QUIT\r\n$/)
  })

  test(`a refused message leaves nothing behind (${capabilities})`, async () => {
    await using connection = await connected(capabilities, async (peer) => {
      await peer.accept('550 5.7.1 spam')
      await peer.accept('451 later')
      await peer.accept()
    })
    const { session, server } = connection
    assert.equal(await verdict(session), 'bounced')
    assert.equal(await verdict(session), 'deferred')
    assert.equal(await verdict(session), 'delivered')
    assert.doesNotMatch(server.peers[0]!.heard, /RSET/)
  })

  test(`a sender whose recipients were all refused is reset before the next one (${capabilities})`, async () => {
    await using connection = await connected(capabilities, async (peer) => {
      await peer.answer('250 ok', '550 unknown')
      if (capabilities.length > 0) await peer.answer('554 no valid recipients')
      assert.deepEqual(await peer.answer('250 reset'), ['RSET'])
      await peer.accept()
      await peer.accept()
    })
    const { session, server } = connection
    assert.equal(await verdict(session), 'bounced')
    assert.equal(session.usable, true)
    assert.equal(await verdict(session), 'delivered')
    assert.equal(await verdict(session), 'delivered')
    await server.finished()
    assert.equal(server.peers[0]!.heard.match(/RSET/g)!.length, 1)
  })
}

test('a refused RSET ends the session', async () => {
  await using connection = await connected(['PIPELINING'], async (peer) => {
    await peer.answer('250 ok', '550 unknown', '554 no valid recipients')
    await peer.answer('502 no RSET here', '250 ok', '250 ok', '354 go')
    assert.equal(await peer.message(), null)
  })
  const { session, server } = connection
  assert.equal(await verdict(session), 'bounced')
  assert.equal(await verdict(session), 'deferred')
  assert.equal(session.usable, false)
  await server.finished()
})

test('only one transaction runs at a time', async () => {
  await using connection = await connected([], (peer) => peer.accept())
  const { session } = connection
  const first = verdict(session)
  assert.equal(session.usable, false)
  await assert.rejects(verdict(session), /one transaction at a time/)
  assert.equal(await first, 'delivered')
  assert.equal(session.usable, true)
})

for (const [name, how] of [
  ['421', async (peer: Peer) => peer.send('421 4.4.2 idle too long\r\n')],
  ['FIN', async (peer: Peer) => peer.end()],
  ['RST', async (peer: Peer) => peer.reset()],
  ['an unasked reply', async (peer: Peer) => peer.send('250 hello?\r\n')],
  ['garbage', async (peer: Peer) => peer.send('\x00\x01\x02')],
] as const) {
  test(`an idle session that ends with ${name} says so and is not used again`, async () => {
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    await using connection = await connected([], async (peer) => {
      await peer.accept()
      await left
      await how(peer)
    })
    const { session, server } = connection
    assert.equal(await verdict(session), 'delivered')
    const ended = idleEnd(session)
    leave()
    await ended
    assert.equal(session.usable, false)
    const replies = await session.send(transactionOf(), new Dialogue())
    assert.equal(replies[0]!.verdict, 'deferred')
    assert.equal(replies[0]!.stage, 'mail')
    await server.peers[0]!.closed()
  })
}

test('a session that ends during a transaction does not call that an idle end', async () => {
  await using connection = await connected([], async (peer) => {
    await peer.line()
    peer.end()
  })
  const { session } = connection
  session.onIdleEnd = () => assert.fail('not idle')
  assert.equal(await verdict(session), 'deferred')
  assert.equal(session.usable, false)
})

test('a session that we end does not call that an idle end either', async () => {
  await using connection = await connected([], async (peer) => {
    await peer.closed()
  })
  const { session, server } = connection
  session.onIdleEnd = () => assert.fail('it was us')
  session.destroy()
  await server.finished()
})

for (const [name, script] of [
  ['ignored', async (peer: Peer) => peer.closed()],
  [
    'answered, but the connection stays',
    async (peer: Peer) => {
      await peer.answer('221 bye')
      await peer.closed()
    },
  ],
  [
    'answered with RST',
    async (peer: Peer) => {
      await peer.line()
      peer.reset()
    },
  ],
  [
    'answered with 500',
    async (peer: Peer) => {
      await peer.answer('500 no')
      await peer.closed()
    },
  ],
  [
    'answered with a flood',
    async (peer: Peer) => {
      await peer.line()
      await peer.send('221-'.padEnd(1_000_000, 'x'))
    },
  ],
] as const) {
  test(`QUIT ${name}: the session ends all the same`, async () => {
    await using connection = await connected([], script, { timeouts: { quit: 60 } })
    const { session, server } = connection
    await session.quit()
    assert.equal(session.usable, false)
    await server.finished()
    await server.peers[0]!.closed()
  })
}

test('quit after the end, and a second one, have no effect', async () => {
  await using connection = await connected([], async (peer) => {
    await peer.answer('221 bye')
    peer.end()
  })
  const { session } = connection
  await session.quit()
  await session.quit()
  session.destroy()
})

/** Enough for each step on a busy machine. */
const STEP_MS = 1_000

test('an idle session has no deadline', async () => {
  await using connection = await connected([], (peer) => peer.accept().then(() => peer.accept()), {
    timeouts: {
      greeting: STEP_MS,
      helo: STEP_MS,
      mail: STEP_MS,
      rcpt: STEP_MS,
      data: STEP_MS,
      block: STEP_MS,
      dot: STEP_MS,
      opening: STEP_MS,
      transaction: STEP_MS,
    },
  })
  const { session } = connection
  assert.equal(await verdict(session), 'delivered')
  await pause(STEP_MS * 1.2)
  assert.equal(session.usable, true)
  assert.equal(await verdict(session), 'delivered')
})
