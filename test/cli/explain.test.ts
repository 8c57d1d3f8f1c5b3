/** `explain` at the command line, for people and for scripts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { startSink } from '../support/sink.ts'
import { newWorkplaceOnEngine, type Workplace } from './postroad.ts'

let dns: FakeDns
let place: Workplace

before(async () => {
  dns = await startDns({ 'example.net/MX': ['10 mx.example.net'], 'mx.example.net/A': ['127.0.0.1'] })
  place = await newWorkplaceOnEngine({
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_DELIVERY: 'direct',
  })
  await place.json('company', 'create', 'Acme')
  await place.json('domain', 'add', 'acme.test', '--company', 'Acme')
})
after(async () => {
  place.remove()
  await dns.close()
})

test('says how mail would leave, or why it would not', async () => {
  const leaves = await place.run('explain', 'jane@example.net')
  assert.match(leaves.stdout, /^Mail to jane@example\.net would leave now\.$/m)
  assert.match(leaves.stdout, /^Route: +direct$/m)
  assert.match(leaves.stdout, /^Server: +mx\.example\.net \(10\) 127\.0\.0\.1, TLS opportunistic$/m)
  assert.match(
    leaves.stdout,
    /^Site: +mx\.example\.net, limits of default: at most 20 sessions at once, 100 messages a session, /m,
  )
  assert.match(leaves.stdout, /^Policy: +none: the domain publishes neither MTA-STS nor DANE$/m)
  const { stdout } = await place.run('explain', 'jane@example.net', '--from', 'acme.test')
  assert.match(stdout, /would not leave now\.\nMail from acme\.test is not accepted: its DNS records/)
})

test('--json has stable field names', async () => {
  const shown = await place.json<Record<string, unknown>>('explain', 'jane@example.net')
  const names =
    'address domain deliverable problem permanent route site hosts policy suppressions pauses source last'
  for (const name of names.split(' ')) assert.ok(name in shown, name)
  assert.equal(shown.deliverable, true)
})

test('--try prints the replies of the server', async (t) => {
  const sink = await startSink()
  t.after(() => sink.close())
  place.env.POSTROAD_SMTP_PORT = String(sink.port)
  const { stdout } = await place.run('explain', 'jane@example.net', '--try')
  assert.match(stdout, /^Accepted by mx\.example\.net \[127\.0\.0\.1\]:\d+: 250 /m)
  assert.match(stdout, /^ {2}\d+ > RCPT TO:<jane@example\.net>$/m)
  assert.deepEqual(sink.messages, [])
})

test('--try for the simulator says that nobody was asked', async () => {
  const { stdout } = await place.run('explain', 'delivered@resend.dev', '--try')
  assert.match(stdout, /^Mail to delivered@resend\.dev would end in the simulator now\.$/m)
  assert.match(stdout, /\n\nNot asked: The mail ends in the simulator, which asks no server\n$/)
})

test('a suppression or pause of one company is the problem where there is one company, and named where there are more', async () => {
  await place.run('suppression', 'add', 'stopped@example.net', '--company', 'Acme')
  const only = await place.run('explain', 'stopped@example.net')
  assert.match(only.stdout, /^Mail to stopped@example\.net would not leave now\.\nThe address is suppressed/)
  await place.json('company', 'create', 'Other')
  const any = await place.run('explain', 'stopped@example.net')
  assert.match(any.stdout, /^Mail to stopped@example\.net would leave now, but not from every company/)
  assert.match(any.stdout, /^Suppressed for Acme: +manual/m)
  await place.run('queue', 'pause', '--company', 'Acme')
  const paused = await place.run('explain', 'jane@example.net')
  assert.match(paused.stdout, /would leave now, but not from every company/)
  assert.match(paused.stdout, /^Paused: +mail of Acme, since /m)
  await place.run('queue', 'resume', '--company', 'Acme')
})

test('a pause has the name that resumes it', async () => {
  await place.run('queue', 'pause', '--domain', 'example.net')
  const { stdout } = await place.run('explain', 'jane@example.net')
  assert.match(stdout, /would wait\.\nAn operator has paused all mail to example\.net, since /)
  await place.run('queue', 'resume', '--domain', 'example.net')
})
