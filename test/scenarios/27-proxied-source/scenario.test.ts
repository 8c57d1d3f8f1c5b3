/**
 * 27: a source address on another machine, behind a SOCKS5 proxy.
 *
 * An operator has an address here and one on another machine, whose proxy wants a login. Mail leaves from both. Then the proxy stops. The
 * mail planned for it leaves from the address here, with the same attempt; the doctor and the log name the proxy, and no output
 * shows its password.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../../harness/dns.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { startSocks } from '../../support/outgoing-proxies.ts'
import { startSink } from '../../support/sink.ts'

const [HERE, AWAY] = ['127.0.33.1', '127.0.33.2']
const LOGIN = { user: 'postroad', password: 'hunter2' }

interface Shown {
  recipients: { state: string; attempts: number }[]
  attempts: { source: string | null; dialogue: string }[]
}

test('mail of an address behind a proxy leaves from another address while the proxy is away', async (t) => {
  await using server = await startSink()
  const proxy = await startSocks({ from: AWAY, login: LOGIN })
  const dns = await startDns({
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
    'mail1.sender.test/A': [HERE],
    'mail2.sender.test/A': [AWAY],
    '1.33.0.127.in-addr.arpa/PTR': ['mail1.sender.test'],
    '2.33.0.127.in-addr.arpa/PTR': ['mail2.sender.test'],
  })
  t.after(() => dns.close())
  const name = `socks5://127.0.0.1:${proxy.port}`
  const url = `socks5://${LOGIN.user}:${LOGIN.password}@127.0.0.1:${proxy.port}`
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(server.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    // The proxy and its login cross to a delivery thread.
    POSTROAD_DELIVERY_THREADS: '1',
    POSTROAD_SOURCE_ADDRESSES: `${HERE}=mail1.sender.test, ${AWAY}=mail2.sender.test via ${url}`,
  })
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  let sent = 0
  const send = async () => {
    const to = `n${++sent}@x.test`
    const id = await api.accepted({ from: `a@${domain}`, to, subject: 'Hello', text: 'Hello' })
    const { peer } = await server.messageFor(to)
    await api.lastEvent(id, 'delivered')
    const shown = await installation.command<Shown>('email', 'show', id)
    assert.equal(shown.attempts.at(-1)!.source, peer)
    return { peer, ...shown }
  }
  const used = new Set<string>()
  while (used.size < 2) used.add((await send()).peer)
  assert.deepEqual([...used].sort(), [HERE, AWAY])
  const explained = await installation.command<{ source: { proxy: string | null } }>('explain', 'jane@x.test')
  assert.ok([null, name].includes(explained.source.proxy))

  await proxy[Symbol.asyncDispose]()
  let moved = 0
  for (let n = 0; n < 12; n++) {
    const { peer, recipients, attempts } = await send()
    assert.equal(peer, HERE)
    assert.deepEqual([recipients[0]!.state, recipients[0]!.attempts], ['delivered', 1])
    if (attempts.length > 1) moved++
    assert.ok(!JSON.stringify(attempts).includes(LOGIN.password))
  }
  assert.ok(moved <= 2, `${moved} emails met the proxy before the source was left out`)

  const log = service.log.join('\n')
  assert.match(log, new RegExp(`The proxy ${name.replaceAll('.', '\\.')}[^"]* refused the connection`))
  assert.ok(!log.includes(LOGIN.password))
  const { code, stdout } = await installation.run('doctor', '--json')
  assert.equal(code, 1)
  const { checks } = JSON.parse(stdout) as { checks: { id: string; state: string; found: string }[] }
  const stateOf = (address: string) => checks.find(({ id }) => id === `source:${address}`)
  assert.equal(stateOf(HERE)?.state, 'ok')
  assert.equal(stateOf(AWAY)?.state, 'problem')
  assert.equal(
    stateOf(AWAY)?.found,
    `The proxy ${name} refused the connection, so no mail leaves from ${AWAY}.`,
  )
  assert.ok(!stdout.includes(LOGIN.password))
})
