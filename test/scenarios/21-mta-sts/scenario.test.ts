/**
 * 21: a recipient domain with an MTA-STS policy (RFC 8461).
 *
 * The domain says over HTTPS that mail for it goes only to its own mail server, with a valid certificate. Mail arrives there, and its
 * attempt says that the server was proven. Then an attacker takes over: DNS hides the policy and names another server, the policy host is
 * gone, and the service has been restarted. The policy is kept, so nothing goes to the other server. The attacker removes STARTTLS from the
 * answers of the right server: nothing goes in clear either. When it is over, the mail that waited arrives.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { issuedBy, selfSigned } from '../../../harness/certificate.ts'
import { startDns } from '../../../harness/dns.ts'
import type { AttemptTls } from '../../../src/email/attempt-tls.ts'
import { ApiClient } from '../../support/api-client.ts'
import { Installation } from '../../support/installation.ts'
import { PolicyHost, policyFor } from '../../support/policy-host.ts'
import { startSink } from '../../support/sink.ts'

const POLICY_HOST = '127.0.21.1'

interface Shown {
  recipients: { state: string; message: string }[]
  attempts: { tls: AttemptTls | null }[]
}

test('a policy of MTA-STS outlasts an attacker who blocks it', async (t) => {
  const root = { name: 'Test Root', ...selfSigned(['Test Root']) }
  let policyHost: PolicyHost
  try {
    const certificate = issuedBy(root, ['mta-sts.x.test'])
    policyHost = await PolicyHost.start(POLICY_HOST, certificate, { 'x.test': policyFor('mx.x.test') })
  } catch (error) {
    return t.skip(`port 443 cannot be listened on: ${error}`)
  }
  await using stack = new AsyncDisposableStack()
  stack.use(policyHost)
  const right = stack.use(await startSink({ tls: issuedBy(root, ['mx.x.test']) }))
  const evil = stack.use(await startSink({ host: '127.0.21.2', port: right.port }))
  const clear = stack.use(await startSink({ host: '127.0.21.3', port: right.port }))
  const zone = {
    'x.test/MX': ['10 mx.x.test'],
    'mx.x.test/A': ['127.0.0.1'],
    'evil.test/A': ['127.0.21.2'],
    'mta-sts.x.test/A': [POLICY_HOST],
    '_mta-sts.x.test/TXT': ['v=STSv1; id=one;'],
  }
  const dns = await startDns(zone)
  stack.defer(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(right.port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
  })
  const authority = join(installation.directory, 'root.pem')
  writeFileSync(authority, root.cert)
  const serve = () => installation.serve({ settings: { NODE_EXTRA_CA_CERTS: authority } })
  const { token, domain } = await installation.addTenant('acme.test')
  let service = await serve()
  const send = async (event: string) => {
    const api = new ApiClient(service.url, token)
    const id = await api.accepted({ from: `a@${domain}`, to: 'jane@x.test', subject: 'Hi', text: 'Hi' })
    await api.lastEvent(id, event)
    const { recipients, attempts } = await installation.command<Shown>('email', 'show', id)
    return { id, message: recipients[0]!.message, tls: attempts.at(-1)?.tls }
  }

  const first = await send('delivered')
  assert.deepEqual([first.tls?.demand, first.tls?.source, first.tls?.verified], ['verified', 'mta-sts', true])
  await right.when(() => right.messages.length === 1, 'the first message')

  await policyHost[Symbol.asyncDispose]()
  Object.assign(dns.zone, { 'x.test/MX': ['10 evil.test'], '_mta-sts.x.test/TXT': { rcode: 'SERVFAIL' } })
  await service.kill('SIGTERM')
  service = await serve()
  const diverted = await send('delivery_delayed')
  assert.match(
    diverted.message,
    /evil\.test is not among the mail servers that the MTA-STS policy of x\.test names/,
  )

  Object.assign(dns.zone, { 'x.test/MX': ['10 mx.x.test'], 'mx.x.test/A': ['127.0.21.3'] })
  await service.kill('SIGTERM')
  service = await serve()
  const stripped = await send('delivery_delayed')
  assert.match(stripped.message, /offers no STARTTLS, but TLS is required/)
  assert.deepEqual([stripped.tls?.version, stripped.tls?.source], [null, 'mta-sts'])
  assert.equal(evil.connections, 0)
  assert.ok(!clear.dialogue.some((line) => line.includes('C: MAIL')))

  Object.assign(dns.zone, { 'mx.x.test/A': ['127.0.0.1'] })
  await service.kill('SIGTERM')
  service = await serve()
  await installation.command('queue', 'retry', '--domain', 'x.test')
  await right.when(() => right.messages.length === 3, 'the mail that waited')
})
