import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { takesEnvelopesBehindDots } from './behind-the-dot.ts'
import { eximAddresses as at, Exim } from './exim.ts'
import { missing } from './jail.ts'
import { carriesEveryOctet, wroteAsSent } from './octets.ts'
import { BOUNCED, WAITS, waitsWithoutAttempt, waitsWithoutRelaying } from './outcomes.ts'
import { RETURNED, Reports } from './reports.ts'
import { inBox, Stage } from './stage.ts'

const skip = missing('exim') ?? false
if (skip) process.stderr.write(`NOT TESTED with Exim: ${skip}\n`)

const BOXES = Array.from({ length: 100 }, (_, n) => `box${n}`)
const LOGIN = { user: 'relay', password: 'secret', tls: 'required' } as const

describe('Exim', { skip }, () => {
  let stage: Stage<Exim>
  before(async () => {
    const boxes = [
      'octets',
      'behind',
      'idn',
      'jörg',
      'relayed',
      'second',
      'once',
      'retried',
      RETURNED,
      ...BOXES,
    ]
    stage = await Stage.set(Exim.start, at.plain, boxes)
  })
  after(() => stage?.[Symbol.asyncDispose]())

  test('takes envelopes behind final dots', async () => {
    await takesEnvelopesBehindDots(stage, at.plain)
  })

  test('writes every message as it left, and its signature holds', async () => {
    await carriesEveryOctet(stage, at.plain)
  })

  test('takes domains and local parts in UTF-8', async () => {
    await using sending = await stage.direct('good.test', [at.plain])
    const id = await sending.send(['jörg@good.test'])
    await sending.delivered(id)
    const stored = await inBox(stage.peer, 'jörg', 1)
    await wroteAsSent(stored, await sending.raw(id, 'jörg@good.test'), 'UTF-8 local part')

    await using abroad = await stage.direct('xn--bcher-kva.test', [at.plain])
    const second = await abroad.send(['idn@bücher.test'])
    await abroad.delivered(second)
    await wroteAsSent(
      await inBox(stage.peer, 'idn', 1),
      await abroad.raw(second, 'idn@xn--bcher-kva.test'),
      'IDN',
    )
  })

  test('550 Unrouteable address: the recipient bounces', async () => {
    await using sending = await stage.direct('good.test', [at.plain])
    const [{ state, attempts } = WAITS] = await sending.outcome(await sending.send(['nobody@good.test']))
    assert.deepEqual({ state, attempts }, { state: 'bounced', attempts: 1 })
  })

  test('the same reply from a relay suppresses no address', async () => {
    await using sending = await stage.relayed(at.smarthost, LOGIN)
    assert.deepEqual(await sending.outcome(await sending.send(['nobody@good.test'])), [BOUNCED])
  })

  const ours: [string, keyof typeof at][] = [
    ['550 rejected because ... is in a black list', 'blocklisting'],
    ['550 as greeting', 'rejecting'],
    ['550 authentication required', 'smarthost'],
  ]
  for (const [said, way] of ours) {
    test(`${said}: the mail waits without a used attempt`, async () => {
      await waitsWithoutAttempt(stage, at[way])
    })
  }

  test('550 relay not permitted: the mail waits without a used attempt', async () => {
    await waitsWithoutRelaying(stage, at.plain)
  })

  test('a relay that wants a password gets it; a wrong one makes the mail wait', async () => {
    await using wrong = await stage.relayed(at.smarthost, { ...LOGIN, password: 'wrong' })
    const id = await wrong.send(['relayed@else.test'])
    assert.deepEqual(await wrong.outcome(id), [WAITS])
    await using right = await stage.relayed(at.smarthost, LOGIN)
    await right.delivered(await right.send(['relayed@else.test']))
    await inBox(stage.peer, 'relayed', 1)
  })

  test('a refused sender or content bounces, and suppresses no address', async () => {
    for (const way of ['badSender', 'spamFilter'] as const) {
      await using sending = await stage.direct('good.test', [at[way]])
      assert.deepEqual(await sending.outcome(await sending.send(['octets@good.test'])), [BOUNCED], way)
    }
  })

  test('the second server is tried when the first greets with 550, or defers', async () => {
    for (const way of ['rejecting', 'greylisting'] as const) {
      await using sending = await stage.direct('good.test', [at[way], at.plain])
      const { recipients } = await sending.delivered(await sending.send(['second@good.test']))
      assert.equal(recipients[0]?.attempts, 1, way)
    }
    assert.equal((await inBox(stage.peer, 'second', 2)).length, 2)
  })

  test('421 too many connections: fewer are opened, and no attempt is spent', async () => {
    await using sending = await stage.direct('good.test', [at.fewConnections], {
      retrySchedule: [1_000, 1_000],
    })
    const ids = await Promise.all(Array.from({ length: 12 }, () => sending.send(['once@good.test'])))
    for (const id of ids) {
      const { recipients } = await sending.delivered(id)
      assert.equal(recipients[0]?.attempts, 1)
    }
    assert.equal((await inBox(stage.peer, 'once', 12)).length, 12)
  })

  test('recipients that were greylisted together come back together', async () => {
    await using sending = await stage.direct('good.test', [at.greylisting], {
      retrySchedule: [1_000, 36_000_000],
    })
    stage.peer.greylisting = true
    const id = await sending.send(BOXES.map((box) => `${box}@good.test`))
    await sending.settled(id)
    stage.peer.greylisting = false
    const { attempts } = await sending.delivered(id)
    assert.deepEqual(
      attempts.map(({ recipients }) => recipients.length),
      [BOXES.length, BOXES.length],
    )
    for (const box of BOXES) assert.equal((await inBox(stage.peer, box, 1)).length, 1)
  })

  test('a retry by the operator sends waiting mail, once the server takes mail again', async () => {
    await using sending = await stage.direct('good.test', [at.greylisting])
    stage.peer.greylisting = true
    const ids = await Promise.all(Array.from({ length: 5 }, () => sending.send(['retried@good.test'])))
    for (const id of ids) await sending.settled(id)
    stage.peer.greylisting = false
    await sending.retry()
    for (const id of ids) await sending.delivered(id)
    assert.equal((await inBox(stage.peer, 'retried', 5)).length, 5)
  })

  test('its bounces, delays and notices of success are read', async () => {
    const reports = new Reports(stage, at.returning)
    const failed = { kind: 'bounce', action: 'failed' } as const
    const unknown = { permanent: true, category: 'address_unknown' }
    await reports.expect('nobody@good.test', 'failure', {
      ...failed,
      ...unknown,
      address: 'nobody@good.test',
    })
    await reports.expect('user@gone.test', 'failure', {
      ...failed,
      address: 'user@gone.test',
      category: 'mailbox_disabled',
    })
    await reports.expect('user@refused.test', 'failure', {
      ...failed,
      address: 'user@refused.test',
      permanent: false,
      category: 'relay_denied',
    })
    await reports.expect('once@good.test', 'success', {
      kind: 'none',
      action: 'delivered',
      address: 'once@good.test',
    })
    let queue = Promise.resolve()
    const turns = setInterval(() => {
      queue = queue.then(() => stage.peer.runQueue())
    }, 500)
    try {
      await reports.expect('user@later.test', 'delay', {
        kind: 'delay',
        action: 'delayed',
        address: 'user@later.test',
        permanent: false,
      })
    } finally {
      clearInterval(turns)
      await queue
    }
  })
})
