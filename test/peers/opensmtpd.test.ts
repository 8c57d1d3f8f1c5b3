import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { missing } from './jail.ts'
import { carriesEveryOctet } from './octets.ts'
import { openSmtpdAddresses as at, MAX_RECIPIENTS, OpenSmtpd } from './opensmtpd.ts'
import { BOUNCED, WAITS } from './outcomes.ts'
import { RETURNED, Reports } from './reports.ts'
import { inBox, Stage } from './stage.ts'

const skip = missing('opensmtpd') ?? false
if (skip) process.stderr.write(`NOT TESTED with OpenSMTPD: ${skip}\n`)

const BOXES = Array.from({ length: MAX_RECIPIENTS + 3 }, (_, n) => `box${n}`)

describe('OpenSMTPD', { skip }, () => {
  let stage: Stage<OpenSmtpd>
  before(async () => {
    stage = await Stage.set(OpenSmtpd.start, at.plain, ['octets', 'second', 'tls', RETURNED, ...BOXES])
  })
  after(() => stage?.[Symbol.asyncDispose]())

  test('writes every message as it left, and its signature holds', async () => {
    await carriesEveryOctet(stage, at.plain)
  })

  test('has no SMTPUTF8: a local part in UTF-8 fails, and is not suppressed', async () => {
    await using sending = await stage.direct('good.test', [at.plain])
    const [outcome] = await sending.outcome(await sending.send(['jörg@good.test']))
    assert.equal(outcome?.suppressed, false)
    assert.ok(outcome.state === 'failed' || outcome.state === 'bounced', outcome.state)
  })

  test('550 Invalid recipient: the recipient bounces; from a relay it suppresses no address', async () => {
    await using direct = await stage.direct('good.test', [at.plain])
    const [{ state, attempts } = WAITS] = await direct.outcome(await direct.send(['nobody@good.test']))
    assert.deepEqual({ state, attempts }, { state: 'bounced', attempts: 1 })
    await using relayed = await stage.relayed(at.relay)
    assert.deepEqual(await relayed.outcome(await relayed.send(['nobody@good.test'])), [BOUNCED])
  })

  test('a greeting with 554, a refused EHLO: the mail waits without a used attempt', async () => {
    for (const way of ['rejecting', 'rejectingHelo'] as const) {
      await using sending = await stage.direct('good.test', [at[way]])
      assert.deepEqual(await sending.outcome(await sending.send(['octets@good.test'])), [WAITS], way)
      await using relayed = await stage.relayed(at[way])
      assert.deepEqual(await relayed.outcome(await relayed.send(['octets@good.test'])), [WAITS], way)
    }
  })

  test('530 where TLS is required: the mail waits without a used attempt', async () => {
    await using relayed = await stage.relayed(at.tlsRequired, { tls: 'off' })
    assert.deepEqual(await relayed.outcome(await relayed.send(['tls@good.test'])), [WAITS])
    // Debian 12's fails at the handshake: then it is the same, and else the mail goes.
    await using direct = await stage.direct('good.test', [at.tlsRequired])
    const [outcome] = await direct.outcome(await direct.send(['tls@good.test']))
    if (outcome?.state === 'delivered') await inBox(stage.peer, 'tls', 1)
    else assert.deepEqual(outcome, WAITS)
  })

  test('the second server is tried when the first defers, greets with 554 or refuses EHLO', async () => {
    for (const way of ['busy', 'rejecting', 'rejectingHelo'] as const) {
      await using sending = await stage.direct('good.test', [at[way], at.plain])
      const { recipients } = await sending.delivered(await sending.send(['second@good.test']))
      assert.equal(recipients[0]?.attempts, 1, way)
    }
    assert.equal((await inBox(stage.peer, 'second', 3)).length, 3)
  })

  test('451 4.5.3 too many recipients: the rest goes in the next transaction at once', async () => {
    await using sending = await stage.direct('good.test', [at.plain])
    const id = await sending.send(BOXES.map((box) => `${box}@good.test`))
    const { recipients } = await sending.delivered(id)
    assert.deepEqual(new Set(recipients.map(({ attempts }) => attempts)), new Set([1]))
    for (const box of BOXES) assert.equal((await inBox(stage.peer, box, 1)).length, 1)
  })

  test('its bounces, delays and notices of success are read', async () => {
    const reports = new Reports(stage, at.returning)
    await reports.expect('box0@good.test', 'success', {
      kind: 'none',
      action: 'delivered',
      address: 'box0@good.test',
    })
    await reports.expect('user@later.test', 'delay', {
      kind: 'delay',
      action: 'delayed',
      address: 'user@later.test',
      permanent: false,
    })
    await reports.expect('user@refused.test', 'failure', {
      kind: 'bounce',
      action: 'failed',
      address: 'user@refused.test',
      permanent: true,
      category: 'address_unknown',
    })
  })
})
