/**
 * 32: IPv4 and IPv6 (direct delivery).
 *
 * An operator sends the newsletters of one domain from an IPv4 and an IPv6 address, and all other mail from an IPv4 address. Other mail
 * takes the IPv4 address of a server that has both, or the next server; where a server has only IPv6 it waits, and spends no attempt. The
 * newsletters go over IPv6, and at once over IPv4 while IPv6 is silent. A name that leads to the service's own network by way of NAT64 (RFC
 * 6052) leads nowhere.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import type { ShownEmail } from '../../support/relayed-service.ts'
import { SilentPort } from '../../support/silent-port.ts'
import { startSink } from '../../support/sink.ts'

const [OTHER, NEWS_4, NEWS_6] = ['127.0.32.1', '127.0.32.2', '::1']

test('mail takes the family that leads to the server, and loses no attempt to the other one', async (t) => {
  await using server = await startSink()
  const dns = await startDns({
    'both.test/MX': ['10 mx.both.test'],
    'mx.both.test/AAAA': ['::1'],
    'mx.both.test/A': ['127.0.0.1'],
    'six.test/MX': ['10 mx.six.test'],
    'mx.six.test/AAAA': ['::1'],
    'second.test/MX': ['10 mx.six.test', '20 mx.second.test'],
    'mx.second.test/A': ['127.0.0.1'],
    'nat64.test/MX': ['10 mx.nat64.test'],
    // 127.0.0.1.
    'mx.nat64.test/AAAA': ['64:ff9b::7f00:1'],
  })
  t.after(() => dns.close())
  const settings = {
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(server.port),
    POSTROAD_RETRY_SCHEDULE: '1h,1h',
    POSTROAD_SOURCE_ADDRESSES: [
      `${OTHER}=mail.sender.test`,
      `${NEWS_4}=news.sender.test`,
      `${NEWS_6}=news.sender.test`,
    ].join(', '),
  }
  await using installation = new Installation({ ...settings, POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true' })
  const { token, companyId } = await installation.addTenant('acme.test')
  const news = ['domain', 'add', 'news.test', '--company', companyId]
  const { id: newsId } = await installation.command<{ id: string }>(...news)
  await installation.command('domain', 'activate', newsId)
  await installation.command('pool', 'create', 'news', NEWS_4, NEWS_6)
  await installation.command('domain', 'update', 'news.test', '--pool', 'news')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const send = async (from: string, to: string, event: string) => {
    const id = await api.accepted({ from: `a@${from}`, to, subject: 'Hello', text: 'Hello' })
    await api.lastEvent(id, event)
    const { recipients, attempts } = await installation.command<ShownEmail>('email', 'show', id)
    return { ...recipients[0]!, dialogue: attempts.at(-1)?.dialogue ?? '', server: attempts.at(-1)?.server }
  }
  const peerOf = async (to: string) => (await server.messageFor(to)).peer

  const four = await send('acme.test', 'four@both.test', 'delivered')
  assert.equal(four.attempts, 1)
  assert.doesNotMatch(four.dialogue, /::1/)
  assert.equal(await peerOf('four@both.test'), OTHER)
  assert.equal((await send('acme.test', 'four@second.test', 'delivered')).attempts, 1)
  const waits = await send('acme.test', 'four@six.test', 'delivery_delayed')
  assert.deepEqual([waits.state, waits.attempts], ['waiting', 0])
  assert.match(
    waits.message!,
    /mx\.six\.test has only IPv6 addresses, and the source of this mail only an IPv4/,
  )

  {
    await using _silent = await SilentPort.start('::1', server.port)
    const { attempts, dialogue } = await send('news.test', 'silent@both.test', 'delivered')
    assert.equal(attempts, 1)
    assert.match(dialogue, /no connection to mx\.both\.test \[::1\]:\d+ yet, trying 127\.0\.0\.1 as well/)
    assert.equal(await peerOf('silent@both.test'), NEWS_4)
  }
  await using six = await startSink({ host: '::1', port: server.port })
  await send('news.test', 'news@six.test', 'delivered')
  assert.equal((await six.messageFor('news@six.test')).peer, NEWS_6)

  // As every service is that may not reach its own network.
  await using guarded = new Installation({
    ...settings,
    POSTROAD_DATABASE_URL: await installation.databaseUrl(),
  })
  const { problem } = await guarded.command<{ problem: string | null }>('explain', 'jane@nat64.test')
  assert.match(problem!, /mx\.nat64\.test, a mail server of nat64\.test, has no public address/)
})
