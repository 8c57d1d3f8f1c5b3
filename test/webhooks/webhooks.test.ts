import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { Resend } from 'resend'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { OPERATOR } from '../../src/operate/authority.ts'
import { operationOn } from '../../src/operate/open.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { listWebhookAttempts } from '../../src/operate/webhook-events.ts'
import * as samples from '../../src/operate/webhook-sample.ts'
import * as webhookSecrets from '../../src/operate/webhook-secrets.ts'
import * as webhooks from '../../src/operate/webhooks.ts'
import type { WebhookAttempt } from '../../src/store/store.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { type Received, Receiver } from './receiver.ts'

interface MailgunVerifier {
  validateWebhook(timestamp: string, token: string, signature: string): boolean
}
const mailgun = createRequire(import.meta.url)('mailgun-js') as (options: object) => MailgunVerifier

let service: Service
let client: ApiClient
let company: string

before(async () => {
  service = await startService({ allowPrivateNetworks: true, metrics: 'same' })
  const tenant = await service.tenant('hooks.test')
  company = tenant.company.id
  client = new ApiClient(service.url, tenant.key.token)
})
after(() => service.close())

async function operation(): Promise<Operation> {
  const { store, settings } = service
  return operationOn(settings, store, OPERATOR, await store.accounts())
}

/** A receiver with its webhook; both are gone after the test. */
async function told(
  t: { after(end: () => Promise<unknown>): void },
  more: Partial<webhooks.NewWebhookInput> = {},
) {
  const receiver = await Receiver.start()
  const op = await operation()
  const { webhook, secret } = await webhooks.addWebhook(op, { company, url: receiver.url, ...more })
  t.after(async () => {
    await webhooks.removeWebhook(op, { id: webhook.id })
    await receiver[Symbol.asyncDispose]()
  })
  return { receiver, op, secret, id: webhook.id }
}

/** As soon as so many tries are noted of it: these, newest first. */
async function attempts(op: Operation, id: string, count: number): Promise<WebhookAttempt[]> {
  return await until(async () => {
    const found = await listWebhookAttempts(op, { id, limit: 100 })
    return found.length >= count && found
  }, `${count} tries of the webhook`)
}

async function send(to = 'jane@example.com', more: object = {}): Promise<string> {
  const mail = { from: 'Acme <news@hooks.test>', to, subject: 'Hello', text: 'Hi', ...more }
  return await client.accepted(mail)
}

const typesOf = (received: Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type)

test('events are sent in order with Standard Webhooks signatures that published verifiers accept', async (t) => {
  const { receiver, secret } = await told(t)
  const id = await send('jane@example.com', { tags: [{ name: 'category', value: 'welcome' }] })
  const received = await receiver.until(({ length }) => length >= 2)
  assert.deepEqual(typesOf(received), ['email.sent', 'email.delivered'])
  for (const { headers, body } of received) {
    const flat = headers as Record<string, string>
    const event = new StandardWebhook(secret).verify(body, flat) as { data: Record<string, unknown> }
    assert.deepEqual(new SvixWebhook(secret).verify(body, flat), event)
    const { 'svix-id': svixId, 'svix-timestamp': timestamp, 'svix-signature': signature } = flat
    const verified = new Resend('re_x').webhooks.verify({
      payload: body,
      headers: { id: svixId!, timestamp: timestamp!, signature: signature! },
      webhookSecret: secret,
    })
    assert.deepEqual(verified, event)
    assert.equal(event.data.email_id, id)
    assert.deepEqual(event.data.tags, { category: 'welcome' })
    assert.equal(event.data.from, 'Acme <news@hooks.test>')
    assert.deepEqual(event.data.to, ['jane@example.com'])
    assert.throws(() => new StandardWebhook(secret).verify(`${body} `, flat))
  }
  const ids = new Set(received.map(({ headers }) => headers['webhook-id']))
  assert.equal(ids.size, 2)
})

/** As the clients in PHP and Ruby do it: the three fields, the key in base64, five minutes of tolerance. */
function isSigned(
  {
    secret,
    id,
    timestamp,
    signature,
    body,
  }: Record<'secret' | 'id' | 'timestamp' | 'signature' | 'body', string>,
  now: number,
): boolean {
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return signature.split(' ').some((each) => each === `v1,${expected}`)
}

test('events are signed in the way that clients without a verifier check', async (t) => {
  const known = {
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
    id: 'msg_test1',
    timestamp: '1700000000',
    signature: 'v1,iJNOeFmzJSD/kygbttEUovwEFR0h0ftGprGa5Mq0B7Y=',
    body: '{"type":"email.delivered","created_at":"2026-01-01T00:00:00.000Z","data":{"email_id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}}',
  }
  assert.ok(isSigned(known, 1_700_000_100_000), 'the rule itself')
  assert.ok(!isSigned({ ...known, body: `${known.body} ` }, 1_700_000_100_000))
  const { receiver, secret } = await told(t, { events: ['email.delivered'] })
  await send()
  const [{ headers, body }] = (await receiver.until(({ length }) => length >= 1)) as [Received]
  for (const prefix of ['svix', 'webhook']) {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`${prefix}-${name}`]),
    )
    const shown = { secret, id: id!, timestamp: timestamp!, signature: signature!, body }
    assert.ok(isSigned(shown, Date.now()), prefix)
  }
})

test('events of the form dialect are signed with the key of the company, and its client verifies them', async (t) => {
  const { receiver, secret, op } = await told(t, { dialect: 'form', events: ['delivered'] })
  assert.equal((await webhookSecrets.showSigningKey(op, { company })).key, secret)
  await send('joe@example.com')
  const [first] = await receiver.until(({ length }) => length >= 1)
  const { signature, 'event-data': data } = JSON.parse(first!.body)
  const verifier = mailgun({ apiKey: secret, domain: 'hooks.test' })
  assert.ok(verifier.validateWebhook(signature.timestamp, signature.token, signature.signature))
  assert.equal(typeof signature.timestamp, 'string')
  assert.equal(signature.token.length, 50)
  assert.equal(data.event, 'delivered')
  assert.equal(data.recipient, 'joe@example.com')
  assert.equal(data['delivery-status'].code, 250)
  assert.match(data.message.headers['message-id'], /^[^<>]+@[^<>]+$/)
})

test('after a rotation the previous secret signs too', async (t) => {
  const { receiver, secret, op, id } = await told(t, { events: ['email.delivered'] })
  const { secret: next } = await webhookSecrets.rotateWebhookSecret(op, { id })
  assert.notEqual(next, secret)
  const verified = ({ headers, body }: Received, by: string) => {
    try {
      return new StandardWebhook(by).verify(body, headers as Record<string, string>) !== null
    } catch {
      return false
    }
  }
  // Who has the webhook hears of it within a second or so.
  for (let last: Received | undefined; last === undefined || !verified(last, next); ) {
    if (last !== undefined) assert.ok(verified(last, secret))
    const { length: before } = receiver.received
    await send()
    last = (await receiver.until(({ length }) => length > before)).at(-1)!
  }
  const last = receiver.received.at(-1)!
  assert.ok(verified(last, secret) && verified(last, next))
  assert.equal((last.headers['webhook-signature'] as string).split(' ').length, 2)
})

test('a webhook of one domain gets the events of that domain alone', async (t) => {
  const { id: domainId } = await service.domain(company, 'other.test')
  const { receiver } = await told(t, { domain: domainId, events: ['email.delivered'] })
  const everything = await told(t, { events: ['email.delivered'] })
  await send('first@example.com')
  const id = await send('second@example.com', { from: 'news@other.test' })
  await everything.receiver.until(({ length }) => length >= 2)
  const received = await receiver.until(({ length }) => length >= 1)
  assert.deepEqual(
    received.map(({ body }) => (JSON.parse(body) as { data: { email_id: string } }).data.email_id),
    [id],
  )
})

test('a redirect is not followed, and only the beginning of a long answer is kept', async (t) => {
  const { receiver, op, id } = await told(t, { events: ['email.delivered'] })
  receiver.answer = () => ({ status: 307, body: 'y'.repeat(5_000), headers: { location: receiver.url } })
  await send()
  const [attempt] = await attempts(op, id, 1)
  assert.deepEqual([attempt!.status, attempt!.succeeded], [307, false])
  assert.equal(attempt!.response, 'y'.repeat(1_024))
  assert.equal(receiver.received.length, 1)
})

test('metrics show the state of the webhooks', async (t) => {
  const good = await told(t, { events: ['email.delivered'] })
  const bad = await told(t, { events: ['email.delivered'] })
  bad.receiver.answer = () => 500
  await send()
  await attempts(good.op, good.id, 1)
  await attempts(bad.op, bad.id, 1)
  const value = async (name: string) => {
    const page = await (await fetch(`${service.url}/metrics`)).text()
    const line = page.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length + 1))
  }
  await until(
    async () =>
      (await value('postroad_webhooks{state="failing"}')) === 1 &&
      (await value('postroad_webhooks{state="current"}')) >= 1 &&
      (await value('postroad_webhooks{state="behind"}')) === 0,
    'one that is failing, the others as far as the log',
  )
  assert.equal(await value('postroad_webhook_events_behind{state="current"}'), 0)
  assert.ok((await value('postroad_webhook_attempts_total{outcome="succeeded"}')) >= 1)
  assert.ok((await value('postroad_webhook_attempts_total{outcome="failed"}')) >= 1)
})

test('a webhook at a private address is refused when it is added, and not connected to later', async () => {
  // Others reach it: without a public URL, webhooks in capture mode may call this machine.
  await using guarded = await startService({ publicUrl: 'https://post.example' })
  const tenant = await guarded.tenant('guarded.test')
  await using receiver = await Receiver.start()
  const op = operationOn(guarded.settings, guarded.store, OPERATOR, await guarded.store.accounts())
  const added = { company: tenant.company.id, events: ['email.delivered'] }
  await assert.rejects(webhooks.addWebhook(op, { ...added, url: receiver.url }), /not a public address/)
  const { webhook } = await webhooks.addWebhook(op, { ...added, url: 'https://hook.example/' })
  // Like a name that leads to a private address only at a later look-up, unseen when the webhook is added.
  await guarded.store.updateWebhook(webhook.id, { url: receiver.url })
  const mail = { from: 'a@guarded.test', to: 'b@example.com', subject: 'Hello', text: 'Hi' }
  await new ApiClient(guarded.url, tenant.key.token).accepted(mail)
  const [attempt] = await attempts(op, webhook.id, 1)
  assert.match(attempt!.error!, /127\.0\.0\.1 is not a public address \(loopback\)/)
  assert.equal(receiver.received.length, 0)
  const tested = await samples.testWebhook(op, { id: webhook.id, event: 'email.bounced' })
  assert.match(tested.error!, /not a public address/)
})
