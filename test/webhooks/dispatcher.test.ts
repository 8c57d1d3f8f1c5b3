/** What becomes of events on their way to webhooks: a real store, real HTTP, and a schedule of milliseconds. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Teller } from '../../src/events/tell.ts'
import { Dispatcher } from '../../src/events/webhooks/dispatcher.ts'
import type { WebhookSchedule } from '../../src/events/webhooks/schedule.ts'
import { newWebhookSecret } from '../../src/events/webhooks/sign.ts'
import { Outgoing } from '../../src/network/outgoing.ts'
import { addressGuard } from '../../src/network/private-address.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { type Store, StoreUnavailable, type Webhook, type WebhookDialect } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, attempt, email, result } from '../store/samples.ts'
import { type Received, Receiver } from './receiver.ts'

const SOON: WebhookSchedule = { json: [1, 1], form: [1], longestPause: 60_000 }

class Stage {
  readonly store: Store
  readonly companyId: string
  readonly #token: number
  readonly #outgoing = new Outgoing({
    guard: addressGuard({ allowPrivateNetworks: true }),
    resolve: async () => [],
    connections: 256,
  })
  #dispatcher: Dispatcher

  private constructor(store: Store, companyId: string, token: number) {
    this.store = store
    this.companyId = companyId
    this.#token = token
    this.#dispatcher = this.#begin()
  }

  static async make(t: TestContext): Promise<Stage> {
    const store = await SqliteStore.open(join(temporaryDirectory(t), 'postroad.db'), { exclusive: true })
    const token = await store.join({ name: 'a', roles: ['api'], timeoutMs: 1_000, since: 1, machine: null })
    const stage = new Stage(store, (await acme(store)).id, token)
    t.after(async () => {
      await stage.#dispatcher.close()
      await stage.#outgoing.close()
      await store.close()
    })
    return stage
  }

  #begin(commits = true): Dispatcher {
    const { store } = this
    const teller = new Teller(store)
    const ports = {
      log: store,
      tell: (events: Parameters<Teller['tell']>[0]) => teller.tell(events),
      retries: store.webhookRetries,
      commit: async (progress: Parameters<Store['progressWebhook']>[0]) => {
        if (commits) return await store.progressWebhook(progress)
        throw new StoreUnavailable('It takes nothing now')
      },
      prune: async () => {},
      ask: this.#outgoing.ask,
      schedule: SOON,
      userAgent: 'Postroad/test',
      now: Date.now,
      onFault: (error: unknown) => assert.ok(error instanceof StoreUnavailable, String(error)),
      onTried: () => {},
    }
    return new Dispatcher(ports, () => this.#token)
  }

  /** Takes what there is, as a node does each second. */
  async hold(): Promise<void> {
    const held = await this.store.takeWebhooks(this.#token)
    this.#dispatcher.hold(
      held.map(({ secret, previousSecret, ...webhook }) => ({ ...webhook, secrets: [newWebhookSecret()] })),
    )
  }

  /** Another process takes its place. */
  async restart({ commits = true } = {}): Promise<void> {
    await this.#dispatcher.close()
    this.#dispatcher = this.#begin(commits)
    await this.hold()
  }

  async webhook(
    receiver: Receiver,
    dialect: WebhookDialect = 'json',
    types: Webhook['types'] = [],
  ): Promise<string> {
    const id = randomUUIDv7()
    await this.store.addWebhook({
      ...{
        id,
        companyId: this.companyId,
        domainId: null,
        dialect,
        url: receiver.url,
        types,
        status: 'enabled',
      },
      ...{ secret: Uint8Array.of(), previousSecret: null, rotatedAt: null, createdAt: 1, failingSince: null },
      ...{ disabledAt: null, disabledReason: null, cursor: await this.store.lastEventNumber() },
    })
    return id
  }

  async deliver(count = 1): Promise<string[]> {
    const mails = Array.from({ length: count }, () => email({ id: this.companyId }, ['a@x.test']))
    await Promise.all(
      mails.map(async (mail) => {
        await this.store.accept(mail, { token: 1 })
        await this.store.record(attempt(mail, 1, [result(0)]))
      }),
    )
    return mails.map(({ id }) => id)
  }

  /** As soon as this is so of the webhook. */
  async until(id: string, isSo: (webhook: Webhook) => boolean | Promise<boolean>): Promise<Webhook> {
    for (;;) {
      const [webhook] = await this.store.webhooks({ id })
      if (await isSo(webhook!)) return webhook!
    }
  }
}

async function receiving(t: TestContext): Promise<Receiver> {
  const receiver = await Receiver.start()
  t.after(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const idOf = ({ headers }: Received) => headers['webhook-id'] as string
const told = ({ body }: Received) => JSON.parse(body) as { type: string; data: { email_id: string } }

test('every event is told once, those of an email in their order, and the cursor follows', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver)
  await stage.hold()
  const emails = await stage.deliver(600)
  const received = await receiver.until(({ length }) => length >= 1_200)
  assert.equal(new Set(received.map(idOf)).size, 1_200)
  const byEmail = Map.groupBy(received.map(told), ({ data }) => data.email_id)
  assert.deepEqual([...byEmail.keys()].sort(), emails.sort())
  for (const events of byEmail.values()) {
    assert.deepEqual(
      events.map(({ type }) => type),
      ['email.sent', 'email.delivered'],
    )
  }
  const end = await stage.store.lastEventNumber()
  await stage.until(id, async ({ cursor }) => cursor === end)
  assert.equal(received.length, 1_200)
})

test('what is not taken is told again under its id, and given up after the last try', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  receiver.answer = ({ body }) =>
    body.includes('email.sent') ? { status: 500, body: 'x'.repeat(3_000) } : 204
  const id = await stage.webhook(receiver)
  await stage.hold()
  await stage.deliver()
  const tries = (received: Received[]) => received.filter((each) => told(each).type === 'email.sent')
  for (const count of [2, 3]) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setInterval(() => void stage.hold(), 20)
    void receiver.until((received) => tries(received).length >= count).then(() => resolve())
    await promise
    clearInterval(timer)
  }
  assert.equal(new Set(tries(receiver.received).map(idOf)).size, 1)
  await stage.until(
    id,
    async () => (await stage.store.webhookAttempts({ webhookId: id, limit: 9 })).length === 4,
  )
  const failed = await stage.store.webhookAttempts({ webhookId: id, succeeded: false, limit: 9 })
  assert.deepEqual(
    failed.map(({ attempt, status, nextAt }) => [attempt, status, nextAt !== null]),
    [
      [3, 500, false],
      [2, 500, true],
      [1, 500, true],
    ],
  )
  assert.equal(failed[0]!.response, 'x'.repeat(1_024))
  assert.deepEqual(await stage.store.webhookRetries(id, Number.MAX_SAFE_INTEGER, 9), [])
})

test('406 ends it in the form dialect, and a redirect is a failure that nobody follows', async (t) => {
  const stage = await Stage.make(t)
  const [refusing, elsewhere] = [await receiving(t), await receiving(t)]
  refusing.answer = () => 406
  elsewhere.answer = ({ path }) => (path === '/hook' ? { status: 302, headers: { location: '/other' } } : 200)
  const rejected = await stage.webhook(refusing, 'form', ['delivered'])
  const redirected = await stage.webhook(elsewhere, 'form', ['delivered'])
  await stage.hold()
  await stage.deliver()
  for (const [id, status, again] of [
    [rejected, 406, false],
    [redirected, 302, true],
  ] as const) {
    await stage.until(
      id,
      async () => (await stage.store.webhookAttempts({ webhookId: id, limit: 1 })).length > 0,
    )
    const all = await stage.store.webhookAttempts({ webhookId: id, limit: 9 })
    assert.deepEqual([all.at(-1)!.status, all.at(-1)!.nextAt !== null], [status, again])
  }
  assert.ok(elsewhere.received.every(({ path }) => path === '/hook'))
})

test('who hangs keeps nobody else waiting', async (t) => {
  const stage = await Stage.make(t)
  const [hanging, healthy] = [await receiving(t), await receiving(t)]
  hanging.answer = () => null
  for (let count = 0; count < 30; count++) await stage.webhook(hanging)
  await stage.webhook(healthy)
  await stage.hold()
  await stage.deliver(200)
  await healthy.until(({ length }) => length >= 400)
  assert.ok(hanging.received.length <= 256)
})

test('who dies before he has written down what he told leaves it to the next, under the same ids', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  await stage.webhook(receiver)
  await stage.restart({ commits: false })
  await stage.deliver(5)
  await receiver.until(({ length }) => length >= 10)
  await stage.restart()
  const received = await receiver.until(({ length }) => length >= 20)
  const first = received.slice(0, 10).map(idOf).sort()
  assert.deepEqual(received.slice(10).map(idOf).sort(), first)
  assert.equal(new Set(first).size, 10)
})

test('all since a time, and a single event, are told again', async (t) => {
  const stage = await Stage.make(t)
  const receiver = await receiving(t)
  const id = await stage.webhook(receiver, 'json', ['delivered'])
  await stage.hold()
  await stage.deliver(3)
  await receiver.until(({ length }) => length >= 3)
  const cursor = await stage.store.lastEventBefore(0)
  await stage.store.updateWebhook(id, { cursor })
  await stage.hold()
  const again = await receiver.until(({ length }) => length >= 6)
  assert.equal(new Set(again.map(idOf)).size, 3)
  await stage.until(
    id,
    async () => (await stage.store.webhookAttempts({ webhookId: id, limit: 9 })).length > 0,
  )
  const [one] = await stage.store.webhookAttempts({ webhookId: id, limit: 1 })
  await stage.store.retellWebhook(id, one!.number, Date.now())
  await stage.hold()
  const last = (await receiver.until(({ length }) => length >= 7)).at(-1)!
  assert.equal(new Set([...again, last].map(idOf)).size, 3)
})
