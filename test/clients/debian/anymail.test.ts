/** Anymail for Django of Debian, over HTTPS, and what its view makes of webhooks. Its version 9 knows no Resend yet. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { addWebhook } from '../../../src/operate/webhooks.ts'
import { DOMAIN } from '../../submission/rig.ts'
import { Receiver } from '../../webhooks/receiver.ts'
import { missing, runPython } from './packages.ts'
import { assertWhole, Stage } from './stage.ts'

const skip = missing('anymail')
const program = fileURLToPath(new URL('./anymail_program.py', import.meta.url))

interface Outcome {
  id?: string
  status?: unknown
  error?: string
}
interface Heard {
  events: { type: string; recipient: string; id: string; tags: string[]; metadata: object }[]
  refused: number
}

describe('Anymail', { skip }, () => {
  test('sends by its Mailgun backend, to one and in a batch', async () => {
    await using stage = await Stage.set()
    const outcomes = (await runPython(program, stage.place)) as Record<string, Outcome>
    assert.deepEqual(outcomes.message?.status, ['queued'], outcomes.message?.error)
    const kept = await stage.keptFor('message@in.test')
    assertWhole(kept, 'message', 'anymail message – ünïcode ✓')
    assert.equal(kept.parsed.messageId, outcomes.message?.id)
    assert.deepEqual(outcomes.batch?.status, ['queued'], outcomes.batch?.error)
    for (const [address, name] of [
      ['ann@in.test', 'Ann'],
      ['ben@in.test', 'Ben'],
    ] as const) {
      const { parsed } = await stage.keptFor(address)
      assert.equal(parsed.subject, `Dear ${name}`)
      assert.equal(parsed.text?.trimEnd(), 'Your number is 7.')
      assert.deepEqual(
        parsed.to?.map((to) => to.address),
        [address],
      )
    }
    assert.equal(outcomes.badKey?.status, 401)
    assert.match(outcomes.badKey?.error ?? '', /Forbidden/)
    assert.equal(outcomes.badDomain?.status, 404)
  })

  test('its view takes webhooks of the form dialect, and no others', async () => {
    await using stage = await Stage.set({ allowPrivateNetworks: true })
    await using receiver = await Receiver.start()
    const { companyId: company } = stage.rig
    const hook = { company, url: receiver.url, dialect: 'form', events: ['delivered'] } as const
    const { secret: signingKey } = await addWebhook(await stage.operation(), {
      ...hook,
      events: [...hook.events],
    })
    const outcomes = (await runPython(program, stage.place)) as Record<string, Outcome>
    const received = await receiver.until(({ length }) => length >= 5)
    const webhooks = received.map(({ body }) => body)
    const altered = webhooks[0]!.replace(
      /("signature":")(.)/,
      (_, head, digit) => head + (digit === '0' ? '1' : '0'),
    )
    const heard = (await runPython(program, {
      signingKey,
      webhooks: [...webhooks, altered],
    })) as unknown as Heard
    assert.equal(heard.refused, 1)
    assert.equal(heard.events.length, webhooks.length)
    const event = heard.events.find(({ recipient }) => recipient === 'message@in.test')
    assert.equal(event?.type, 'delivered')
    assert.equal(event?.id, outcomes.message?.id)
    assert.deepEqual(event?.tags, ['autumn', 'shop'])
    assert.deepEqual(event?.metadata, { order: '4711' })
    assert.ok(event?.id.includes(DOMAIN))
  })
})
