import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from '../../../harness/certificate.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTimeouts } from '../../../src/delivery/smtp/timeouts.ts'
import type { RecipientReply } from '../../../src/delivery/smtp/transaction.ts'
import { isNotAttempted } from '../../../src/email/not-attempted.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { sendOnce, type TransactionChanges, targetAt, transactionOf } from '../../support/smtp-transaction.ts'

const certificate = selfSigned(['mx.example.test'])

/** One message to a server that takes the envelope and then follows the script, in clear and under TLS. */
async function handOver(
  script: (peer: Peer) => Promise<unknown>,
  changes: TransactionChanges = {},
  timeouts: Partial<SmtpTimeouts> = {},
): Promise<{ replies: RecipientReply[]; usable: boolean; heard: string; encrypted: boolean }[]> {
  const results = []
  for (const encrypted of [false, true]) {
    await using server = await rawServer(async (peer) => {
      await peer.greet('STARTTLS', 'PIPELINING')
      if (encrypted) {
        await peer.answer('220 go ahead')
        await peer.encrypt(certificate)
        await peer.answer('250-mx\r\n250 PIPELINING')
      }
      await peer.answer('250 ok', '250 ok', '354 go')
      await script(peer)
    })
    const target = targetAt(server.port, { tls: encrypted ? 'required' : 'off', timeouts })
    const { session, replies } = await sendOnce(target, changes)
    const { usable } = session
    session.destroy()
    server.peers[0]!.resume()
    await server.peers[0]!.closed()
    await server.finished()
    results.push({ replies, usable, heard: server.peers[0]!.heard, encrypted })
  }
  return results
}

for (const [name, script] of [
  ['FIN', async (peer: Peer) => peer.end()],
  ['RST', async (peer: Peer) => peer.reset()],
  ['silence', async (peer: Peer) => peer.closed()],
  ['half a reply', async (peer: Peer) => peer.send('250 o')],
  ['garbage', async (peer: Peer) => peer.send('ok!\r\n')],
  ['3yz', async (peer: Peer) => peer.send('354 go on\r\n')],
  ['999', async (peer: Peer) => peer.send('999 what\r\n')],
  ['two codes in a reply', async (peer: Peer) => peer.send('250-ok\r\n550 no\r\n')],
] as const) {
  test(`after the dot, ${name} makes the delivery uncertain`, async () => {
    const results = await handOver(
      async (peer) => {
        assert.notEqual(await peer.message(), null)
        await script(peer)
      },
      {},
      { dot: 80 },
    )
    for (const { replies, usable } of results) {
      assert.equal(replies[0]!.verdict, 'uncertain')
      assert.equal(replies[0]!.stage, 'dot')
      assert.notEqual(replies[0]!.message, '')
      assert.equal(usable, false)
    }
  })
}

test('421 in answer to the dot is a refusal', async () => {
  for (const { replies, usable } of await handOver(async (peer) => {
    await peer.message()
    await peer.send('421 4.3.0 no space\r\n')
  })) {
    assert.equal(replies[0]!.verdict, 'deferred')
    assert.equal(replies[0]!.code, 421)
    assert.equal(replies[0]!.stage, 'dot')
    assert.equal(usable, false)
  }
})

test('delivered stays delivered, whatever follows the answer', async () => {
  for (const after of ['421 bye\r\n', '500 what?\r\n', '\x00\x00']) {
    for (const { replies } of await handOver(async (peer) => {
      await peer.message()
      await peer.send(`250 2.0.0 taken\r\n${after}`)
    })) {
      assert.equal(replies[0]!.verdict, 'delivered')
    }
  }
})

test('a large message with dots arrives complete at a slow reader', async () => {
  const lines = Array.from(
    { length: 30_000 },
    (_, at) => `${at % 3 === 0 ? '.' : ''}${randomBytes(30).toString('base64')}\r\n`,
  )
  const text = Buffer.from(`Subject: large\r\n\r\n${lines.join('')}`)
  const digest = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
  for (const sizes of [[text.length], [1, 200_000, 64 * 1024, 700_000], [128 * 1024, 128 * 1024]]) {
    const chunks: Uint8Array[] = []
    let at = 0
    for (const size of [...sizes, text.length]) {
      chunks.push(text.subarray(at, at + size))
      at = Math.min(text.length, at + size)
    }
    let arrived = ''
    const results = await handOver(
      async (peer) => {
        peer.pause()
        await pause(30)
        peer.resume()
        arrived = (await peer.message())!
        await peer.send('250 ok\r\n')
      },
      { text: chunks },
    )
    for (const { replies } of results) assert.equal(replies[0]!.verdict, 'delivered')
    const received = arrived.slice(0, -3).replaceAll('\r\n.', '\r\n')
    assert.equal(digest(received), digest(text))
  }
})

test('a server that stops reading is given up before the dot, and the message is deferred', async () => {
  for (const { replies, usable } of await handOver(
    async (peer) => peer.pause(),
    { text: 'x'.repeat(50_000_000) },
    { block: 150 },
  )) {
    assert.equal(replies[0]!.verdict, 'deferred')
    assert.equal(replies[0]!.stage, 'data')
    assert.equal(usable, false)
  }
})

test('a message that is read too slowly is given up at the limit for the transaction', async () => {
  const results = await handOver(
    async (peer) => {
      peer.pause()
      while (!peer.gone) {
        await peer.sip()
        await pause(10)
      }
    },
    { text: 'x'.repeat(50_000_000) },
    { transaction: 200 },
  )
  for (const { replies } of results) assert.equal(replies[0]!.verdict, 'deferred')
})

test('after the dot, the limit for the transaction does not apply: the server may take its time', async () => {
  const limit = 1_000
  for (const { replies, usable } of await handOver(
    async (peer) => {
      assert.notEqual(await peer.message(), null)
      // Begun later than the limit, and longer: that has passed when this is over.
      await pause(limit + 50)
      await peer.send('250 2.0.0 taken\r\n')
    },
    {},
    { transaction: limit },
  )) {
    assert.equal(replies[0]!.verdict, 'delivered', replies[0]!.message)
    assert.equal(usable, true)
  }
})

for (const [name, reply] of [
  ['421', '421 4.3.2 going down'],
  ['552', '552 5.3.4 too large'],
  ['250', '250 thanks'],
] as const) {
  test(`${name} in the middle of the message defers it`, async () => {
    for (const { replies, heard, usable } of await handOver(
      async (peer) => {
        peer.pause()
        await peer.send(`${reply}\r\n`)
        peer.resume()
        assert.equal(await peer.message(), null)
      },
      { text: 'x'.repeat(50_000_000) },
    )) {
      assert.equal(replies[0]!.verdict, 'deferred')
      assert.ok(replies[0]!.message.includes(reply), replies[0]!.message)
      assert.doesNotMatch(heard, /\r\n\.\r\n$/)
      assert.equal(usable, false)
    }
  })
}

test('an answer that arrives before the message does not count as its answer', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet('PIPELINING')
    for (let at = 0; at < 3; at++) await peer.line()
    await peer.send('250 ok\r\n250 ok\r\n354 go\r\n250 2.0.0 queued already\r\n')
    assert.equal(await peer.message(), null)
  })
  const { replies } = await sendOnce(targetAt(server.port))
  assert.equal(replies[0]!.verdict, 'deferred')
  await server.finished()
})

test('nothing is handed over without permission: before MAIL, before DATA, before the dot', async () => {
  for (const [leaves, sent] of [
    [0, /^EHLO out\.example\.test\r\n$/],
    [1, /RCPT TO:<one@rcpt\.test>\r\n$/],
    [2, /DATA\r\n$/],
  ] as const) {
    let asked = 0
    await using server = await rawServer(async (peer) => {
      await peer.greet()
      while (true) {
        const line = await peer.line()
        if (line === null) return
        await peer.send(line === 'DATA' ? '354 go\r\n' : '250 ok\r\n')
      }
    })
    const { session, replies } = await sendOnce(targetAt(server.port), {
      mayHandOver: () => asked++ < leaves,
    })
    assert.equal(replies[0]!.verdict, 'released')
    assert.ok(isNotAttempted(replies[0]!.message), 'no code of an earlier answer stands before it')
    assert.equal(session.usable, leaves < 2)
    session.destroy()
    await server.finished()
    assert.match(server.peers[0]!.heard, sent)
  }
})

test('permission is requested at the very end of a large message', async () => {
  let asked = 0
  const results = await handOver(
    async (peer) => {
      assert.equal(await peer.message(), null)
      assert.ok(peer.heard.length > 1_000_000, 'the message had not begun')
    },
    { text: 'x'.repeat(2_000_000), mayHandOver: () => asked++ % 2 === 0 },
  )
  for (const { replies } of results) assert.equal(replies[0]!.verdict, 'released')
  assert.equal(asked, 4)
})

test('destroyed by us while the answer is outstanding: uncertain; before that: deferred', async () => {
  for (const dotFirst of [true, false]) {
    let reached = () => {}
    const there = new Promise<void>((resolve) => {
      reached = resolve
    })
    await using server = await rawServer(async (peer) => {
      await peer.greet()
      await peer.answer('250 ok', '250 ok')
      if (dotFirst) {
        await peer.answer('354 go')
        await peer.message()
      }
      reached()
      await peer.closed()
    })
    const session = await openSession(targetAt(server.port), new Dialogue())
    const sending = session.send(transactionOf(), new Dialogue())
    await there
    session.destroy()
    const [reply] = await sending
    assert.equal(reply!.verdict, dotFirst ? 'uncertain' : 'deferred')
    assert.equal(session.usable, false)
    await server.finished()
  }
})

test('a permission check that throws is our own fault, and the session is not used again', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet()
    await peer.answer('250 ok', '250 ok', '354 go')
    assert.equal(await peer.message(), null)
  })
  const session = await openSession(targetAt(server.port), new Dialogue())
  let asked = 0
  const mayHandOver = () => {
    if (++asked === 3) throw new Error('lease book closed')
    return true
  }
  await assert.rejects(session.send(transactionOf({ mayHandOver }), new Dialogue()), /lease book closed/)
  assert.equal(session.usable, false)
  await server.finished()
})
