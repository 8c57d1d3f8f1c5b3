/** A change of webhooks reaches the node that sends them by notice of the store, not by its next look. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Seal } from '../../src/accounts/seal.ts'
import { webhookSwitched } from '../../src/email/company-event.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../src/events/webhooks/secrets.ts'
import { Webhooks } from '../../src/events/webhooks/webhooks.ts'
import { createLogger } from '../../src/log.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, attempt, email, HOUR, node, result } from '../store/samples.ts'
import { receiving, SOON } from './stage.ts'

async function begun(t: TestContext) {
  const path = join(temporaryDirectory(t), 'postroad.db')
  const store = await SqliteStore.open(path, { exclusive: true })
  const seal = new Seal(randomBytes(32))
  const token = await store.join(node('a'))
  const count = { inc: () => {} }
  const webhooks = new Webhooks({
    store,
    seal,
    token: () => token,
    base: () => 'http://mail.test',
    thread: {
      database: { engine: 'sqlite', path },
      dnsServers: [],
      dnsValidating: [],
      allowPrivateNetworks: true,
      allowLoopback: false,
      schedule: SOON,
      userAgent: 'Postroad/test',
    },
    metrics: { webhookAttempts: count, webhooksDisabled: count, storeFaults: count },
    log: createLogger('silent'),
    // Longer than the test may take.
    lookMs: HOUR,
  })
  t.after(async () => {
    await webhooks.stop()
    await store.close()
  })
  const owner = await acme(store)
  const add = async (url: string) => {
    const id = randomUUIDv7()
    await store.addWebhook({
      ...{ id, companyId: owner.id, domainId: null, dialect: 'json', url, types: ['delivered'] },
      ...{ status: 'enabled', secret: sealWebhookSecret(seal, id, newWebhookSecret()) },
      ...{ previousSecret: null, rotatedAt: null, createdAt: 1, failingSince: null },
      ...{ disabledAt: null, disabledReason: null, cursor: await store.lastEventNumber() },
    })
    return id
  }
  const deliver = async () => {
    const mail = email(owner, ['a@x.test'])
    await store.accept(mail, { token })
    await store.record(attempt(mail, token, [result(0)]))
    return mail.id
  }
  return { store, webhooks, add, deliver }
}

test('added, changed, disabled and removed webhooks, and repeated events, count at once', async (t) => {
  const { store, webhooks, add, deliver } = await begun(t)
  const [first, second, other] = [await receiving(t), await receiving(t), await receiving(t)]
  webhooks.start()
  const id = await add(first.url)
  const email = await deliver()
  const [told] = await first.until(({ length }) => length === 1)
  assert.match(told!.body, new RegExp(email))

  await store.updateWebhook(id, { url: second.url })
  const { events } = await store.eventsAfter(0, { types: ['delivered'] }, 10)
  await store.replayWebhook(id, [{ number: events[0]!.number }], Date.now())
  const [again] = await second.until(({ length }) => length === 1)
  assert.equal(again!.headers['webhook-id'], told!.headers['webhook-id'])

  const off = webhookSwitched('webhook.disabled', { id, url: second.url }, 5, 'why')
  await store.updateWebhook(id, { status: 'disabled', disabledAt: 5, disabledReason: 'why' }, off)
  // Its look comes after that of the one before.
  const otherId = await add(other.url)
  await deliver()
  await other.until(({ length }) => length === 1)
  assert.equal(second.received.length, 1)

  await store.removeWebhook(otherId)
  const third = await add(first.url)
  await deliver()
  await first.until(({ length }) => length === 2)
  assert.equal(other.received.length, 1)
  assert.equal((await store.webhooks({ id: third })).length, 1)
})
