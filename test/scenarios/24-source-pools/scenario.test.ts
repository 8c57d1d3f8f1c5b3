/**
 * 24: several source addresses (direct delivery).
 *
 * An operator has three addresses: two for newsletters, one for all other mail. Each mail leaves from an address of its pool, also
 * when a client names one. When a provider blocks one address of the newsletters, the other one takes them over.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { startSink } from '../../support/sink.ts'
import { until } from '../../support/until.ts'

const [FIRST, SECOND, OTHER] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
const NAMES: Record<string, string> = {
  [FIRST]: 'news1.sender.test',
  [SECOND]: 'news2.sender.test',
  [OTHER]: 'mail.sender.test',
}

interface Shown {
  attempts: { source: string | null; server: string }[]
}

test('mail leaves from the addresses of its pool, and from the others when one is blocked', async (t) => {
  const blocked = new Set<string>()
  await using provider = await startSink({
    script: ({ step, peer }) => {
      if (!blocked.has(peer)) return undefined
      if (step === 'mail') return { reply: '421 4.3.2 closing open sessions', close: true }
      if (step !== 'connect') return undefined
      return { reply: `554 5.7.1 ${peer} blocked using zen.example.test`, close: true }
    },
  })
  const dns = await startDns({ 'mx.x.test/A': ['127.0.0.1'], 'x.test/MX': ['10 mx.x.test'] })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(provider.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_SOURCE_ADDRESSES: Object.entries(NAMES)
      .map(([address, name]) => `${address}=${name}`)
      .join(', '),
  })
  const { token, companyId, domain } = await installation.addTenant('acme.test')
  const news = await installation.command<{ id: string }>(
    ...['domain', 'add', 'news.test', '--company', companyId],
  )
  await installation.command('domain', 'activate', news.id)
  await installation.command('pool', 'create', 'news', FIRST, SECOND)
  await installation.command('domain', 'update', 'news.test', '--pool', 'news')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  let sent = 0
  const send = async (from: string) => {
    const to = `n${++sent}@x.test`
    const id = await api.accepted({ from: `a@${from}`, to, subject: 'Hello', text: 'Hello' })
    return { id, to }
  }
  const arrived = async (from: string) => {
    const { id, to } = await send(from)
    const { peer, helo } = await provider.messageFor(to)
    assert.equal(helo, NAMES[peer], 'each address says its own name')
    await api.lastEvent(id, 'delivered')
    const { attempts } = await installation.command<Shown>('email', 'show', id)
    assert.equal(attempts.at(-1)!.source, peer)
    return peer
  }

  const used = new Set<string>()
  while (used.size < 2) used.add(await arrived('news.test'))
  assert.deepEqual([...used].sort(), [FIRST, SECOND], 'the mail of a pool spreads over its addresses')
  for (let n = 0; n < 3; n++) assert.equal(await arrived(domain), OTHER)
  const [UNKNOWN, pool] = ['127.0.0.9', 'spare']
  const created = await installation.command<{ not_in_service: string[] }>(
    'pool',
    'create',
    pool,
    UNKNOWN,
    FIRST,
  )
  assert.deepEqual(created.not_in_service, [UNKNOWN])
  await installation.command('pool', 'remove', pool)

  const chosen = async (field: string, value: string) => {
    const to = `chosen${++sent}@x.test`
    const form = { from: 'a@news.test', to, subject: 'Hello', text: 'Hello', [field]: value }
    const answer = await fetch(`${service.url}/v3/news.test/messages`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`api:${token}`)}` },
      body: new URLSearchParams(form),
    })
    if (answer.status !== 200) return answer.status
    return (await provider.messageFor(to)).peer
  }
  assert.equal(await chosen('o:sending-ip', SECOND), SECOND)
  assert.ok(used.has(String(await chosen('o:sending-ip-pool', 'news'))))
  assert.equal(await chosen('o:sending-ip', OTHER), 400, 'an address of other mail')
  assert.equal(await chosen('o:sending-ip-pool', 'others'), 400)

  blocked.add(FIRST)
  for (let n = 0; n < 6; n++) assert.equal(await arrived('news.test'), SECOND)
  await until(async () => {
    const { sources } = await installation.command<{
      sources: { name: string; closed: { reason: string } | null }[]
    }>('site', 'show', 'x.test')
    const reasons = new Map(sources.map(({ name, closed }) => [name, closed?.reason]))
    return reasons.get(FIRST)?.includes('zen.example.test') === true && reasons.get(SECOND) === undefined
  }, 'the state of each source')
})
