/**
 * 22: a recipient domain with DANE (RFC 7672).
 *
 * The zone of the domain is signed, and says which key its mail server has. No authority vouches for the server's certificate, but mail
 * arrives, and its attempt says that the server was proven. Another server with another key gets nothing. While the look-up of the records
 * fails, nothing is sent at all.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../../harness/certificate.ts'
import { startDns } from '../../../harness/dns.ts'
import type { AttemptTls } from '../../../src/email/attempt-tls.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { startSink } from '../../support/sink.ts'
import { tlsaOf } from '../../support/tlsa.ts'

interface Shown {
  recipients: { message: string }[]
  attempts: { tls: AttemptTls | null }[]
}

test('a server is proven by its TLSA record, and no other server gets the mail', async () => {
  const certificate = selfSigned(['mx.x.test'])
  await using stack = new AsyncDisposableStack()
  const right = stack.use(await startSink({ tls: certificate }))
  const other = stack.use(
    await startSink({ host: '127.0.22.1', port: right.port, tls: selfSigned(['mx.y.test']) }),
  )
  const record = tlsaOf(certificate)
  const signed = (...values: string[]) => ({ values, secure: true }) as const
  const dns = await startDns({
    'x.test/MX': signed('10 mx.x.test'),
    'mx.x.test/A': signed('127.0.0.1'),
    [`_${right.port}._tcp.mx.x.test/TLSA`]: signed(record),
    'y.test/MX': signed('10 mx.y.test'),
    'mx.y.test/A': signed('127.0.22.1'),
    [`_${right.port}._tcp.mx.y.test/TLSA`]: signed(record),
    'z.test/MX': signed('10 mx.z.test'),
    'mx.z.test/A': signed('127.0.22.1'),
    [`_${right.port}._tcp.mx.z.test/TLSA`]: { rcode: 'SERVFAIL' },
    'w.test/MX': signed('10 mx.w.test'),
    'mx.w.test/A': { rcode: 'SERVFAIL' },
  })
  stack.defer(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(right.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
  })
  const { token, domain } = await installation.addTenant('acme.test')
  const service = await installation.serve()
  const api = new ApiClient(service.url, token)
  const send = async (to: string, event: string) => {
    const id = await api.accepted({ from: `a@${domain}`, to, subject: 'Hi', text: 'Hi' })
    await api.lastEvent(id, event)
    const { recipients, attempts } = await installation.command<Shown>('email', 'show', id)
    return { message: recipients[0]!.message, tls: attempts.at(-1)?.tls }
  }

  const proven = await send('jane@x.test', 'delivered')
  assert.deepEqual([proven.tls?.demand, proven.tls?.source, proven.tls?.verified], ['verified', 'dane', true])
  await right.when(() => right.messages.length === 1, 'the message')

  const wrong = await send('jane@y.test', 'delivery_delayed')
  // The reason comes first, because lists show the beginning of a message.
  assert.match(
    wrong.message,
    /:\d+ failed the TLS handshake: the certificate matches no TLSA record of mx\.y\.test$/,
  )
  const unknown = await send('jane@z.test', 'delivery_delayed')
  assert.match(unknown.message, /the TLSA lookup of _\d+\._tcp\.mx\.z\.test failed \(SERVFAIL\)/)
  const lost = await send('jane@w.test', 'delivery_delayed')
  assert.match(lost.message, /the address lookup of mx\.w\.test failed \(SERVFAIL\)/)
  assert.ok(!other.dialogue.some((line) => line.includes('C: MAIL')))
})
