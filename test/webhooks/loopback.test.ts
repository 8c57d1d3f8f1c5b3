/** Webhooks to the developer's own machine: in capture mode, while nobody reaches the service from another machine. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../src/config/settings.ts'
import { addressGuard } from '../../src/network/private-address.ts'
import { webhooksReachLoopback } from '../../src/operate/webhook-url.ts'
import { assertJsonError, call } from '../http/requests.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Receiver } from './receiver.ts'

const PUBLIC = 'https://post.example'

async function developer(t: TestContext, overrides: Partial<Settings> = {}) {
  const service = await startService(overrides)
  t.after(() => service.close())
  const { company } = await service.tenant('hooks.test')
  const { token } = await service.key(company.id, { name: 'developer', scopes: ['sending', 'management'] })
  const post = (path: string, body: object) =>
    call(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const add = (endpoint: string) => post('/webhooks', { endpoint, events: ['email.sent'] })
  return { service, post, add }
}

test('events of captured mail arrive at a program on this machine', async (t) => {
  await using receiver = await Receiver.start()
  const { service, post, add } = await developer(t)
  assert.ok(webhooksReachLoopback(service.settings))
  const { port } = new URL(receiver.url)
  for (const host of ['127.0.0.1', 'localhost']) {
    assert.equal((await add(`http://${host}:${port}/${host}`)).status, 201)
  }
  const email = { from: 'a@hooks.test', to: 'b@example.test', subject: 'Hello', text: 'Hello' }
  assert.equal((await post('/emails', email)).status, 200)
  await until(() => receiver.received.length === 2, 'both events')
  assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), ['/127.0.0.1', '/localhost'])
  for (const url of [
    'http://10.1.2.3/',
    'http://169.254.169.254/',
    'http://192.168.0.1/',
    'http://[fe80::1]/',
  ]) {
    assertJsonError(await add(url), 422, 'validation_error', /is not a public address/)
  }
})

test('a service that others reach refuses such a webhook, and says what would allow it', async (t) => {
  const { add } = await developer(t, { publicUrl: PUBLIC })
  const refused = await add('http://127.0.0.1:8080/hook')
  assertJsonError(
    refused,
    422,
    'validation_error',
    /POSTROAD_ALLOW_PRIVATE_NETWORKS=true allows it after a restart/,
  )
})

test('each setting by which others may reach the service forbids it', async (t) => {
  const { service } = await developer(t)
  const { settings } = service
  const open = { host: '0.0.0.0', port: 1 }
  const [listener] = settings.submission
  const smtp = {
    ...open,
    implicitTls: false,
    clearLogin: false,
    proxied: false,
    withoutLogin: true,
    optional: true,
  }
  const others: Partial<Settings>[] = [
    { delivery: { kind: 'direct' } },
    { publicUrl: PUBLIC },
    { trustedProxies: ['127.0.0.1'] },
    { listen: open },
    { listen: { host: '::', port: 1 } },
    { listen: { host: 'mail.example.com', port: 1 } },
    { console: open },
    { metrics: open },
    { submission: [...(listener ? [listener] : []), smtp] },
    { bounceListeners: [smtp] },
    { database: { engine: 'postgres', url: 'postgres://db.example/postroad' } },
  ]
  for (const change of others) {
    assert.equal(webhooksReachLoopback({ ...settings, ...change }), false, JSON.stringify(change))
  }
})

test('the guard of such connections allows loopback addresses and no other private ones', () => {
  const guard = addressGuard({ allowPrivateNetworks: false, allowLoopback: true })
  for (const ip of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) assert.equal(guard(ip), null, ip)
  for (const ip of [
    '10.0.0.1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '::1%lo',
    '::127.0.0.1',
  ])
    assert.notEqual(guard(ip), null, ip)
})
