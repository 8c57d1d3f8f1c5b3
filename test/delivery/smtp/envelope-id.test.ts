/** ENVID (RFC 3461 4.4) and servers that offer DSN without understanding it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { RecipientReply } from '../../../src/delivery/smtp/transaction.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { targetAt, transactionOf } from '../../support/smtp-transaction.ts'

const WITH = 'MAIL FROM:<sender@example.test> RET=HDRS ENVID=abc'
const WITHOUT = 'MAIL FROM:<sender@example.test>'
const TWO = ['one@rcpt.test', 'two@rcpt.test']

/** Some transactions, each to two recipients, one after the other in one session. */
async function transact(
  extension: string,
  script: (peer: Peer) => Promise<unknown>,
  { times = 1, mayHandOver }: { times?: number; mayHandOver?: () => boolean } = {},
): Promise<{ replies: RecipientReply[]; mails: string[]; usable: boolean }> {
  await using server = await rawServer(async (peer) => {
    await peer.greet('DSN', extension)
    await script(peer)
  })
  const session = await openSession(targetAt(server.port), new Dialogue())
  const replies: RecipientReply[] = []
  for (let time = 0; time < times; time++) {
    const transaction = transactionOf({
      recipients: TWO,
      envelopeId: 'abc',
      ...(mayHandOver && { mayHandOver }),
    })
    replies.push(...(await session.send(transaction, new Dialogue())))
  }
  const { usable } = session
  session.destroy()
  await server.finished()
  const mails = server.peers[0]!.heard.split('\r\n').filter((line) => line.startsWith('MAIL'))
  return { replies, mails, usable }
}

const codes = (replies: RecipientReply[]) => replies.map(({ verdict, code }) => `${verdict} ${code}`)

async function take(peer: Peer, ...answers: string[]): Promise<void> {
  await peer.answer('250 ok', ...answers, '354 go')
  await peer.message()
  await peer.send('250 kept\r\n')
}

for (const extension of ['PIPELINING', 'HELP']) {
  const isPipelined = extension === 'PIPELINING'
  const noSender = isPipelined ? ['503 5.5.1 MAIL first', '550 5.5.1 MAIL first', '503 5.5.1 MAIL first'] : []

  for (const refusal of [
    '501 Syntax error in parameters',
    '504 not implemented',
    '555 5.5.4 Unsupported option: ENVID=abc',
    '550 5.5.4 Invalid arguments',
    '455 cannot accommodate parameters',
  ]) {
    test(`${refusal} to MAIL with ENVID: the mail goes without it (${extension})`, async () => {
      const { replies, mails, usable } = await transact(
        extension,
        async (peer) => {
          await peer.answer(refusal, ...noSender)
          await take(peer, '250 ok', '550 5.1.1 nobody')
          await take(peer, '250 ok', '250 ok')
        },
        { times: 2 },
      )
      assert.deepEqual(codes(replies), ['delivered 250', 'bounced 550', 'delivered 250', 'delivered 250'])
      // The session remembers it.
      assert.deepEqual(mails, [WITH, WITHOUT, WITHOUT])
      assert.equal(usable, true)
    })
  }

  test(`MAIL is sent again once, and its second refusal counts (${extension})`, async () => {
    const { replies, mails, usable } = await transact(extension, async (peer) => {
      await peer.answer('501 5.1.7 bad sender', ...noSender)
      await peer.answer('501 5.1.7 bad sender again', ...noSender)
    })
    assert.deepEqual(codes(replies), ['bounced 501', 'bounced 501'])
    assert.match(replies[0]!.message, /again$/)
    assert.deepEqual(mails, [WITH, WITHOUT])
    assert.equal(usable, true)
  })

  test(`another refusal of the sender counts at once (${extension})`, async () => {
    const { replies, mails } = await transact(extension, (peer) =>
      peer.answer('550 5.7.1 not you', ...noSender),
    )
    assert.deepEqual(codes(replies), ['bounced 550', 'bounced 550'])
    assert.deepEqual(mails, [WITH])
  })

  test(`a server that refuses ENVID and ends the session has refused the mail (${extension})`, async () => {
    const { replies, usable } = await transact(extension, async (peer) => {
      await peer.answer('501 no')
      peer.end()
    })
    assert.deepEqual(codes(replies), ['bounced 501', 'bounced 501'])
    assert.equal(usable, false)
  })

  test(`nothing is sent again once the mail must not be handed over (${extension})`, async () => {
    let isStopping = false
    const { replies, mails } = await transact(
      extension,
      async (peer) => {
        await peer.line()
        isStopping = true
        await peer.send('501 no\r\n')
        await peer.answer(...noSender)
      },
      { mayHandOver: () => !isStopping },
    )
    assert.deepEqual(codes(replies), ['released undefined', 'released undefined'])
    assert.deepEqual(mails, [WITH])
  })
}

test('DATA is accepted although MAIL with ENVID was refused: nothing is sent', async () => {
  const { replies, mails, usable } = await transact('PIPELINING', async (peer) => {
    await peer.answer('501 no', '250 ok', '250 ok', '354 go')
    assert.equal(await peer.message(), null)
  })
  assert.deepEqual(codes(replies), ['bounced 501', 'bounced 501'])
  assert.deepEqual(mails, [WITH])
  assert.equal(usable, false)
})
