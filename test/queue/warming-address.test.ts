/** Warm-up in the whole service: mail beyond the number of the day waits for the next one, untried. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../harness/dns.ts'
import { DEFAULT_POOL } from '../../src/accounts/account.ts'
import { DAY_MS } from '../../src/common/utc-day.ts'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'
import { startSink } from '../support/sink.ts'
import { until } from '../support/until.ts'

test('an address in warm-up sends the number of the day, and the other mail waits for the next day', async (t) => {
  const sink = await startSink()
  const dns = await startDns({ 'mx.x.test/A': ['127.0.0.1'], 'x.test/MX': ['10 mx.x.test'] })
  const service = await startService({
    delivery: { kind: 'direct' },
    dnsServers: [dns.address],
    smtpPort: sink.port,
    allowPrivateNetworks: true,
    sourceAddresses: [{ address: '127.0.0.1', helo: 'out.acme.test' }],
    warmUp: [7, 50],
  })
  t.after(async () => {
    await service.close()
    await dns.close()
    await sink.close()
  })
  const warming = { '127.0.0.1': Date.now() }
  await service.store.setSourcePool({ name: DEFAULT_POOL, addresses: ['127.0.0.1'], warming, createdAt: 0 })
  const { key } = await service.tenant('acme.test')
  const api = new ApiClient(service.url, key.token)
  const ids: string[] = []
  for (let n = 0; n < 10; n++) {
    ids.push(await api.accepted({ from: 'a@acme.test', to: `n${n}@x.test`, subject: 'Hello', text: 'Hello' }))
  }
  await sink.until(7)
  const recipients = async () => {
    const all = await Promise.all(ids.map((id) => service.store.readHistory(id)))
    return all.map((history) => history!.recipients[0]!)
  }
  const isWarming = /127\.0\.0\.1 is warming up and may send 7 messages to mx\.x\.test today/
  await until(async () => {
    const waiting = (await recipients()).filter(({ lastMessage }) => isWarming.test(lastMessage ?? ''))
    return waiting.length === 3
  }, 'three that wait')
  const waiting = (await recipients()).filter(({ state }) => state === 'waiting')
  assert.equal(waiting.length, 3)
  const tomorrow = (Math.floor(warming['127.0.0.1'] / DAY_MS) + 1) * DAY_MS
  for (const { dueAt, attempts } of waiting) {
    assert.ok(dueAt! > tomorrow && dueAt! <= tomorrow + 10 * 60_000)
    assert.equal(attempts, 0)
  }
  assert.equal(sink.messages.length, 7)
})
