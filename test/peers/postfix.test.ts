import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { takesEnvelopesBehindDots } from './behind-the-dot.ts'
import { missing } from './jail.ts'
import { carriesEveryOctet, wroteAsSent } from './octets.ts'
import { WAITS, waitsWithoutAttempt, waitsWithoutRelaying } from './outcomes.ts'
import { postfixAddresses as at, Postfix } from './postfix.ts'
import { RETURNED, Reports } from './reports.ts'
import { inBox, Stage } from './stage.ts'

const skip = missing('postfix') ?? false
if (skip) process.stderr.write(`NOT TESTED with Postfix: ${skip}\n`)

const BOXES = Array.from({ length: 12 }, (_, n) => `box${n}`)

describe('Postfix', { skip }, () => {
  let stage: Stage<Postfix>
  before(async () => {
    stage = await Stage.set(Postfix.start, at.plain, [
      'octets',
      'behind',
      'idn',
      'jörg',
      'second',
      'once',
      'tls',
      'screened',
      RETURNED,
      ...BOXES,
    ])
  })
  after(() => stage?.[Symbol.asyncDispose]())

  test('takes envelopes behind final dots', async () => {
    await takesEnvelopesBehindDots(stage, at.plain)
  })

  test('writes every message as it left, and its signature holds', async () => {
    await carriesEveryOctet(stage, at.plain)
  })

  test('takes domains and local parts in UTF-8', async () => {
    await using sending = await stage.direct('good.test', [at.asciiOnly, at.plain])
    const id = await sending.send(['jörg@good.test'])
    const { recipients } = await sending.delivered(id)
    assert.equal(recipients[0]?.attempts, 1, 'the first server takes no UTF-8: the second is asked at once')
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

  test('where no server takes UTF-8, the recipient fails, and is not suppressed', async () => {
    await using sending = await stage.direct('good.test', [at.asciiOnly])
    const [outcome] = await sending.outcome(await sending.send(['jörg@good.test']))
    assert.equal(outcome?.suppressed, false)
    assert.ok(outcome.state === 'failed' || outcome.state === 'bounced', outcome.state)
  })

  test('550 5.1.1: the recipient bounces and is suppressed, the others are delivered', async () => {
    await using sending = await stage.direct('good.test', [at.plain])
    assert.deepEqual(await sending.outcome(await sending.send(['nobody@good.test', 'once@good.test'])), [
      { state: 'bounced', attempts: 1, suppressed: true },
      { state: 'delivered', attempts: 1, suppressed: false },
    ])
  })

  const ours: [string, keyof typeof at][] = [
    ['554 as greeting', 'rejecting'],
    ['554 5.7.1 Client host rejected, told at RCPT', 'rejectingLate'],
    ['554 5.7.1 blocked using a block list, told at RCPT', 'blocklisting'],
  ]
  for (const [said, way] of ours) {
    test(`${said}: the mail waits without a used attempt`, async () => {
      await waitsWithoutAttempt(stage, at[way])
    })
  }

  test('554 5.7.1 Relay access denied: the mail waits without a used attempt', async () => {
    await waitsWithoutRelaying(stage, at.plain)
  })

  test('504 need fully-qualified hostname, 530 Must issue a STARTTLS command: the mail waits', async () => {
    await using nameless = await stage.relayed(at.nameless, {}, { hostname: 'postroad' })
    assert.deepEqual(await nameless.outcome(await nameless.send(['octets@good.test'])), [WAITS])
    await using clear = await stage.relayed(at.tlsRequired, { tls: 'off' })
    assert.deepEqual(await clear.outcome(await clear.send(['octets@good.test'])), [WAITS])
    await using secure = await stage.direct('good.test', [at.tlsRequired])
    const { attempts } = await secure.delivered(await secure.send(['tls@good.test']))
    assert.match(attempts[0]?.tls?.version ?? '', /TLSv1\.3/)
  })

  test('the second server is tried when the first defers, greets with 554 or takes too little', async () => {
    const text = 'x'.repeat(70).concat('\n').repeat(400)
    for (const way of ['busy', 'greylisting', 'rejecting', 'small'] as const) {
      await using sending = await stage.direct('good.test', [at[way], at.plain])
      const { recipients } = await sending.delivered(await sending.send(['second@good.test'], { text }))
      assert.equal(recipients[0]?.attempts, 1, way)
    }
    assert.equal((await inBox(stage.peer, 'second', 4)).length, 4)
  })

  test('when one of two equal servers always defers, the other gets every message', async () => {
    await using sending = await stage.direct('good.test', [at.busy, at.plain], { equal: true })
    const before = stage.peer.delivered('once').length
    const ids = await Promise.all(Array.from({ length: 12 }, () => sending.send(['once@good.test'])))
    for (const id of ids) {
      const { recipients } = await sending.delivered(id)
      assert.equal(recipients[0]?.attempts, 1)
    }
    assert.equal((await inBox(stage.peer, 'once', before + 12)).length, before + 12)
  })

  test('postscreen defers a new client, and accepts it in a later session', async () => {
    await using sending = await stage.direct('good.test', [at.postscreen], {
      retrySchedule: [1_000, 1_000, 1_000],
    })
    const ids = await Promise.all(Array.from({ length: 3 }, () => sending.send(['screened@good.test'])))
    for (const id of ids) await sending.delivered(id)
    assert.equal((await inBox(stage.peer, 'screened', 3)).length, 3)
    const { attempts } = (await sending.service.store.readHistory(ids[0]!))!
    assert.match(attempts[0]!.dialogue, /450 4\.3\.2 Service currently unavailable/)
  })

  test('a message too large for every server ends, and suppresses no address', async () => {
    const text = 'x'.repeat(70).concat('\n').repeat(400)
    for (const way of ['small', 'smallUnannounced'] as const) {
      await using sending = await stage.direct('good.test', [at[way]])
      const [outcome] = await sending.outcome(await sending.send(['octets@good.test'], { text }))
      assert.equal(outcome?.suppressed, false, way)
      assert.ok(outcome.state === 'failed' || outcome.state === 'bounced', `${way}: ${outcome.state}`)
    }
  })

  test('452 too many recipients: the rest goes in the next transactions at once', async () => {
    await using sending = await stage.direct('good.test', [at.fewRecipients])
    const id = await sending.send(BOXES.map((box) => `${box}@good.test`))
    const { recipients } = await sending.delivered(id)
    assert.deepEqual(new Set(recipients.map(({ attempts }) => attempts)), new Set([1]))
    for (const box of BOXES) assert.equal((await inBox(stage.peer, box, 1)).length, 1)
  })

  test('421 too many connections: fewer are opened, and no attempt is spent', async () => {
    await using sending = await stage.direct('good.test', [at.fewConnections], {
      retrySchedule: [1_000, 1_000],
    })
    const before = stage.peer.delivered('once').length
    const ids = await Promise.all(Array.from({ length: 12 }, () => sending.send(['once@good.test'])))
    for (const id of ids) {
      const { recipients } = await sending.delivered(id)
      assert.equal(recipients[0]?.attempts, 1)
    }
    assert.equal((await inBox(stage.peer, 'once', before + 12)).length, before + 12)
  })

  test('450 too much mail: the server gets as much as it takes, and the rest waits without a used attempt', async () => {
    await using sending = await stage.direct('good.test', [at.fewMessages])
    const ids = await Promise.all(Array.from({ length: 5 }, () => sending.send(['once@good.test'])))
    const outcomes = await Promise.all(ids.map((id) => sending.outcome(id)))
    const delivered = { state: 'delivered', attempts: 1, suppressed: false }
    const sorted = outcomes.flat().sort((a, b) => b.attempts - a.attempts)
    assert.deepEqual(sorted, [delivered, delivered, WAITS, WAITS, WAITS])
  })

  test('its bounces, delays and notices of success are read', async () => {
    const reports = new Reports(stage, at.returning)
    const failed = { kind: 'bounce', action: 'failed' } as const
    await reports.expect('nobody@good.test', 'failure', {
      ...failed,
      address: 'nobody@good.test',
      status: '5.1.1',
      permanent: true,
      category: 'address_unknown',
    })
    await reports.expect('user@gone.test', 'failure', {
      ...failed,
      address: 'user@gone.test',
      status: '5.1.1',
      permanent: true,
      category: 'address_unknown',
    })
    await reports.expect('user@full.test', 'failure', {
      ...failed,
      address: 'user@full.test',
      status: '5.2.2',
      permanent: false,
      category: 'mailbox_full',
    })
    await reports.expect('user@refused.test', 'failure', {
      ...failed,
      address: 'user@refused.test',
      status: '5.7.1',
      permanent: false,
      category: 'relay_denied',
    })
    await reports.expect('once@good.test', 'success', {
      kind: 'none',
      action: 'delivered',
      address: 'once@good.test',
      status: '2.0.0',
    })
    await reports.expect('user@later.test', 'delay', {
      kind: 'delay',
      action: 'delayed',
      address: 'user@later.test',
      status: '4.4.1',
      permanent: false,
    })
  })
})
