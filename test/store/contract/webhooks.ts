import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import { webhookSwitched } from '../../../src/email/company-event.ts'
import type { Store, Webhook, WebhookAttempt, WebhookProgress } from '../../../src/store/store.ts'
import { acme, email, attempt as ended, NOW, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function webhook(companyId: string, more: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: randomUUIDv7(), companyId, domainId: null, dialect: 'json', url: 'https://a.test/hook' },
    ...{ types: [], status: 'enabled', secret: Uint8Array.of(1, 2), previousSecret: null, rotatedAt: null },
    ...{ createdAt: 5, failingSince: null, disabledAt: null, disabledReason: null, cursor: 7 },
    ...more,
  }
}

let attempts = 0

export function attempt(webhookId: string, number: number, succeeded: boolean, at = 1): WebhookAttempt {
  return {
    ...{
      id: `019a9b2c-0000-7000-8000-${String(++attempts).padStart(12, '0')}`,
      webhookId,
      number,
      type: 'delivered',
      emailId: randomUUIDv7(),
      at,
      duration: 3,
    },
    ...{
      status: succeeded ? 200 : null,
      error: succeeded ? null : 'no answer',
      response: 'nul \0 in it',
      succeeded,
    },
    ...{ attempt: 1, nextAt: null },
  }
}

async function join(store: Store, name = 'a'): Promise<number> {
  return await store.join({ name, roles: ['api'], timeoutMs: 1_000, since: 1, machine: null })
}

export function progress(
  of: { id: string },
  token: number,
  generation: number,
  more: Partial<WebhookProgress> = {},
) {
  const none = { over: [], waiting: [], attempts: [], disabled: null, failingSince: null }
  return { id: of.id, token, generation, cursor: 9, ...none, ...more }
}

export function webhooksContract(open: OpenBench): void {
  test('an attempt names the recipient that its event, or its part of an event, is about', async (t) => {
    const { store } = await open(t)
    const owner = await acme(store)
    const one = webhook(owner.id)
    await store.addWebhook(one)
    const token = await join(store)
    await store.takeWebhooks(token)
    const mail = email(owner, ['a@x.test', 'b@x.test'], { createdAt: NOW })
    await store.accept(mail, { token })
    await store.record(ended(mail, token, [result(1)]))
    const delivered = await store.lastEventNumber()
    const { events } = await store.entriesAfter(0, { companyId: owner.id }, 10)
    const sent = events.find(({ type }) => type === 'sent')!.number
    const attempts = [
      attempt(one.id, sent, true),
      { ...attempt(one.id, sent, true), part: 0 },
      attempt(one.id, delivered, false),
    ]
    await store.progressWebhook(progress(one, token, 0, { attempts }))
    const recipients = async () => {
      const found = await store.webhookAttempts({ webhookId: one.id, limit: 10 })
      return found.map(({ recipient }) => recipient)
    }
    assert.deepEqual(await recipients(), ['b@x.test', 'a@x.test', null])
    assert.deepEqual(
      (await store.webhookAttempts({ webhookId: one.id, number: sent, part: 0, limit: 1 })).map(
        ({ recipient }) => recipient,
      ),
      ['a@x.test'],
    )
  })

  test('enabling and disabling a webhook is in the log, which otherwise has events of emails', async (t) => {
    const { store } = await open(t)
    const owner = await acme(store)
    const one = webhook(owner.id, { url: 'https://user:secret@a.test:8443/hook?key=secret' })
    await store.addWebhook(one)
    const token = await join(store)
    await store.takeWebhooks(token)
    const mail = email(owner, ['a@x.test'], { createdAt: NOW })
    await store.accept(mail, { token })
    const disabled = webhookSwitched('webhook.disabled', one, NOW, 'too long')
    assert.equal(await store.progressWebhook(progress(one, token, 7, { disabled })), false)
    assert.equal(await store.progressWebhook(progress(one, token, 0, { disabled })), true)
    await store.record(ended(mail, token, [result(0)]))
    const enabled = webhookSwitched('webhook.enabled', one, NOW + 1, 'by hand')
    assert.equal(await store.updateWebhook('nobody', { status: 'enabled' }, enabled), false)
    assert.equal(await store.updateWebhook(one.id, { status: 'enabled' }, enabled), true)

    const { events, cursor } = await store.entriesAfter(0, { companyId: owner.id }, 10)
    const [sent, off, delivered, on] = events
    const told = { companyId: owner.id, emailId: null, recipient: null, address: null }
    const detail = { webhookId: one.id, host: 'a.test:8443' }
    assert.deepEqual(
      [off, on],
      [
        {
          ...{ number: off!.number, type: 'webhook.disabled', at: NOW },
          ...told,
          detail: { ...detail, message: 'too long' },
        },
        {
          ...{ number: on!.number, type: 'webhook.enabled', at: NOW + 1 },
          ...told,
          detail: { ...detail, message: 'by hand' },
        },
      ],
    )
    assert.deepEqual([sent!.type, delivered!.type], ['sent', 'delivered'])
    assert.equal(cursor, on!.number)
    assert.deepEqual((await store.entriesAfter(0, { types: ['webhook.enabled'] }, 10)).events, [on])
    assert.deepEqual((await store.entriesAfter(off!.number, {}, 1)).events, [delivered])
    // Only events of emails, for the readers that send, count or search them.
    const ofEmails = await store.eventsAfter(0, {}, 10)
    assert.deepEqual([ofEmails.events, ofEmails.cursor], [[sent, delivered], cursor])
    assert.deepEqual((await store.eventsUpTo(cursor, {}, 10)).events, [delivered, sent])
    const digested: number[] = []
    for (let from = 0; from < cursor; ) {
      const step = await store.digestAfter(from, 1)
      assert.ok(step.cursor > from)
      digested.push(...step.digest.counts.map(({ n }) => n))
      from = step.cursor
    }
    assert.ok(digested.length > 0)

    const before = { contentBefore: NOW, emailsBefore: NOW + 1, limit: 10 }
    while ((await store.retain(before)) > 0);
    assert.deepEqual((await store.entriesAfter(0, {}, 10)).events, [on])
  })

  test('webhooks are kept as given, listed by company, changed and removed', async (t) => {
    const { store } = await open(t)
    const [owner, other] = [await acme(store), await acme(store, 'Other')]
    const first = webhook(owner.id)
    const second = webhook(owner.id, {
      ...{
        types: ['delivered', 'bounced'],
        dialect: 'form',
        status: 'disabled',
        previousSecret: Uint8Array.of(3),
      },
      ...{ rotatedAt: 4, failingSince: 5, disabledAt: 6, disabledReason: 'why' },
    })
    for (const each of [first, second, webhook(other.id)]) await store.addWebhook(each)
    assert.deepEqual(await store.webhooks({ companyId: owner.id }), [first, second])
    assert.deepEqual(await store.webhooks({ id: second.id }), [second])
    assert.equal((await store.webhooks({})).length, 3)
    const change = { url: 'https://b.test/', types: [], previousSecret: null, disabledReason: null }
    assert.equal(await store.updateWebhook(second.id, change), true)
    assert.deepEqual(await store.webhooks({ id: second.id }), [{ ...second, ...change }])
    assert.equal(await store.removeWebhook(second.id), true)
    assert.equal(await store.removeWebhook(second.id), false)
    assert.equal(await store.updateWebhook(second.id, change), false)
    assert.equal(await store.replayWebhook(second.id, [{ number: 1 }], 1), false)
    await assert.rejects(store.addWebhook(webhook(owner.id, { domainId: 'nobody' })), {
      name: 'StoreConflict',
    })
  })

  test('one node has a webhook at a time, and only its results count during that time', async (t) => {
    const { store } = await open(t)
    const owner = await acme(store)
    const one = webhook(owner.id)
    await store.addWebhook(one)
    const token = await join(store)
    const [held] = await store.takeWebhooks(token)
    assert.deepEqual(held, { ...one, generation: 0, retryAt: null, spare: false })
    const other = store.shared ? await join(store, 'b') : token + 1
    if (store.shared) assert.deepEqual(await store.takeWebhooks(other), [])
    assert.equal(await store.progressWebhook(progress(one, other, 0)), false)
    assert.equal(await store.progressWebhook(progress(one, token, 0, { cursor: 8, failingSince: 3 })), true)
    assert.deepEqual(await store.webhooks({}), [{ ...one, cursor: 8, failingSince: 3 }])
    // What others change of where it stands makes it another; the rest does not.
    await store.updateWebhook(one.id, { url: 'https://c.test/' })
    assert.equal(await store.progressWebhook(progress(one, token, 0)), true)
    await store.updateWebhook(one.id, { cursor: 2 })
    assert.equal(await store.progressWebhook(progress(one, token, 0)), false)
    assert.equal((await store.takeWebhooks(token))[0]?.generation, 1)
    // Once disabled, it is sent by no node.
    const disabled = webhookSwitched('webhook.disabled', one, 44, 'too long')
    assert.equal(await store.progressWebhook(progress(one, token, 1, { cursor: 3, disabled })), true)
    assert.deepEqual(await store.takeWebhooks(token), [])
    const [now] = await store.webhooks({})
    assert.deepEqual([now!.status, now!.disabledAt, now!.disabledReason], ['disabled', 44, 'too long'])
    const enabled = webhookSwitched('webhook.enabled', one, 45, 'by hand')
    await store.updateWebhook(one.id, { status: 'enabled' }, enabled)
    assert.equal((await store.takeWebhooks(token)).length, 1)
    await store.leaveWebhooks(token)
    await store.leave(token)
    const next = await join(store, 'c')
    assert.equal((await store.takeWebhooks(next)).length, 1)
  })

  test('webhooks beyond the share of a node go to the nodes that join', async (t) => {
    const { store } = await open(t)
    if (!store.shared) return
    const owner = await acme(store)
    const all = [webhook(owner.id), webhook(owner.id), webhook(owner.id)]
    for (const each of all) await store.addWebhook(each)
    const ids = (held: { id: string; spare: boolean }[], spare: boolean) =>
      held.filter((each) => each.spare === spare).map(({ id }) => id)
    const [first, second, third] = all.map(({ id }) => id)
    const a = await join(store)
    assert.deepEqual(ids(await store.takeWebhooks(a), false), [first, second, third])
    const b = await join(store, 'b')
    assert.deepEqual(await store.takeWebhooks(b), [])
    assert.deepEqual(ids(await store.takeWebhooks(a), true), [third])
    await store.leaveWebhooks(a, third)
    assert.deepEqual(ids(await store.takeWebhooks(a), false), [first, second])
    assert.deepEqual(ids(await store.takeWebhooks(b), false), [third])
    // The node is gone: the other one has its webhooks.
    await store.leave(a)
    assert.deepEqual(ids(await store.takeWebhooks(b), false), [first, second, third])
  })

  test('a repeated event waits for its time, and a limited number of attempts is kept', async (t) => {
    const { store } = await open(t)
    const owner = await acme(store)
    const one = webhook(owner.id)
    await store.addWebhook(one)
    const token = await join(store)
    await store.takeWebhooks(token)
    const sister = webhook(owner.id)
    await store.addWebhook(sister)
    await store.replayWebhook(sister.id, [{ number: 1 }], 20)
    const attempts = [
      attempt(one.id, 1, false),
      attempt(one.id, 2, true),
      attempt(one.id, 3, true),
      attempt(one.id, 1, false, 90),
    ]
    const waiting = [
      { number: 1, attempts: 1, dueAt: 100 },
      { number: 4, attempts: 2, dueAt: 50 },
    ]
    // Said again when no answer came to the commit, though it was one.
    for (let times = 0; times < 2; times++) {
      assert.equal(await store.progressWebhook(progress(one, token, 0, { waiting, attempts })), true)
    }
    assert.equal((await store.takeWebhooks(token))[0]?.retryAt, 50)
    assert.deepEqual(await store.webhookRetries(one.id, 99, 10), [waiting[1]])
    assert.deepEqual(await store.webhookRetries(one.id, 100, 10), [waiting[1], waiting[0]])
    await store.replayWebhook(one.id, [{ number: 1 }], 20)
    assert.deepEqual(await store.webhookRetries(one.id, 99, 1), [{ number: 1, attempts: 0, dueAt: 20 }])
    // Event 1 was requested again after the node had read it, so it is sent once more.
    await store.progressWebhook(progress(one, token, 0, { over: waiting }))
    assert.deepEqual(await store.webhookRetries(one.id, 1_000, 10), [{ number: 1, attempts: 0, dueAt: 20 }])
    await store.progressWebhook(progress(one, token, 0, { over: [{ number: 1, attempts: 0, dueAt: 20 }] }))
    assert.deepEqual(await store.webhookRetries(one.id, 1_000, 10), [])
    // Repeated events of another webhook stay.
    assert.deepEqual(await store.webhookRetries(sister.id, 1_000, 10), [
      { number: 1, attempts: 0, dueAt: 20 },
    ])

    const numbers = async (filter: object) => {
      const found = await store.webhookAttempts({ webhookId: one.id, limit: 10, ...filter })
      return found.map(({ number, succeeded }) => `${number} ${succeeded}`)
    }
    assert.deepEqual(await numbers({}), ['1 false', '3 true', '2 true', '1 false'])
    assert.deepEqual(await numbers({ succeeded: true, limit: 1 }), ['3 true'])
    assert.deepEqual(await numbers({ succeeded: false, before: attempts[3]!.id }), ['1 false'])
    assert.deepEqual(await numbers({ number: 1 }), ['1 false', '1 false'])
    const [newest] = await store.webhookAttempts({ webhookId: one.id, succeeded: true, limit: 1 })
    const response = store.shared ? 'nul \uFFFD in it' : 'nul \0 in it'
    assert.deepEqual(newest, { ...attempts[2], recipient: null, response })

    await store.replayWebhook(one.id, [{ number: 2 }], 30)
    const events = await store.webhookEvents({ webhookId: one.id, limit: 10 })
    assert.deepEqual(
      events.map(({ number, succeeded, retry }) => [number, succeeded, retry]),
      [
        [3, true, null],
        [2, true, { attempts: 0, dueAt: 30 }],
        [1, false, null],
      ],
    )
    // The log of this store has no such events: the time of the last attempt stands in.
    const { type, emailId } = attempts[3]!
    const first = { number: 1, type, emailId, at: 90, succeeded: false, retry: null }
    assert.deepEqual(await store.webhookEvents({ webhookId: one.id, before: 2, limit: 10 }), [first])
    assert.deepEqual(await store.webhookEvents({ webhookId: one.id, limit: 1 }), events.slice(0, 1))
    await store.pruneWebhookAttempts(one.id, { succeeded: 1, failed: 2, failedSince: 0 })
    assert.deepEqual(await numbers({}), ['1 false', '3 true', '1 false'])
    await store.pruneWebhookAttempts(one.id, { succeeded: 1, failed: 2, failedSince: 50 })
    assert.deepEqual(await numbers({}), ['1 false', '3 true'])
    await store.pruneWebhookAttempts(one.id, { succeeded: 1, failed: 0, failedSince: 0 })
    assert.deepEqual(await numbers({}), ['3 true'])
  })

  test('a signing key is made once, and replaced only on request', async (t) => {
    const { store } = await open(t)
    const owner = await acme(store)
    assert.equal(await store.signingKey(owner.id), null)
    const [a, b, c] = [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]
    assert.deepEqual(await store.setSigningKey(owner.id, a, false), a)
    assert.deepEqual(await store.setSigningKey(owner.id, b, false), a)
    assert.deepEqual(await store.setSigningKey(owner.id, c, true), c)
    assert.deepEqual(await store.signingKey(owner.id), c)
  })
}
