/**
 * 19: a webhook that its receiver verifies.
 *
 * An application checks its events with a published verifier, whichever its language has: each accepts the first attempt. The application
 * refuses that one, and its secret is rotated while the event waits to be sent again. The next attempt has the same id and body, and each
 * verifier accepts it with the old secret and with the new one. The same holds for later events; no verifier accepts an altered one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { startRelayed } from '../../support/relayed-service.ts'
import { type Received, Receiver } from '../../webhooks/receiver.ts'

type Verifier = (secret: string, body: string, headers: Record<string, string>) => unknown

const VERIFIERS: Record<string, Verifier> = {
  standardwebhooks: (secret, body, headers) => new StandardWebhook(secret).verify(body, headers),
  svix: (secret, body, headers) => new SvixWebhook(secret).verify(body, headers),
  resend: (webhookSecret, payload, headers) => {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
      (name) => headers[`svix-${name}`]!,
    )
    const given = { id: id!, timestamp: timestamp!, signature: signature! }
    return new Resend('re_x').webhooks.verify({ payload, headers: given, webhookSecret })
  },
}

function assertVerified({ body, headers }: Received, secrets: string[]): void {
  const flat = headers as Record<string, string>
  for (const [name, verify] of Object.entries(VERIFIERS)) {
    for (const secret of secrets) assert.deepEqual(verify(secret, body, flat), JSON.parse(body), name)
    assert.throws(() => verify(secrets[0]!, body.replace('member@', 'nobody@'), flat))
    assert.throws(() => verify(`whsec_${btoa('somebody else, 24 octets')}`, body, flat))
  }
}

test('published verifiers take a webhook after a retry and after a rotation', async () => {
  await using receiver = await Receiver.start()
  await using stage = await startRelayed({ POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true' })
  const { installation, tenant, api } = stage
  const { id, secret } = await installation.command<{ id: string; secret: string }>(
    ...['webhook', 'add', '--company', tenant.companyId, '--url', receiver.url, '--event', 'email.delivered'],
  )
  receiver.answer = () => (receiver.received.length === 1 ? 500 : 204)
  const mail = { from: 'news@acme.test', to: 'member@in.test', subject: 'Hello', text: 'Hi' }
  await api.accepted(mail)
  const [first] = await receiver.until(({ length }) => length === 1)
  assertVerified(first!, [secret])

  const rotated = await installation.command<{ secret: string }>('webhook', 'rotate', id)
  const second = (await receiver.until(({ length }) => length === 2))[1]!
  assertVerified(second, [rotated.secret, secret])
  assert.equal(second.headers['webhook-id'], first!.headers['webhook-id'])
  assert.equal(second.body, first!.body)

  await api.accepted(mail)
  const third = (await receiver.until(({ length }) => length === 3))[2]!
  assertVerified(third, [rotated.secret, secret])
  assert.notEqual(third.headers['webhook-id'], first!.headers['webhook-id'])
})
