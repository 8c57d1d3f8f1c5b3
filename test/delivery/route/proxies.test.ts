/** Sources behind proxies: SOCKS5 (RFC 1928) and the PROXY protocol. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { issuedBy, selfSigned } from '../../../harness/certificate.ts'
import { freePort } from '../../../harness/free-port.ts'
import type { DeliveryPath } from '../../../src/delivery/path/path.ts'
import { sourcesOf } from '../../../src/delivery/path/source.ts'
import type { OutgoingProxy } from '../../../src/network/proxy/proxy.ts'
import { startHeaderProxy, startSocks, type TestProxy } from '../../support/outgoing-proxies.ts'
import type { SinkOptions } from '../../support/sink.ts'
import { startRig, startSinks, wayBy } from './rig.ts'

const FROM = '127.0.30.7'
const LOGIN = { user: 'postroad', password: 'secret:pass' }

/** The mail servers of x.test, and deliveries to it through a proxy. */
async function startProxied(
  t: TestContext,
  proxy: Omit<OutgoingProxy, 'user' | 'password'> & Partial<OutgoingProxy>,
  { hosts = [{}], ca }: { hosts?: Omit<SinkOptions, 'port' | 'host'>[]; ca?: string[] } = {},
) {
  const addresses = hosts.map((_, i) => `127.0.30.${i + 1}`)
  const sinks = await startSinks(t, Object.fromEntries(hosts.map((options, i) => [addresses[i], options])))
  const rig = await startRig(
    t,
    { kind: 'direct' },
    {
      'x.test/MX': addresses.map((_, i) => `${(i + 1) * 10} mx${i + 1}.x.test`),
      ...Object.fromEntries(addresses.map((address, i) => [`mx${i + 1}.x.test/A`, [address]])),
    },
    { smtpPort: sinks.port, limits: { timeouts: { connect: 1_000 } }, ...(ca && { ca }) },
  )
  const whole = { user: null, password: null, ...proxy }
  const [source] = sourcesOf([{ address: FROM, helo: 'mail2.acme.test', proxy: whole }])
  const path: DeliveryPath = { ...wayBy({ kind: 'direct' }), source: source! }
  const deliver = (to = 'jane@x.test', tls: 'verified' | null = null) =>
    rig.deliver([to], { path: { ...path, terms: { ...path.terms, tls: tls ?? 'opportunistic' } } })
  return { ...rig, deliver, port: sinks.port, mx: (n: number) => sinks.at(`127.0.30.${n}`) }
}

function at(proxy: TestProxy, protocol: OutgoingProxy['protocol'] = 'socks5') {
  return { protocol, host: '127.0.0.1', port: proxy.port }
}

const ROOT = { name: 'Test Root', ...selfSigned(['Test Root']) }

test('SOCKS5: mail leaves from the address of the proxy, with a login, over verified TLS', async (t) => {
  await using proxy = await startSocks({ from: FROM, login: LOGIN })
  const { deliver, mx, port } = await startProxied(
    t,
    { ...at(proxy), ...LOGIN },
    { hosts: [{ tls: issuedBy(ROOT, ['mx1.x.test']) }], ca: [ROOT.cert] },
  )
  const { outcomes, dialogue, tls, server } = await deliver('jane@x.test', 'verified')
  assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
  assert.equal(server, `mx1.x.test [127.0.30.1]:${port}`)
  assert.deepEqual([tls?.verified, tls?.demand], [true, 'verified'])
  const { peer, helo, secure } = await mx(1).next()
  assert.deepEqual([peer, helo, secure], [FROM, 'mail2.acme.test', true])
  // Asked for by its address: names are looked up and judged here.
  assert.deepEqual(proxy.requests, [{ address: '127.0.30.1', port, from: null }])
  assert.match(
    dialogue,
    new RegExp(`connected to mx1\\.x\\.test .* through socks5://127\\.0\\.0\\.1:${proxy.port}`),
  )
  assert.ok(!dialogue.includes(LOGIN.password))
  assert.equal((await deliver('joe@x.test', 'verified')).outcomes[0]?.verdict, 'delivered')
  assert.equal(proxy.connections, 1, 'the session is used again')
})

test('SOCKS5: a greeting that arrives together with the proxy’s answer is read', async (t) => {
  await using proxy = await startSocks({ from: FROM, inOnePiece: true })
  const { deliver } = await startProxied(t, at(proxy))
  const { outcomes, dialogue } = await deliver()
  assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
})

const failing: [string, (t: TestContext) => Promise<[Partial<OutgoingProxy> & { port: number }, RegExp]>][] =
  [
    ['does not listen', async () => [{ port: await freePort() }, /refused the connection$/]],
    [
      'refuses the password',
      async (t) => {
        const proxy = await started(t, startSocks({ from: FROM, login: LOGIN }))
        return [
          { port: proxy.port, user: 'postroad', password: 'wrong' },
          /refuses the user or the password$/,
        ]
      },
    ],
    [
      'demands a login',
      async (t) => [
        { port: (await started(t, startSocks({ from: FROM, login: LOGIN }))).port },
        /demands another login$/,
      ],
    ],
    [
      'fails for reasons of its own',
      async (t) => [
        { port: (await started(t, startSocks({ from: FROM, reply: () => 1 }))).port },
        /failed to connect, for a reason of its own$/,
      ],
    ],
    [
      'does not allow the connection',
      async (t) => [
        { port: (await started(t, startSocks({ from: FROM, reply: () => 2 }))).port },
        /does not allow the connection$/,
      ],
    ],
  ]
for (const [what, prepare] of failing) {
  test(`a proxy that ${what}: the mail waits without an attempt, and no other server is tried`, async (t) => {
    const [changes, message] = await prepare(t)
    const proxy = { protocol: 'socks5', host: '127.0.0.1', ...changes } as const
    const { deliver, mx } = await startProxied(t, proxy, { hosts: [{}, {}] })
    const { outcomes, pathTrouble, dialogue } = await deliver()
    assert.equal(outcomes[0]?.verdict, 'postponed', dialogue)
    assert.equal(outcomes[0]?.category, 'network')
    assert.match(outcomes[0]?.message ?? '', message)
    const named = `The proxy socks5://127.0.0.1:${proxy.port} of the source address ${FROM} `
    assert.ok(outcomes[0]?.message.startsWith(named), outcomes[0]?.message)
    assert.deepEqual([pathTrouble?.kind, pathTrouble?.met], ['source', 'session'])
    assert.equal(mx(1).connections + mx(2).connections, 0)
    assert.equal(dialogue.split(named).length, 2, 'it is tried once')
  })
}

test('a silent proxy is given up, and the error names it; for a server that it cannot reach in time the error names the server', async (t) => {
  await using silent = await startHeaderProxy()
  const first = await startProxied(t, at(silent))
  const { outcomes, pathTrouble } = await first.deliver()
  assert.match(outcomes[0]?.message ?? '', /^The proxy .* does not answer$/)
  assert.equal(pathTrouble?.kind, 'source')
  await using hanging = await startSocks({ from: FROM, reply: () => 256 })
  const second = await startProxied(t, at(hanging))
  const late = await second.deliver()
  assert.equal(late.outcomes[0]?.verdict, 'deferred')
  assert.match(late.outcomes[0]?.message ?? '', /^mx1\.x\.test .* took too long over connecting$/)
})

test('SOCKS5: a server that the proxy cannot reach costs an attempt, and the next one is tried', async (t) => {
  await using proxy = await startSocks({
    from: FROM,
    reply: ({ address }) => (address === '127.0.30.1' ? 5 : null),
  })
  const { deliver, mx } = await startProxied(t, at(proxy), { hosts: [{}, {}] })
  const { outcomes, dialogue } = await deliver()
  assert.equal(outcomes[0]?.verdict, 'delivered')
  assert.match(dialogue, /mx1\.x\.test \S+ refused the connection \(through socks5:/)
  assert.equal((await mx(2).next()).peer, FROM)

  await using refusing = await startSocks({ from: FROM, reply: () => 4 })
  const other = await startProxied(t, at(refusing))
  const refused = await other.deliver()
  assert.equal(refused.outcomes[0]?.verdict, 'deferred')
  assert.equal(refused.pathTrouble?.kind, 'unreachable')
})

test('PROXY: the proxy connects from the address that the header names, and STARTTLS works through it', async (t) => {
  await using proxy = await startHeaderProxy()
  const { deliver, mx, port } = await startProxied(t, at(proxy, 'proxy'), {
    hosts: [{ tls: issuedBy(ROOT, ['mx1.x.test']) }],
    ca: [ROOT.cert],
  })
  const { outcomes, dialogue, tls } = await deliver('jane@x.test', 'verified')
  assert.equal(outcomes[0]?.verdict, 'delivered', dialogue)
  assert.equal(tls?.verified, true)
  assert.deepEqual([(await mx(1).next()).peer], [FROM])
  assert.deepEqual(proxy.requests, [{ from: FROM, address: '127.0.30.1', port }])
})

test('PROXY: a proxy that hangs up before the greeting could not reach the server', async (t) => {
  await using proxy = await startHeaderProxy({ fails: true })
  const { deliver } = await startProxied(t, at(proxy, 'proxy'))
  const { outcomes, pathTrouble } = await deliver()
  assert.equal(outcomes[0]?.verdict, 'deferred')
  assert.match(outcomes[0]?.message ?? '', /cannot be reached, or hung up \(through proxy:\/\/127/)
  assert.equal(pathTrouble?.kind, 'unreachable')
})

async function started(t: TestContext, starting: Promise<TestProxy>): Promise<TestProxy> {
  const proxy = await starting
  t.after(() => proxy[Symbol.asyncDispose]())
  return proxy
}
