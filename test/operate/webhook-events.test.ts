/** The description of an event of a webhook. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import { messageId, subjectOfMessage } from '../../src/events/webhooks/message-id.ts'
import { listWebhookEvents, showWebhookEvent } from '../../src/operate/webhook-events.ts'
import { updateWebhook } from '../../src/operate/webhooks.ts'
import type { WebhookProgress } from '../../src/store/store.ts'
import { World } from './world.ts'

test('the id of a message belongs to one event of one webhook, and contains the number of the event', () => {
  const [a, b] = [randomUUIDv7(), randomUUIDv7()]
  for (const number of [0, 1, 1_000_000, Number.MAX_SAFE_INTEGER]) {
    const event = { number, type: 'sent' as const, emailId: randomUUIDv7() }
    const id = messageId(a, event)
    assert.match(id, /^msg_[\w-]{27}$/)
    assert.deepEqual(subjectOfMessage(id), { number })
    assert.equal(messageId(a, { ...event }), id)
    // A restored database gives the number to another event.
    for (const other of [{ emailId: randomUUIDv7() }, { type: 'delivered' as const }]) {
      assert.notEqual(messageId(a, { ...event, ...other }), id)
    }
    assert.notEqual(messageId(b, event), id)
  }
  const id = messageId(a, { number: 7, type: 'sent', emailId: randomUUIDv7() })
  for (const other of ['', 'msg_', id.slice(1), `${id} `, id.toUpperCase()]) {
    assert.equal(subjectOfMessage(other), null, other)
  }
})

test('an event is untried, waits for another try, was given up or was accepted', async (t) => {
  const world = await World.make()
  t.after(() => world[Symbol.asyncDispose]())
  const op = await world.operation('operator')
  const { store } = world
  const id = await world.webhook()
  await updateWebhook(op, { id, enabled: true })
  const event = await world.eventOf(id)
  const number = subjectOfMessage(event)!.number
  const { emailId } = (await store.eventsAfter(number - 1, {}, 1)).events[0]!
  const status = async () => {
    const { status, nextAt } = await showWebhookEvent(op, { id, event })
    return [status, nextAt]
  }
  const token = await store.join({ name: 'n', roles: ['api'], timeoutMs: 1_000, since: 1, machine: null })
  const [held] = await store.takeWebhooks(token)
  const progress = (more: Partial<WebhookProgress>) =>
    store.progressWebhook({
      ...{ id, token, generation: held!.generation, cursor: number, failingSince: null },
      ...{ over: [], waiting: [], attempts: [], disabled: null, ...more },
    })
  const attempt = (succeeded: boolean) => ({
    ...{ id: randomUUIDv7(), webhookId: id, number, type: 'sent' as const, emailId, at: 1 },
    ...{ duration: 1, status: succeeded ? 200 : 500, error: null, response: '', succeeded },
    ...{ attempt: 1, nextAt: null },
  })
  await progress({ cursor: number - 1 })
  assert.deepEqual(await status(), ['pending', null])
  await store.updateWebhook(id, { types: ['bounced'] })
  assert.deepEqual(await status(), ['unknown', null], 'it is not among what is told')
  await store.updateWebhook(id, { types: [] })
  await progress({})
  assert.deepEqual(await status(), ['unknown', null], 'no try of it is kept: it may have been given up')
  await progress({ attempts: [attempt(false)], waiting: [{ number, attempts: 1, dueAt: 90 }] })
  assert.deepEqual(await status(), ['attempting', 90])
  await progress({ attempts: [attempt(false)], over: [{ number, attempts: 1, dueAt: 90 }] })
  assert.deepEqual(await status(), ['failed', null])
  await store.replayWebhook(id, [{ number }], 95)
  assert.deepEqual(await status(), ['pending', 95])
  await progress({ attempts: [attempt(true)], over: [{ number, attempts: 0, dueAt: 95 }] })
  assert.deepEqual(await status(), ['success', null])
  assert.deepEqual(
    (await listWebhookEvents(op, { id, limit: 10 })).map((each) => [each.id, each.status]),
    [[event, 'success']],
  )
})
