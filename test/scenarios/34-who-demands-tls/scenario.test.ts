/**
 * 34: mail that demands encryption, and gets it (direct delivery).
 *
 * The recipients' domains publish nothing. A sender demands encryption for one message, with a valid certificate or without
 * (`o:require-tls`, `o:skip-verification`); a sending domain demands it for all of its mail; the operator's file demands it for a partner.
 * Mail that cannot be sent so waits, and each attempt shows the demand and its origin. All other mail leaves as it can.
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
import { startSink } from '../../support/sink.ts'

const [VALID, SELF_SIGNED, CLEAR] = ['127.0.0.1', '127.0.34.1', '127.0.34.2']

const SITES = `
[[site]]
name = "Partner"
mx = ["mx.partner.test"]
tls = "verified"
`

const ENCRYPTED: [string, string][] = [
  ['o:require-tls', 'yes'],
  ['o:skip-verification', 'yes'],
]
const [VERIFIED] = ENCRYPTED as [[string, string], [string, string]]

const NO_STARTTLS = /offers no STARTTLS, but TLS is required/
const NOT_VALID = /the certificate is not valid for mx\./

interface Row {
  what: string
  to: string
  from?: string
  options?: [string, string][]
  demand: AttemptTls['demand']
  source: AttemptTls['source']
  /** Whether the mail leaves encrypted; or why it waits. */
  ends: boolean | RegExp
}

const BY_DOMAIN = { demand: 'required', source: 'domain' } as const
const ENCRYPTED_BY_MESSAGE = { demand: 'required', source: 'message' } as const
const BY_MESSAGE = { demand: 'verified', source: 'message' } as const
const NOBODY = { demand: 'opportunistic', source: 'default' } as const

const ROWS: Row[] = [
  { what: 'nobody, to a server without STARTTLS', to: 'clear.test', ...NOBODY, ends: false },
  { what: 'nobody, to any certificate', to: 'self-signed.test', ...NOBODY, ends: true },
  {
    what: 'the message, to a valid certificate',
    to: 'valid.test',
    options: [VERIFIED],
    ...BY_MESSAGE,
    ends: true,
  },
  {
    what: 'the message, to any certificate',
    to: 'self-signed.test',
    options: [VERIFIED],
    ...BY_MESSAGE,
    ends: NOT_VALID,
  },
  {
    what: 'the message, which does not mind the certificate',
    to: 'self-signed.test',
    options: ENCRYPTED,
    ...ENCRYPTED_BY_MESSAGE,
    ends: true,
  },
  {
    what: 'the message, to a server without STARTTLS',
    to: 'clear.test',
    options: ENCRYPTED,
    ...ENCRYPTED_BY_MESSAGE,
    ends: NO_STARTTLS,
  },
  {
    what: 'the domain, to any certificate',
    to: 'self-signed.test',
    from: 'strict.test',
    ...BY_DOMAIN,
    ends: true,
  },
  {
    what: 'the domain, to a server without STARTTLS',
    to: 'clear.test',
    from: 'strict.test',
    ...BY_DOMAIN,
    ends: NO_STARTTLS,
  },
  {
    what: 'the message more than its domain',
    to: 'self-signed.test',
    from: 'strict.test',
    options: [VERIFIED],
    ...BY_MESSAGE,
    ends: NOT_VALID,
  },
  {
    what: 'the domain, as much as the message',
    to: 'clear.test',
    from: 'strict.test',
    options: ENCRYPTED,
    ...BY_DOMAIN,
    ends: NO_STARTTLS,
  },
  {
    what: 'the operator, for a partner',
    to: 'partner.test',
    demand: 'verified',
    source: 'site',
    ends: NOT_VALID,
  },
  {
    what: 'the operator more than the message',
    to: 'partner.test',
    options: ENCRYPTED,
    demand: 'verified',
    source: 'site',
    ends: NOT_VALID,
  },
]

test('mail that demands encryption gets it, or waits', async (t) => {
  const root = { name: 'Test Root', ...selfSigned(['Test Root']) }
  await using valid = await startSink({ host: VALID, tls: issuedBy(root, ['mx.valid.test']) })
  const { port } = valid
  await using any = await startSink({ host: SELF_SIGNED, port, tls: selfSigned(['other.test']) })
  await using clear = await startSink({ host: CLEAR, port })
  const dns = await startDns({
    'valid.test/MX': ['10 mx.valid.test'],
    'mx.valid.test/A': [VALID],
    'self-signed.test/MX': ['10 mx.self-signed.test'],
    'mx.self-signed.test/A': [SELF_SIGNED],
    'partner.test/MX': ['10 mx.partner.test'],
    'mx.partner.test/A': [SELF_SIGNED],
    'clear.test/MX': ['10 mx.clear.test'],
    'mx.clear.test/A': [CLEAR],
  })
  t.after(() => dns.close())
  await using installation = new Installation({
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_SMTP_PORT: String(port),
    POSTROAD_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTROAD_RETRY_SCHEDULE: '1h,1h',
    POSTROAD_SITES: 'sites.toml',
  })
  writeFileSync(join(installation.directory, 'sites.toml'), SITES)
  const authority = join(installation.directory, 'root.pem')
  writeFileSync(authority, root.cert)
  const { token, companyId } = await installation.addTenant('acme.test')
  const strict = ['domain', 'add', 'strict.test', '--company', companyId]
  const { id: strictId } = await installation.command<{ id: string }>(...strict)
  await installation.command('domain', 'activate', strictId)
  await installation.command('domain', 'update', 'strict.test', '--tls', 'required')
  const service = await installation.serve({ settings: { NODE_EXTRA_CA_CERTS: authority } })
  const api = new ApiClient(service.url, token)
  const sent = await Promise.all(
    ROWS.map(async ({ to, from = 'acme.test', options = [] }, index) => {
      const { status, body, text } = await api.sendForm(from, [
        ['from', `a@${from}`],
        ['to', `r${index}@${to}`],
        ['subject', 'Hello'],
        ['text', 'Hello'],
        ...options,
      ])
      assert.equal(status, 200, text)
      return /^<([^@]+)@/.exec(String(body.id))![1]!
    }),
  )
  for (const [index, { what, demand, source, ends }] of ROWS.entries()) {
    await api.lastEvent(sent[index]!, ends instanceof RegExp ? 'delivery_delayed' : 'delivered')
    const { recipients, attempts } = await installation.command<{
      recipients: { message: string }[]
      attempts: { tls: AttemptTls | null }[]
    }>('email', 'show', sent[index]!)
    const { tls } = attempts.at(-1)!
    assert.deepEqual([tls?.demand, tls?.source], [demand, source], what)
    if (ends instanceof RegExp) assert.match(recipients[0]!.message, ends, what)
    else assert.equal(tls?.version !== null, ends, what)
  }
  const arrived = [valid, any, clear].map(({ messages }) => messages.length)
  assert.deepEqual(arrived, [1, 3, 1])
})
