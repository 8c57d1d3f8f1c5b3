/** The envelope of the next transaction behind the final dot of the earlier one (RFC 2920 3.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { selfSigned } from '../../../harness/certificate.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession, type SmtpSession } from '../../../src/delivery/smtp/session.ts'
import type { SmtpTarget } from '../../../src/delivery/smtp/target.ts'
import type { RecipientReply, Transaction } from '../../../src/delivery/smtp/transaction.ts'
import { type Peer, type RawServer, rawServer } from '../../support/raw-smtp.ts'
import { type TransactionChanges, targetAt, transactionOf } from '../../support/smtp-transaction.ts'

const certificate = selfSigned(['mx.example.test'])

/** A session with a server that has read one message, and goes on by the script before it answers. */
async function withMessage(
  script: (peer: Peer) => Promise<unknown>,
  changes: Partial<SmtpTarget> = {},
): Promise<{ session: SmtpSession; first: Sent; server: RawServer } & AsyncDisposable> {
  const encrypted = changes.tls === 'required'
  const server = await rawServer(async (peer) => {
    await peer.greet('STARTTLS', 'PIPELINING')
    if (encrypted) {
      await peer.answer('220 go ahead')
      await peer.encrypt(certificate)
      await peer.answer('250-mx\r\n250 PIPELINING')
    }
    await peer.answer('250 ok', '250 ok', '354 go')
    assert.match((await peer.message())!, /^Subject: first/)
    await script(peer)
  })
  const session = await openSession(targetAt(server.port, changes), new Dialogue())
  const first = send(session, 'first')
  await first.atDot
  return {
    session,
    first,
    server,
    async [Symbol.asyncDispose]() {
      session.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

interface Sent {
  replies: Promise<RecipientReply[]>
  /** Its final dot has been written. */
  atDot: Promise<void>
  dialogue: Dialogue
}

function send(
  session: SmtpSession,
  name: string,
  changes: TransactionChanges & Partial<Transaction> = {},
): Sent {
  const { promise: atDot, resolve: onDot } = Promise.withResolvers<void>()
  const dialogue = new Dialogue()
  const text = `Subject: ${name}\r\n\r\nhello\r\n`
  const { message, ...others } = changes
  const transaction = transactionOf({ sender: `${name}@example.test`, text, ...others })
  const replies = session.send({ ...transaction, ...(message && { message }), onDot }, dialogue)
  return { replies, atDot, dialogue }
}

async function verdict({ replies }: Sent): Promise<string> {
  return (await replies).map((reply) => reply.verdict).join(' ')
}

const envelopeOf = (name: string) => [`MAIL FROM:<${name}@example.test>`, 'RCPT TO:<one@rcpt.test>', 'DATA']

async function lines(peer: Peer, count: number): Promise<(string | null)[]> {
  const read: (string | null)[] = []
  while (read.length < count) read.push(await peer.line())
  return read
}

for (const tls of ['off', 'required'] as const) {
  test(`the answers to the dot and to the next envelope arrive together (TLS ${tls})`, async () => {
    await using connection = await withMessage(
      async (peer) => {
        assert.deepEqual(await lines(peer, 3), envelopeOf('second'))
        await peer.send('250 first kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
        assert.match((await peer.message())!, /^Subject: second/)
        assert.deepEqual(await lines(peer, 3), envelopeOf('third'))
        await peer.send('250 second kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
        assert.match((await peer.message())!, /^Subject: third/)
        await peer.send('250 third kept\r\n')
      },
      { tls },
    )
    const { session, first, server } = connection
    assert.equal(session.takesNext, true)
    const second = send(session, 'second')
    assert.equal(session.takesNext, false)
    await second.atDot
    const third = send(session, 'third')
    for (const each of [first, second, third]) assert.equal(await verdict(each), 'delivered')
    assert.match(
      second.dialogue.text,
      /> MAIL FROM:<second.*\n.*> RCPT.*\n.*> DATA\n.*< 250 ok\n.*< 250 ok\n.*< 354/,
    )
    assert.match(second.dialogue.text, /< 250 second kept$/)
    assert.match(first.dialogue.text, /< 250 first kept$/)
    assert.doesNotMatch(first.dialogue.text, /second/)
    assert.equal(session.usable, true)
    assert.equal(session.transactions, 3)
    await server.finished()
    assert.doesNotMatch(server.peers[0]!.heard, /RSET/)
  })
}

for (const [answer, expected] of [
  ['550 5.7.1 spam', 'bounced'],
  ['451 4.3.0 later', 'deferred'],
] as const) {
  test(`${answer} to the dot does not affect the next transaction`, async () => {
    await using connection = await withMessage(async (peer) => {
      await lines(peer, 3)
      await peer.send(`${answer}\r\n250 ok\r\n250 ok\r\n354 go\r\n`)
      await peer.message()
      await peer.send('250 kept\r\n')
    })
    const { session, first } = connection
    const second = send(session, 'second')
    assert.equal(await verdict(first), expected)
    assert.equal(await verdict(second), 'delivered')
    assert.equal(session.usable, true)
  })
}

for (const [name, end, expected] of [
  ['421', async (peer: Peer) => peer.send('421 4.3.2 closing\r\n'), 'deferred'],
  ['FIN', async (peer: Peer) => peer.end(), 'uncertain'],
  ['RST', async (peer: Peer) => peer.reset(), 'uncertain'],
  ['garbage', async (peer: Peer) => peer.send('what?\r\n'), 'uncertain'],
] as const) {
  test(`the session ends with ${name} at the dot: only the envelope of the next transaction was sent`, async () => {
    await using connection = await withMessage(async (peer) => {
      await lines(peer, 3)
      await end(peer)
      await peer.closed()
    })
    const { session, first, server } = connection
    const second = send(session, 'second')
    assert.equal(await verdict(first), expected)
    const [reply] = await second.replies
    assert.deepEqual([reply!.verdict, reply!.stage], ['deferred', 'mail'])
    assert.equal(reply!.code, name === '421' ? 421 : undefined)
    assert.equal(reply!.untried, name === '421' ? 'ended' : 'lost')
    assert.equal(session.usable, false)
    assert.doesNotMatch(server.peers[0]!.heard, /Subject: second/)
  })
}

for (const step of ['', '250 ok\r\n', '250 ok\r\n250 ok\r\n']) {
  test(`421 after the dot and ${step.split('\n').length - 1} answers to the envelope`, async () => {
    await using connection = await withMessage(async (peer) => {
      await lines(peer, 3)
      await peer.send(`250 kept\r\n${step}421 4.7.0 enough\r\n`)
      peer.end()
    })
    const { session, first } = connection
    const second = send(session, 'second')
    assert.equal(await verdict(first), 'delivered')
    const [reply] = await second.replies
    const { verdict: given, stage, code, untried } = reply!
    assert.deepEqual([given, stage, code, untried], ['deferred', 'mail', 421, 'lost'])
  })
}

for (const refusal of ['503 5.5.1 no valid recipients', '554 5.5.1 no valid recipients']) {
  test(`all recipients of the next transaction are refused, and DATA with ${refusal}`, async () => {
    await using connection = await withMessage(async (peer) => {
      await lines(peer, 3)
      await peer.send(`250 kept\r\n250 ok\r\n550 5.1.1 nobody\r\n${refusal}\r\n`)
      assert.deepEqual(await peer.answer('250 reset'), ['RSET'])
      await peer.accept()
    })
    const { session, first, server } = connection
    const second = send(session, 'second')
    assert.equal(await verdict(first), 'delivered')
    assert.equal(await verdict(second), 'bounced')
    assert.equal(await verdict(send(session, 'third')), 'delivered')
    await server.finished()
  })
}

test('DATA is accepted although all recipients of the next transaction are refused: nothing is sent', async () => {
  await using connection = await withMessage(async (peer) => {
    await lines(peer, 3)
    await peer.send('250 kept\r\n250 ok\r\n550 5.1.1 nobody\r\n354 go\r\n')
    assert.equal(await peer.message(), null)
  })
  const { session, first, server } = connection
  const second = send(session, 'second')
  assert.equal(await verdict(first), 'delivered')
  assert.equal(await verdict(second), 'bounced')
  assert.equal(session.usable, false)
  await server.finished()
})

for (const [name, replies] of [
  ['loses MAIL', '500 5.5.1 what?\r\n503 5.5.1 MAIL first\r\n503 5.5.1 MAIL first\r\n'],
  ['loses RCPT', '250 ok\r\n503 5.5.1 MAIL first\r\n503 5.5.1 MAIL first\r\n'],
  ['refuses MAIL', '554 SMTP synchronization error\r\n'.repeat(3)],
  ['refuses the sender', '550 5.7.1 not you\r\n503 5.5.1 MAIL first\r\n503 5.5.1 MAIL first\r\n'],
  ['refuses DATA', '250 ok\r\n250 ok\r\n550 pipelining not allowed\r\n'],
] as const) {
  test(`a server that ${name} behind a dot has refused no recipient`, async () => {
    await using connection = await withMessage(async (peer) => {
      await lines(peer, 3)
      await peer.send(`250 kept\r\n${replies}`)
      await peer.closed()
    })
    const { session, first } = connection
    const second = send(session, 'second')
    assert.equal(await verdict(first), 'delivered')
    const [reply] = await second.replies
    const { verdict: given, stage, code, untried } = reply!
    assert.deepEqual([given, stage, code, untried], ['deferred', 'mail', undefined, 'lost'])
    assert.equal(session.usable, false)
  })
}

test('all of several recipients are untried when DATA is refused behind a dot', async () => {
  await using connection = await withMessage(async (peer) => {
    await lines(peer, 4)
    await peer.send('250 kept\r\n250 ok\r\n550 5.1.1 nobody\r\n250 ok\r\n554 SMTP synchronization error\r\n')
    await peer.closed()
  })
  const { session, first } = connection
  const second = send(session, 'second', { recipients: ['one@rcpt.test', 'two@rcpt.test'] })
  assert.equal(await verdict(first), 'delivered')
  for (const { untried, message } of await second.replies) {
    assert.equal(untried, 'lost')
    assert.match(message, /did not take the envelope behind a final dot: 554 SMTP synchronization error/)
  }
})

test('the usual refusal of a mailbox, 550 5.5.0, counts behind a dot as well', async () => {
  await using connection = await withMessage(async (peer) => {
    await lines(peer, 3)
    const refusal = '550 5.5.0 Requested action not taken: mailbox unavailable'
    await peer.send(`250 kept\r\n250 ok\r\n${refusal}\r\n503 5.5.1 no valid recipients\r\n`)
    await peer.answer('250 reset')
    await peer.accept()
  })
  const { session, first } = connection
  const second = send(session, 'second')
  assert.equal(await verdict(first), 'delivered')
  assert.equal(await verdict(second), 'bounced')
  assert.equal(await verdict(send(session, 'third')), 'delivered')
})

test('a sender that is deferred behind a dot is deferred', async () => {
  await using connection = await withMessage(async (peer) => {
    await lines(peer, 3)
    await peer.send('250 kept\r\n451 4.7.1 later\r\n503 5.5.1 MAIL first\r\n503 5.5.1 MAIL first\r\n')
    await peer.accept()
  })
  const { session, first } = connection
  const second = send(session, 'second')
  assert.equal(await verdict(first), 'delivered')
  const [reply] = await second.replies
  assert.deepEqual([reply!.verdict, reply!.code, reply!.untried], ['deferred', 451, undefined])
  assert.equal(await verdict(send(session, 'third')), 'delivered')
})

test('an envelope that the server ignores is given up after a short time', async () => {
  await using connection = await withMessage(
    async (peer) => {
      await lines(peer, 3)
      await peer.send('250 kept\r\n')
      await peer.closed()
    },
    { timeouts: { behindDot: 50 } },
  )
  const { session, first } = connection
  const second = send(session, 'second')
  assert.equal(await verdict(first), 'delivered')
  const [reply] = await second.replies
  assert.deepEqual([reply!.verdict, reply!.kind, reply!.untried], ['deferred', 'timeout', 'lost'])
})

test('the envelope of a message that is not ready waits for it', async () => {
  const ready = Promise.withResolvers<void>()
  await using connection = await withMessage(async (peer) => {
    await peer.send('250 kept\r\n')
    assert.deepEqual(await peer.answer('250 ok', '250 ok', '354 go'), envelopeOf('second'))
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  const { session, first, server } = connection
  const { message } = transactionOf()
  const second = send(session, 'second', {
    message: async (capabilities) => {
      await ready.promise
      return message(capabilities)
    },
  })
  assert.equal(await verdict(first), 'delivered')
  assert.doesNotMatch(server.peers[0]!.heard, /MAIL FROM:<second/)
  assert.equal(session.usable, false)
  ready.resolve()
  assert.equal(await verdict(second), 'delivered')
})

test('a transaction that is given up before its envelope leaves room for another', async () => {
  await using connection = await withMessage(async (peer) => {
    assert.deepEqual(await lines(peer, 3), envelopeOf('fourth'))
    await peer.send('250 kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  const { session, first, server } = connection
  const unmade = send(session, 'second', { message: () => Promise.reject(new Error('cannot be composed')) })
  await assert.rejects(unmade.replies, /cannot be composed/)
  assert.equal(await verdict(send(session, 'third', { mayHandOver: () => false })), 'released')
  assert.equal(session.takesNext, true)
  const fourth = send(session, 'fourth')
  assert.equal(await verdict(first), 'delivered')
  assert.equal(await verdict(fourth), 'delivered')
  await server.finished()
})

test('only one transaction starts behind another, and none without PIPELINING', async () => {
  await using connection = await withMessage(async (peer) => {
    await lines(peer, 3)
    await peer.send('250 kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  const { session, first } = connection
  const second = send(session, 'second')
  await assert.rejects(send(session, 'third').replies, /one transaction at a time/)
  assert.equal(await verdict(first), 'delivered')
  assert.equal(await verdict(second), 'delivered')

  await using plain = await rawServer(async (peer) => {
    await peer.greet()
    await peer.accept()
  })
  const slow = await openSession(targetAt(plain.port), new Dialogue())
  const only = send(slow, 'only')
  await only.atDot
  assert.equal(slow.takesNext, false)
  assert.equal(await verdict(only), 'delivered')
  slow.destroy()
})

test('nothing is sent behind a message with refused recipients, which may be tried again on the session', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet('PIPELINING')
    await peer.answer('250 ok', '250 ok', '452 4.5.3 too many', '354 go')
    await peer.message()
    await peer.send('250 kept\r\n')
  })
  const session = await openSession(targetAt(server.port), new Dialogue())
  let told = false
  const transaction = transactionOf({ recipients: ['a@rcpt.test', 'b@rcpt.test'] })
  const onDot = () => {
    told = true
  }
  const replies = await session.send({ ...transaction, onDot }, new Dialogue())
  assert.deepEqual(
    replies.map((reply) => reply.verdict),
    ['delivered', 'deferred'],
  )
  assert.equal(told, false)
  session.destroy()
})

test('dot and envelope keep their own time limits (RFC 5321 4.5.3.2)', async () => {
  const timeouts = { mail: 50, rcpt: 10_000, data: 10_000, dot: 10_000, transaction: 80 }
  await using connection = await withMessage(
    async (peer) => {
      await lines(peer, 3)
      // Longer than the server may take over MAIL, and than a transaction may take up to its dot.
      await pause(150)
      await peer.send('250 kept\r\n250 ok\r\n250 ok\r\n354 go\r\n')
      await peer.message()
      await peer.send('250 kept\r\n')
      await lines(peer, 3)
      await peer.closed()
    },
    { timeouts },
  )
  const { session, first } = connection
  const second = send(session, 'second')
  assert.equal(await verdict(first), 'delivered')
  assert.equal(await verdict(second), 'delivered')
  const [late] = await send(session, 'third').replies
  assert.deepEqual([late!.verdict, late!.stage, late!.kind], ['deferred', 'mail', 'timeout'])
})

test('an answer to the dot that never comes ends both, after the time for the dot', async () => {
  await using connection = await withMessage(
    async (peer) => {
      await lines(peer, 3)
      await peer.closed()
    },
    { timeouts: { dot: 100, mail: 10_000 } },
  )
  const { session, first } = connection
  const second = send(session, 'second')
  const [unanswered] = await first.replies
  assert.deepEqual([unanswered!.verdict, unanswered!.stage], ['uncertain', 'dot'])
  const [untried] = await second.replies
  assert.deepEqual([untried!.verdict, untried!.stage, untried!.code], ['deferred', 'mail', undefined])
})
