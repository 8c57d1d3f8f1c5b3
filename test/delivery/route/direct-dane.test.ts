/** DANE (RFC 7672) from the answers of a DNS server to the message at a mail server. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Certificate, issuedBy, selfSigned } from '../../../harness/certificate.ts'
import type { Answer, Zone } from '../../../harness/dns.ts'
import { tlsaOf } from '../../support/tlsa.ts'
import { startRig, startSinks, wayBy } from './rig.ts'

/** Expired, self-signed and for another name: right for a record that stands for its key. */
const own = selfSigned(['other.test'], -1)
const root = selfSigned(['Root'])
const issued = issuedBy({ name: 'Root', ...root }, ['mx.x.test'])
const chained = { cert: issued.cert + root.cert, key: issued.key }

interface Case {
  /** Of the only mail server; null: it offers no TLS. */
  tls: Certificate | null
  records: string[] | Answer
  zone?: Zone
  mtaSts?: string[]
}

/** One attempt to deliver to `x.test`, whose zone is signed unless `zone` says otherwise. */
async function attempt(t: TestContext, { tls, records, zone = {}, mtaSts }: Case) {
  const sinks = await startSinks(t, { '127.0.0.1': tls === null ? {} : { tls } })
  const { dns, deliver } = await startRig(
    t,
    { kind: 'direct' },
    {
      'x.test/MX': { values: ['10 mx.x.test'], secure: true },
      'mx.x.test/A': { values: ['127.0.0.1'], secure: true },
      [`_${sinks.port}._tcp.mx.x.test/TLSA`]: Array.isArray(records)
        ? { values: records, secure: true }
        : records,
      ...Object.fromEntries(
        Object.entries(zone).map(([name, answer]) => [name.replace('PORT', String(sinks.port)), answer]),
      ),
    },
    { smtpPort: sinks.port },
  )
  const way = wayBy({ kind: 'direct' })
  const site = { ...way.site, ...(mtaSts && { mtaSts: policyOf(mtaSts) }) }
  const result = await deliver(['jane@x.test'], { path: { ...way, site } })
  const sink = sinks.at('127.0.0.1')
  return {
    verdict: result.outcomes[0]!.verdict,
    message: result.outcomes[0]!.message,
    tls: result.tls,
    connections: sink.connections,
    gotMail: sink.dialogue.some((line) => line.includes('C: MAIL')),
    asked: dns.queries.filter((query) => query.endsWith('/TLSA')).length,
  }
}

function policyOf(mx: string[]) {
  return { mode: 'enforce' as const, mx, expiresAt: Date.now() + 60_000 }
}

test('a record for the key of the server authenticates it, whatever its certificate says', async (t) => {
  const { verdict, message, tls } = await attempt(t, { tls: own, records: [tlsaOf(own)] })
  assert.equal(verdict, 'delivered', message)
  assert.deepEqual([tls?.demand, tls?.source, tls?.verified, tls?.doubt], ['verified', 'dane', true, null])
})

test('a record for the authority authenticates the server through its certificate chain', async (t) => {
  const { verdict, tls, connections } = await attempt(t, { tls: chained, records: [tlsaOf(root, 2)] })
  assert.equal(verdict, 'delivered')
  assert.equal(tls?.verified, true)
  // The first connection learns the certificate of the authority.
  assert.equal(connections, 2)
  const again = await attempt(t, { tls: chained, records: [tlsaOf(root, 2)] })
  assert.deepEqual([again.verdict, again.connections], ['delivered', 1])
})

test('a server that no record authenticates gets nothing, encrypted or not', async (t) => {
  for (const tls of [own, chained, null]) {
    const {
      verdict,
      gotMail,
      tls: used,
    } = await attempt(t, { tls, records: [tlsaOf(selfSigned(['mx.x.test']))] })
    assert.deepEqual([verdict, gotMail, used?.source], ['deferred', false, 'dane'])
  }
})

test('unusable records demand TLS, with any certificate', async (t) => {
  const records = ['1 1 1 00', '3 9 1 00', '3 1 1 0011']
  const { verdict, tls } = await attempt(t, { tls: own, records })
  assert.deepEqual(
    [verdict, tls?.demand, tls?.source, tls?.verified],
    ['delivered', 'required', 'dane', false],
  )
  const clear = await attempt(t, { tls: null, records })
  assert.deepEqual([clear.verdict, clear.gotMail], ['deferred', false])
})

test('mail waits while the look-up of the records fails', async (t) => {
  for (const records of [{ rcode: 'SERVFAIL' }, { rcode: 'REFUSED' }, { silent: true }] as const) {
    const { verdict, message, connections } = await attempt(t, { tls: own, records })
    assert.deepEqual([verdict, connections], ['deferred', 0])
    assert.match(message, /the TLSA lookup of _\d+\._tcp\.mx\.x\.test failed \((SERVFAIL|REFUSED|TIMEOUT)\)/)
  }
})

test('without records, or with unvalidated answers, TLS is opportunistic', async (t) => {
  const wrong = tlsaOf(selfSigned(['mx.x.test']))
  const cases: Record<string, Case> = {
    'no records': { tls: null, records: { absentFor: 60 } },
    'records without proof': { tls: null, records: { values: [wrong] } },
    'an MX without proof': { tls: null, records: [wrong], zone: { 'x.test/MX': ['10 mx.x.test'] } },
    'an address without proof': { tls: null, records: [wrong], zone: { 'mx.x.test/A': ['127.0.0.1'] } },
  }
  for (const [what, given] of Object.entries(cases)) {
    const { verdict, tls, asked } = await attempt(t, given)
    assert.deepEqual([verdict, tls?.demand, tls?.source], ['delivered', 'opportunistic', 'default'], what)
    // Name servers of unsigned zones may fail on types that they do not know.
    assert.equal(asked, what.includes('record') ? 1 : 0, what)
  }
})

test('records of the name at the end of the aliases count first', async (t) => {
  const zone: Zone = {
    'mx.x.test/A': { values: ['127.0.0.1'], cname: 'real.test', secure: true },
    '_PORT._tcp.real.test/TLSA': { values: [tlsaOf(own)], secure: true },
  }
  const wrong = [tlsaOf(selfSigned(['mx.x.test']))]
  const { verdict, tls } = await attempt(t, { tls: own, records: wrong, zone })
  assert.deepEqual([verdict, tls?.verified], ['delivered', true])
})

test('a domain without MX is its own host', async (t) => {
  const zone: Zone = {
    'x.test/MX': { absentFor: 60 },
    'x.test/A': { values: ['127.0.0.1'], secure: true },
    '_PORT._tcp.x.test/TLSA': { values: [tlsaOf(own)], secure: true },
  }
  const { verdict, tls } = await attempt(t, { tls: own, records: [], zone })
  assert.deepEqual([verdict, tls?.source, tls?.verified], ['delivered', 'dane', true])
})

test('DANE takes precedence over MTA-STS, unless no record can be used', async (t) => {
  const proven = await attempt(t, { tls: own, records: [tlsaOf(own)], mtaSts: ['mx.y.test'] })
  assert.deepEqual([proven.verdict, proven.tls?.source], ['delivered', 'dane'])
  const wrong = [tlsaOf(selfSigned(['mx.x.test']))]
  const unproven = await attempt(t, { tls: own, records: wrong, mtaSts: ['mx.x.test'] })
  assert.deepEqual([unproven.verdict, unproven.tls?.source], ['deferred', 'dane'])
  const unusable = await attempt(t, { tls: own, records: ['1 1 1 00'], mtaSts: ['mx.x.test'] })
  assert.deepEqual([unusable.verdict, unusable.tls?.source], ['deferred', 'mta-sts'])
})
