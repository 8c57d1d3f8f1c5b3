import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { RecipientReply } from '../../../src/delivery/smtp/transaction.ts'
import { type Peer, rawServer } from '../../support/raw-smtp.ts'
import { sendOnce, type TransactionChanges, targetAt, transactionOf } from '../../support/smtp-transaction.ts'

interface Outcome {
  replies: RecipientReply[]
  verdicts: string[]
  heard: string
  usable: boolean
  dialogue: string
}

/** One transaction with a server that greets with the capabilities and then follows the script. */
async function transact(
  capabilities: string[],
  script: (peer: Peer) => Promise<unknown>,
  changes: TransactionChanges = {},
): Promise<Outcome> {
  await using server = await rawServer(async (peer) => {
    await peer.greet(...capabilities)
    await script(peer)
  })
  const { session, replies, dialogue } = await sendOnce(targetAt(server.port), changes)
  const { usable } = session
  session.destroy()
  await server.finished()
  await server.peers[0]!.closed()
  return {
    replies,
    verdicts: replies.map(({ verdict }) => verdict),
    heard: server.peers[0]!.heard,
    usable,
    dialogue,
  }
}

const four = { recipients: ['a@r.test', 'b@r.test', 'c@r.test', 'd@r.test'] }

for (const pipelining of [false, true]) {
  const capabilities = pipelining ? ['PIPELINING'] : []
  const how = pipelining ? 'pipelined' : 'step by step'

  test(`delivered (${how})`, async () => {
    const { replies, heard, usable, dialogue } = await transact(capabilities, (peer) => peer.accept())
    assert.deepEqual(replies, [
      { verdict: 'delivered', code: 250, enhancedCode: '2.0.0', message: '250 2.0.0 queued', stage: 'dot' },
    ])
    assert.equal(
      heard,
      'EHLO out.example.test\r\nMAIL FROM:<sender@example.test>\r\nRCPT TO:<one@rcpt.test>\r\nDATA\r\n' +
        'Subject: hello\r\n\r\nhello\r\n.\r\n',
    )
    assert.equal(usable, true)
    assert.match(dialogue, /> \(message of 25 octets\)\n\d+ < 250 2\.0\.0 queued$/)
    assert.doesNotMatch(dialogue, /hello$/m)
  })

  test(`each recipient has an answer of its own (${how})`, async () => {
    const { replies, heard, usable } = await transact(
      capabilities,
      async (peer) => {
        await peer.answer(
          '250 ok',
          '250 ok',
          '550 5.1.1 unknown',
          '451 4.7.1 greylisted',
          '252 maybe',
          '354 go',
        )
        await peer.message()
        await peer.send('250 2.0.0 taken\r\n')
      },
      four,
    )
    assert.deepEqual(
      replies.map(({ verdict, code, stage }) => [verdict, code, stage]),
      [
        ['delivered', 250, 'dot'],
        ['bounced', 550, 'rcpt'],
        ['deferred', 451, 'rcpt'],
        ['delivered', 250, 'dot'],
      ],
    )
    assert.equal(replies[1]!.enhancedCode, '5.1.1')
    assert.equal(replies[2]!.message, '451 4.7.1 greylisted')
    assert.equal(heard.match(/RCPT TO/g)!.length, 4)
    assert.equal(usable, true)
  })

  test(`251 is accepted, 452 and 552 for too many recipients are deferred, 552 for a full mailbox is final (${how})`, async () => {
    const { verdicts } = await transact(
      capabilities,
      async (peer) => {
        await peer.answer(
          '250 ok',
          '251 will forward',
          '452 4.5.3 too many',
          '552 too many recipients',
          '552 5.2.2 full',
          '354 go',
        )
        await peer.message()
        await peer.send('250 ok\r\n')
      },
      four,
    )
    assert.deepEqual(verdicts, ['delivered', 'deferred', 'deferred', 'bounced'])
  })

  for (const reply of [
    '552 5.7.1 Too many recipients',
    '550 5.5.3 Too many recipients',
    '554 5.5.3 No more',
    '550 Error: too many rcpts',
  ]) {
    test(`after an accepted recipient ${reply} is deferred, before any it is final (${how})`, async () => {
      const after = await transact(
        capabilities,
        async (peer) => {
          await peer.answer(
            '250 ok',
            '250 ok',
            '250 ok',
            reply,
            '550 5.7.1 <too many recipients> no',
            '354 go',
          )
          await peer.message()
          await peer.send('250 ok\r\n')
        },
        four,
      )
      assert.deepEqual(after.verdicts, ['delivered', 'delivered', 'deferred', 'bounced'])
      const first = await transact(capabilities, async (peer) => {
        await peer.answer('250 ok', reply)
        if (pipelining) await peer.answer('503 no recipients')
      })
      assert.deepEqual(first.verdicts, ['bounced'])
    })
  }

  test(`unknown codes count by their first digit (${how})`, async () => {
    const { verdicts } = await transact(
      capabilities,
      async (peer) => {
        await peer.answer('239 ok', '298 ok', '499 later', '577 no', '200 ok', '399 go')
        await peer.message()
        await peer.send('277 done\r\n')
      },
      four,
    )
    assert.deepEqual(verdicts, ['delivered', 'deferred', 'bounced', 'delivered'])
  })

  test(`552 for the first recipient is final (${how})`, async () => {
    const { verdicts, usable } = await transact(capabilities, async (peer) => {
      await peer.answer('250 ok', '552 full')
      if (pipelining) await peer.answer('503 no recipients')
    })
    assert.deepEqual(verdicts, ['bounced'])
    assert.equal(usable, true)
  })

  for (const [code, verdict] of [
    [550, 'bounced'],
    [451, 'deferred'],
  ] as const) {
    test(`MAIL refused with ${code} is the answer for all recipients (${how})`, async () => {
      const { replies, usable } = await transact(
        capabilities,
        async (peer) => {
          await peer.answer(`${code} no mail from you`)
          if (pipelining) await peer.answer('503 need MAIL', '503 need MAIL', '503 need RCPT')
        },
        { recipients: ['a@r.test', 'b@r.test'] },
      )
      assert.deepEqual(
        replies.map((reply) => [reply.verdict, reply.code, reply.stage]),
        [
          [verdict, code, 'mail'],
          [verdict, code, 'mail'],
        ],
      )
      assert.equal(usable, true)
    })

    test(`DATA refused with ${code} is the answer for the accepted recipients (${how})`, async () => {
      const { replies, usable } = await transact(
        capabilities,
        (peer) =>
          peer.answer('250 ok', '250 ok', '550 5.1.1 unknown', '450 busy', '250 ok', `${code} not now`),
        four,
      )
      assert.deepEqual(
        replies.map((reply) => [reply.verdict, reply.code, reply.stage]),
        [
          [verdict, code, 'data'],
          ['bounced', 550, 'rcpt'],
          ['deferred', 450, 'rcpt'],
          [verdict, code, 'data'],
        ],
      )
      assert.equal(usable, true)
    })

    test(`the message refused with ${code} is the answer for the accepted recipients (${how})`, async () => {
      const { replies, usable } = await transact(
        capabilities,
        async (peer) => {
          await peer.answer('250 ok', '250 ok', '550 5.1.1 unknown', '450 busy', '250 ok', '354 go')
          await peer.message()
          await peer.send(`${code}-5.7.1 spam\r\n${code} says the filter\r\n`)
        },
        four,
      )
      assert.deepEqual(
        replies.map((reply) => [reply.verdict, reply.code, reply.stage]),
        [
          [verdict, code, 'dot'],
          ['bounced', 550, 'rcpt'],
          ['deferred', 450, 'rcpt'],
          [verdict, code, 'dot'],
        ],
      )
      assert.match(replies[0]!.message, /says the filter$/)
      assert.equal(usable, true)
    })
  }

  test(`421 at each step defers recipients without an answer, and ends the session (${how})`, async () => {
    const gone = '421 4.3.2 shutting down'
    for (const [answers, expected] of [
      [[gone], ['deferred', 'deferred']],
      [
        ['250 ok', gone],
        ['deferred', 'deferred'],
      ],
      [
        ['250 ok', '550 unknown', gone],
        ['bounced', 'deferred'],
      ],
      [
        ['250 ok', '550 unknown', '250 ok', gone],
        ['bounced', 'deferred'],
      ],
      [
        ['250 ok', '550 unknown', '250 ok', '354 go', gone],
        ['bounced', 'deferred'],
      ],
    ] as const) {
      const { verdicts, replies, usable } = await transact(
        capabilities,
        async (peer) => {
          if (answers.length < 5) return peer.answer(...answers)
          await peer.answer(...answers.slice(0, 4))
          await peer.message()
          await peer.send(`${gone}\r\n`)
        },
        { recipients: ['a@r.test', 'b@r.test'] },
      )
      assert.deepEqual(verdicts, expected)
      assert.equal(replies[1]!.code, 421)
      assert.match(replies[1]!.message, /421 4\.3\.2 shutting down$/)
      assert.equal(usable, false)
    }
  })

  test(`a connection cut at each step before the dot defers recipients without an answer (${how})`, async () => {
    for (const ending of ['end', 'reset'] as const) {
      for (let answered = 0; answered <= 4; answered++) {
        const { verdicts, replies, usable } = await transact(
          capabilities,
          async (peer) => {
            await peer.answer(...['250 ok', '550 unknown', '250 ok', '354 go'].slice(0, answered))
            // A reset takes replies with it that were not read yet, so the client gets to read them.
            if (ending === 'reset') await pause(20)
            peer[ending]()
          },
          // Large, so that the dot is far from leaving when the connection goes.
          { recipients: ['a@r.test', 'b@r.test'], text: 'x'.repeat(50_000_000) },
        )
        assert.deepEqual(
          verdicts,
          [answered >= 2 ? 'bounced' : 'deferred', 'deferred'],
          `${ending} after ${answered}`,
        )
        assert.equal(replies[1]!.code, undefined)
        assert.equal(usable, false)
      }
    }
  })

  test(`silence at each step before the dot defers (${how})`, async () => {
    const stages = ['mail', 'rcpt', 'rcpt', 'data']
    for (let answered = 0; answered < 4; answered++) {
      await using server = await rawServer(async (peer) => {
        await peer.greet(...capabilities)
        await peer.answer(...['250 ok', '550 unknown', '250 ok'].slice(0, answered))
        await peer.closed()
      })
      const { replies } = await sendOnce(
        targetAt(server.port, { timeouts: { mail: 50, rcpt: 50, data: 50 } }),
        {
          recipients: ['a@r.test', 'b@r.test'],
        },
      )
      assert.equal(replies[1]!.verdict, 'deferred')
      assert.equal(replies[1]!.stage, stages[answered])
      assert.match(replies[1]!.message, /took too long/)
      assert.equal(replies[0]!.verdict, answered >= 2 ? 'bounced' : 'deferred')
      await server.finished()
      assert.doesNotMatch(server.peers[0]!.heard, /hello\r\n/)
    }
  })
}

test('without PIPELINING nothing is sent ahead', async () => {
  await transact([], async (peer) => {
    for (const [command, answer] of [
      ['MAIL', '250 ok'],
      ['RCPT', '250 ok'],
      ['DATA', '354 go'],
    ] as const) {
      assert.ok((await peer.line())!.startsWith(command))
      await pause(5)
      assert.ok(peer.heard.trimEnd().split('\r\n').at(-1)!.startsWith(command), 'something was sent ahead')
      await peer.send(`${answer}\r\n`)
    }
    await peer.message()
    await peer.send('250 ok\r\n')
  })
})

test('with PIPELINING the envelope is sent at once, and the message waits for 354', async () => {
  const { verdicts } = await transact(
    ['PIPELINING'],
    async (peer) => {
      for (let at = 0; at < 6; at++) await peer.line()
      assert.match(peer.heard, /DATA\r\n$/)
      await pause(5)
      assert.match(peer.heard, /DATA\r\n$/)
      await peer.send('250 ok\r\n250 ok\r\n25')
      await pause(2)
      await peer.send('0 ok\r\n250-ok\r\n250 ok\r\n250 ok\r')
      await pause(2)
      await peer.send('\n354 go\r\n')
      await peer.message()
      await peer.send('250 ok\r\n')
    },
    four,
  )
  assert.deepEqual(verdicts, ['delivered', 'delivered', 'delivered', 'delivered'])
})

test('a thousand recipients are sent in bounded groups', async () => {
  const recipients = Array.from({ length: 1000 }, (_, at) => `r${at}@r.test`)
  let ahead = 0
  const { verdicts } = await transact(
    ['PIPELINING'],
    async (peer) => {
      let answered = 0
      for (;;) {
        const line = await peer.line()
        ahead = Math.max(ahead, peer.heard.split('\r\n').length - 2 - answered)
        await peer.send(line === 'DATA' ? '354 go\r\n' : answered % 10 === 9 ? '550 no\r\n' : '250 ok\r\n')
        answered++
        if (line === 'DATA') break
      }
      await peer.message()
      await peer.send('250 ok\r\n')
    },
    { recipients },
  )
  assert.equal(verdicts.filter((verdict) => verdict === 'bounced').length, 100)
  assert.equal(verdicts.filter((verdict) => verdict === 'delivered').length, 900)
  assert.ok(ahead <= 101, `${ahead} commands in flight`)
})

test('all recipients refused, but 354 to DATA: the session ends, and no recipient counts as delivered', async () => {
  for (const mail of ['250 ok', '550 no sender like you']) {
    const { verdicts, heard, usable } = await transact(
      ['PIPELINING'],
      async (peer) => {
        await peer.answer(mail, '550 unknown', '550 unknown', '354 go ahead then')
        assert.equal(await peer.message(), null)
      },
      { recipients: ['a@r.test', 'b@r.test'] },
    )
    assert.deepEqual(verdicts, ['bounced', 'bounced'])
    assert.match(heard, /DATA\r\n$/)
    assert.equal(usable, false)
  }
})

test('replies out of step defer all recipients: a reply that may belong to another command counts for none', async () => {
  for (const [name, replies] of [
    ['one too many', ['250 ok', '250 ok', '550 unknown', '354 go', '250 what']],
    ['two too many', ['250 ok', '250 ok', '550 unknown', '550 unknown', '354 go', '250 what']],
    ['250 to DATA', ['250 ok', '250 ok', '550 unknown', '250 ok']],
    ['354 to RCPT', ['250 ok', '354 go', '550 unknown', '354 go']],
    ['354 to MAIL', ['354 go', '250 ok', '550 unknown', '354 go']],
    ['garbage', ['250 ok', '250 ok', '550 unknown', 'ERROR']],
    ['NUL', ['250 ok', '250 ok', '550 unknown', '\x00\x00\x00 go']],
    ['another code in the last line', ['250 ok', '250 ok', '550-unknown', '354 go']],
  ] as const) {
    const { verdicts, usable, heard } = await transact(
      ['PIPELINING'],
      async (peer) => {
        for (let at = 0; at < 4; at++) await peer.line()
        await peer.send(replies.map((reply) => `${reply}\r\n`).join(''))
        await peer.closed()
      },
      { recipients: ['a@r.test', 'b@r.test'] },
    )
    assert.equal(verdicts[0], 'deferred', name)
    assert.notEqual(verdicts[1], 'delivered', name)
    assert.equal(usable, false, name)
    assert.doesNotMatch(heard, /hello\r\n/, name)
  }
})

test('a missing reply is given up after its time limit', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet('PIPELINING')
    for (let at = 0; at < 4; at++) await peer.line()
    await peer.send('250 ok\r\n250 ok\r\n354 go\r\n')
    await peer.closed()
  })
  const { replies } = await sendOnce(targetAt(server.port, { timeouts: { data: 50 } }), {
    recipients: ['a@r.test', 'b@r.test'],
  })
  assert.deepEqual(
    replies.map(({ verdict }) => verdict),
    ['deferred', 'deferred'],
  )
  await server.finished()
})

test('MAIL answered with 503 is about the session, so the message is deferred and uses another one', async () => {
  const { verdicts, usable } = await transact(['PIPELINING'], (peer) =>
    peer.answer('503 5.5.1 nested MAIL', '250 ok', '354 go'),
  )
  assert.deepEqual(verdicts, ['deferred'])
  assert.equal(usable, false)
})

test('a message over the limit of the server is refused before MAIL (RFC 1870 4)', async () => {
  const { replies, heard, usable } = await transact(['SIZE 24'], async () => {})
  assert.equal(replies[0]!.verdict, 'bounced')
  assert.equal(replies[0]!.enhancedCode, '5.3.4')
  assert.match(replies[0]!.message, /up to 24 octets, this one has 25$/)
  assert.equal(heard, 'EHLO out.example.test\r\n')
  assert.equal(usable, true)
})

test('SIZE is sent if the server offers it', async () => {
  const { heard } = await transact(['SIZE 25'], (peer) => peer.accept())
  assert.match(heard, /MAIL FROM:<sender@example\.test> SIZE=25\r\n/)
})

test('8-bit content is declared, or not sent (RFC 6152 3)', async () => {
  const text = 'Subject: x\r\n\r\nGrüße\r\n'
  const able = await transact(['8BITMIME'], (peer) => peer.accept(), { text, eightBit: true })
  assert.match(able.heard, /MAIL FROM:<sender@example\.test> BODY=8BITMIME\r\n/)
  assert.ok(able.heard.includes('Grüße'))
  const unable = await transact([], async () => {}, { text, eightBit: true })
  assert.equal(unable.replies[0]!.verdict, 'failed')
  assert.equal(unable.replies[0]!.enhancedCode, '5.6.3')
  assert.doesNotMatch(unable.heard, /MAIL/)
})

test('SMTPUTF8 is requested only when an address or the header needs it', async () => {
  const capabilities = ['8BITMIME', 'SMTPUTF8']
  for (const changes of [{ sender: 'jörg@x.test' }, { recipients: ['jörg@r.test'] }, { smtpUtf8: true }]) {
    const { heard, verdicts } = await transact(capabilities, (peer) => peer.accept(), changes)
    assert.match(heard, /MAIL FROM:<[^>]+>.* SMTPUTF8\r\n/)
    assert.deepEqual(verdicts, ['delivered'])
  }
  const { heard } = await transact(capabilities, (peer) => peer.accept())
  assert.doesNotMatch(heard, /UTF8/)
})

test('without SMTPUTF8, recipients that need it fail with a sentence and the others are sent (RFC 6531 3.2)', async () => {
  const some = await transact(['8BITMIME'], (peer) => peer.accept(), {
    recipients: ['jörg@r.test', 'joerg@r.test'],
  })
  assert.deepEqual(some.verdicts, ['failed', 'delivered'])
  assert.equal(some.replies[0]!.enhancedCode, '5.6.7')
  assert.match(
    some.replies[0]!.message,
    /non-ASCII characters.*mx\.example\.test.* does not support SMTPUTF8/,
  )
  assert.doesNotMatch(some.heard, /jörg/)
  for (const changes of [{ sender: 'jörg@x.test' }, { smtpUtf8: true }]) {
    const all = await transact(['8BITMIME'], async () => {}, changes)
    assert.deepEqual(all.verdicts, ['failed'])
    assert.doesNotMatch(all.heard, /MAIL/)
  }
})

test('an address cannot inject SMTP commands', async () => {
  const evil = 'a@r.test>\r\nRCPT TO:<victim@r.test'
  const { verdicts, heard } = await transact(['PIPELINING'], (peer) => peer.accept(), {
    recipients: [evil, 'b@r.test'],
  })
  assert.deepEqual(verdicts, ['failed', 'delivered'])
  assert.doesNotMatch(heard, /victim/)
  const sender = await transact([], async () => {}, { sender: evil })
  assert.deepEqual(sender.verdicts, ['failed'])
  assert.doesNotMatch(sender.heard, /MAIL/)
})

test('a message that a lax server could end early is not sent', async () => {
  const { replies, heard, usable } = await transact([], async () => {}, {
    text: 'a: b\r\n\r\nx\n.\nMAIL\r\n',
  })
  assert.equal(replies[0]!.verdict, 'failed')
  assert.doesNotMatch(heard, /MAIL/)
  assert.equal(usable, true)
})

test('the null sender', async () => {
  const { heard } = await transact([], (peer) => peer.accept(), { sender: '' })
  assert.match(heard, /MAIL FROM:<>\r\n/)
})

test('only a message that cannot be composed rejects, and the session stays usable', async () => {
  await using server = await rawServer(async (peer) => {
    await peer.greet()
    await peer.accept()
  })
  const session = await openSession(targetAt(server.port), new Dialogue())
  const broken = { ...transactionOf(), message: async () => Promise.reject(new Error('no such blob')) }
  await assert.rejects(session.send(broken, new Dialogue()), /no such blob/)
  assert.equal(session.usable, true)
  const replies = await session.send(transactionOf(), new Dialogue())
  assert.equal(replies[0]!.verdict, 'delivered')
  session.destroy()
})

test('the composer gets the capabilities of the server', async () => {
  for (const capabilities of [[], ['8BITMIME'], ['8BITMIME', 'SMTPUTF8']]) {
    await using server = await rawServer(async (peer) => {
      await peer.greet(...capabilities)
      await peer.accept()
    })
    const session = await openSession(targetAt(server.port), new Dialogue())
    let told: unknown
    const transaction = transactionOf()
    const { message } = transaction
    transaction.message = (able) => {
      told = able
      return message(able)
    }
    await session.send(transaction, new Dialogue())
    session.destroy()
    assert.deepEqual(told, { eightBitMime: capabilities.length > 0, smtpUtf8: capabilities.length > 1 })
  }
})
