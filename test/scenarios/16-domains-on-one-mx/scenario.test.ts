/**
 * 16: a hundred domains on one mail server (direct delivery).
 *
 * A provider takes mail for many domains, and lets us have three sessions. However many of its domains have mail, it never sees more.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { startSink } from '../../support/sink.ts'

const DOMAINS = 100
const SESSIONS = 3

test('domains that share their mail servers share the limit of sessions', async (t) => {
  const free = Promise.withResolvers<void>()
  let most = 0
  await using provider = await startSink({
    script: async ({ step }) => {
      most = Math.max(most, provider.open)
      if (step === 'mail') await free.promise
      return undefined
    },
  })
  const domains = Array.from({ length: DOMAINS }, (_, n) => `customer${n}.test`)
  const dns = await startDns({
    'mx.provider.test/A': ['127.0.0.1'],
    ...Object.fromEntries(domains.map((domain) => [`${domain}/MX`, ['10 mx.provider.test']])),
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(provider.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_SITE_CONCURRENCY: String(SESSIONS),
    // Each has idle sessions of its own besides.
    POSTROAD_DELIVERY_THREADS: '1',
  })
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const [first, ...others] = domains.map((to) => ({
    from: `a@${domain}`,
    to: [`one@${to}`, `two@${to}`],
    subject: 'Hello',
    text: 'Hello',
  }))
  await api.accepted(first!)
  await Promise.all(others.map((email) => api.accepted(email)))
  await provider.when(() => provider.open === SESSIONS, 'as many sessions as there may be')
  free.resolve()
  await provider.when(() => provider.messages.length === DOMAINS, 'all of the mail')
  assert.equal(most, SESSIONS)
  for (const { recipients } of provider.messages) {
    const [one, two] = recipients.map((address) => address.split('@')[1])
    assert.equal(recipients.length, 2)
    assert.equal(one, two, 'domains never share a transaction, though they share a session')
  }
})
