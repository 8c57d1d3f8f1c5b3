/** Opportunistic TLS (RFC 7435): broken encryption never stops mail, and a stricter policy is never relaxed (hostile case 16). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { freePort } from '../../../harness/free-port.ts'
import type { DeliveryPath } from '../../../src/delivery/path/path.ts'
import type { RouteCourierOptions } from '../../../src/delivery/route-courier.ts'
import type { TlsPolicy } from '../../../src/delivery/smtp/target.ts'
import type { MtaStsMode } from '../../../src/store/store.ts'
import { emailSent, relayAt, startRig, startSinks, wayBy } from './rig.ts'

const zone = { 'x.test/MX': ['10 mx.x.test'], 'mx.x.test/A': ['127.0.0.1'] }

const policed = (tls: TlsPolicy): Partial<RouteCourierOptions> => ({
  policies: async () => ({ kind: 'demand', demand: { tls, source: 'domain' } }),
})

/** Offers STARTTLS, agrees to it, and then talks nonsense; accepts everything in clear. */
async function startBrokenTls(t: TestContext, afterAgreeing: (socket: Socket) => void) {
  const lines: string[] = []
  let connections = 0
  const port = await freePort()
  const server = createServer((socket) => {
    const number = ++connections
    let secured = false
    let body = false
    socket.on('error', () => socket.destroy())
    socket.setEncoding('latin1')
    socket.write('220 mx.x.test ESMTP\r\n')
    socket.on('data', (data: string) => {
      if (secured) return
      for (const line of data.split('\r\n').slice(0, -1)) {
        lines.push(`${number} ${line}`)
        if (body) {
          if (line !== '.') continue
          body = false
          socket.write('250 kept\r\n')
        } else if (line.startsWith('EHLO')) socket.write('250-mx.x.test\r\n250 STARTTLS\r\n')
        else if (line === 'STARTTLS') {
          secured = true
          socket.write('220 go ahead\r\n', () => afterAgreeing(socket))
        } else if (line === 'DATA') {
          body = true
          socket.write('354 go\r\n')
        } else if (line === 'QUIT') socket.end('221 bye\r\n')
        else socket.write('250 ok\r\n')
      }
    })
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port, lines, connections: () => connections }
}

const BREAKAGES: Record<string, (socket: Socket) => void> = {
  'answers nonsense': (socket) => socket.write('this is not TLS, sorry\r\n'),
  'hangs up': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'says nothing': () => {},
}

for (const [what, breakIt] of Object.entries(BREAKAGES)) {
  test(`a server that agrees to STARTTLS and then ${what} is tried once more, and then gets the mail unencrypted`, async (t) => {
    const { port, lines, connections } = await startBrokenTls(t, breakIt)
    const limits = { timeouts: { starttls: 100 } }
    const { deliver } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: port, limits })
    const result = await deliver(['jane@x.test'])
    assert.equal(result.outcomes[0]?.verdict, 'delivered', result.dialogue)
    assert.equal(result.tls?.version, null)
    assert.equal(connections(), 3)
    assert.ok(lines.includes('2 STARTTLS'))
    assert.ok(lines.includes('3 RCPT TO:<jane@x.test>'))
    assert.ok(!lines.includes('3 STARTTLS'))
    assert.match(result.dialogue, /trying once more.*trying without/s)
  })
}

for (const tls of ['required', 'verified'] as const) {
  test(`policy ${tls}: nothing is sent unencrypted when TLS breaks`, async (t) => {
    const { port, lines, connections } = await startBrokenTls(t, (socket) => socket.end())
    const { outcome } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: port, ...policed(tls) })
    const { verdict } = await outcome('jane@x.test')
    assert.equal(verdict, 'deferred')
    assert.equal(connections(), 1)
    assert.ok(!lines.some((line) => line.includes('MAIL')))
  })

  test(`policy ${tls}: a server that offers no TLS gets nothing`, async (t) => {
    const sinks = await startSinks(t, { '127.0.0.1': {} })
    const { outcome } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port, ...policed(tls) })
    const { verdict, enhancedCode } = await outcome('jane@x.test')
    assert.deepEqual({ verdict, enhancedCode }, { verdict: 'deferred', enhancedCode: '4.7.5' })
    assert.ok(!sinks.at('127.0.0.1').dialogue.some((line) => line.includes('C: MAIL')))
  })
}

test('a self-signed, expired or foreign certificate is accepted without a policy', async (t) => {
  const certificates = [selfSigned(['mx.x.test']), selfSigned(['mx.x.test'], -1), selfSigned(['other.test'])]
  for (const certificate of certificates) {
    const sinks = await startSinks(t, { '127.0.0.1': { tls: certificate } })
    const { deliver } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port })
    const result = await deliver(['jane@x.test'])
    assert.equal(result.outcomes[0]?.verdict, 'delivered')
    assert.match(result.tls?.version ?? '', /^TLSv1\.[23]$/)
    assert.equal(sinks.at('127.0.0.1').connections, 1)
    assert.equal((await sinks.at('127.0.0.1').next()).secure, true)
  }
})

test('policy verified: the certificate must be trusted and the host’s own', async (t) => {
  const right = selfSigned(['mx.x.test'])
  const wrong = selfSigned(['other.test'])
  for (const [certificate, verdict] of [
    [right, 'delivered'],
    [wrong, 'deferred'],
  ] as const) {
    const sinks = await startSinks(t, { '127.0.0.1': { tls: certificate } })
    const changes = { smtpPort: sinks.port, ca: [certificate.cert], ...policed('verified') }
    const { outcome } = await startRig(t, { kind: 'direct' }, zone, changes)
    assert.equal((await outcome('jane@x.test')).verdict, verdict)
  }
})

const certificate = selfSigned(['mx.x.test'])

test('one TLS failure is no reason to send unencrypted', async (t) => {
  let breaks = 1
  const sinks = await startSinks(t, {
    '127.0.0.1': {
      tls: certificate,
      script: ({ step }) => (step === 'starttls' && breaks-- > 0 ? { close: true } : undefined),
    },
  })
  const { deliver } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port })
  const result = await deliver(['jane@x.test'])
  assert.equal(result.outcomes[0]?.verdict, 'delivered')
  assert.match(result.tls?.version ?? '', /^TLSv1/)
  assert.equal(sinks.at('127.0.0.1').connections, 2)
})

test('a sender’s TLS policy is not relaxed, and closes no path', async (t) => {
  const clear = await startSinks(t, { '127.0.0.1': {} })
  const secure = await startSinks(t, { '127.0.0.1': { tls: certificate } })
  for (const [tls, port, verdict] of [
    ['required', clear.port, 'deferred'],
    ['required', secure.port, 'delivered'],
    ['verified', secure.port, 'deferred'],
  ] as const) {
    for (const route of [{ kind: 'direct' } as const, relayAt(port)]) {
      const { deliver } = await startRig(t, route, zone, { smtpPort: port })
      const result = await deliver(['jane@x.test'], { email: { ...emailSent, tls } })
      assert.equal(result.outcomes[0]?.verdict, verdict, `${route.kind} ${tls}`)
      assert.deepEqual([result.tls?.demand, result.tls?.source], [tls, 'domain'])
      assert.equal(result.pathTrouble, undefined)
    }
  }
  assert.ok(!clear.at('127.0.0.1').dialogue.some((line) => line.includes('C: MAIL')))
})

/** The way to `x.test`, whose policy names these hosts. */
function wayWithPolicy(
  mx: string[],
  mode: MtaStsMode = 'enforce',
  expiresAt = Date.now() + 60_000,
): DeliveryPath {
  const way = wayBy({ kind: 'direct' })
  return { ...way, site: { ...way.site, mtaSts: { mode, mx, expiresAt } } }
}

test('MTA-STS, enforced: only a server with a valid certificate of its own gets mail, and nothing is sent unencrypted', async (t) => {
  const path = wayWithPolicy(['*.x.test'])
  for (const [tls, verdict, told] of [
    [certificate, 'delivered', 'mx.x.test'],
    [selfSigned(['other.test']), 'deferred', /certificate is not valid for mx\.x\.test/],
    [null, 'deferred', /offers no STARTTLS, but TLS is required/],
  ] as const) {
    const sinks = await startSinks(t, { '127.0.0.1': tls === null ? {} : { tls } })
    const changes = { smtpPort: sinks.port, ca: [tls?.cert ?? certificate.cert] }
    const { deliver } = await startRig(t, { kind: 'direct' }, zone, changes)
    const { outcomes, dialogue, tls: used } = await deliver(['jane@x.test'], { path })
    assert.equal(outcomes[0]?.verdict, verdict)
    assert.deepEqual([used?.demand, used?.source], ['verified', 'mta-sts'])
    assert.deepEqual([used?.verified, used?.doubt === null], Array(2).fill(verdict === 'delivered'))
    const { message, enhancedCode } = outcomes[0]!
    assert.ok(`${dialogue}\n${message}`.match(told), message)
    if (verdict === 'delivered') continue
    assert.equal(enhancedCode, '4.7.5')
    assert.ok(!sinks.at('127.0.0.1').dialogue.some((line) => line.includes('C: MAIL')))
  }
})

test('MTA-STS, enforced: a host that the policy does not name is never connected to', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': { tls: certificate }, '127.0.0.2': { tls: certificate } })
  const hosts = { ...zone, 'x.test/MX': ['10 evil.test', '20 mx.x.test'], 'evil.test/A': ['127.0.0.2'] }
  const changes = { smtpPort: sinks.port, ca: [certificate.cert] }
  const { deliver } = await startRig(t, { kind: 'direct' }, hosts, changes)
  const named = await deliver(['jane@x.test'], { path: wayWithPolicy(['mx.x.test']) })
  assert.equal(named.outcomes[0]?.verdict, 'delivered')
  assert.match(
    named.dialogue,
    /evil\.test is not among the mail servers that the MTA-STS policy of x\.test names/,
  )
  const { outcomes } = await deliver(['jane@x.test'], { path: wayWithPolicy(['mx.y.test']) })
  assert.equal(outcomes[0]?.verdict, 'deferred')
  assert.equal(sinks.at('127.0.0.2').connections, 0)
})

test('MTA-STS in testing mode, switched off or expired demands nothing', async (t) => {
  const sinks = await startSinks(t, { '127.0.0.1': {} })
  const { outcome } = await startRig(t, { kind: 'direct' }, zone, { smtpPort: sinks.port })
  for (const path of [
    wayWithPolicy(['mx.y.test'], 'testing'),
    wayWithPolicy([], 'none'),
    wayWithPolicy(['mx.y.test'], 'enforce', Date.now() - 1),
  ]) {
    assert.equal((await outcome('jane@x.test', { path })).verdict, 'delivered')
  }
})
