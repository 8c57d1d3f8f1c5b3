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
import * as webhooks from '../../src/operate/webhooks.ts'
import { ApiClient } from '../support/api-client.ts'
import { type Service, startService } from '../support/service.ts'
import { type Received, Receiver } from './receiver.ts'

interface MailgunVerifier {
  validateWebhook(timestamp: string, token: string, signature: string): boolean
}
const mailgun = createRequire(import.meta.url)('mailgun-js') as (options: object) => MailgunVerifier

let service: Service
let client: ApiClient
let company: string

before(async () => {
  service = await startService({ allowPrivateNetworks: true })
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

async function send(to = 'jane@example.com', more: object = {}): Promise<string> {
  const mail = { from: 'Acme <news@hooks.test>', to, subject: 'Hello', text: 'Hi', ...more }
  return await client.accepted(mail)
}

const typesOf = (received: Received[]) =>
  received.map(({ body }) => (JSON.parse(body) as { type: string }).type)

test('events are told in order and signed the Standard Webhooks way, as published verifiers find', async (t) => {
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

test('events are signed as clients without a verifier of their own look at them', async (t) => {
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

test('events of the form dialect are signed with the key of the company, as its client finds', async (t) => {
  const { receiver, secret, op } = await told(t, { dialect: 'form', events: ['delivered'] })
  assert.equal((await webhooks.showSigningKey(op, { company })).key, secret)
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
