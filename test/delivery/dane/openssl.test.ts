/** The judge of DANE against OpenSSL's own, over generated chains and records (RFC 6698, RFC 7671, RFC 7672). */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Certificate, type Issuer, issuedBy, selfSigned } from '../../../harness/certificate.ts'
import { authoritiesKey } from '../../../src/delivery/dane/authorities.ts'
import { publicKeyOf } from '../../../src/delivery/dane/certificate.ts'
import { type DaneProof, proofKey } from '../../../src/delivery/dane/demand.ts'
import { usableRecords } from '../../../src/delivery/dane/tlsa.ts'
import { Dialogue } from '../../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../../src/delivery/smtp/session.ts'
import type { TlsaRecord } from '../../../src/dns/record.ts'
import { startSink } from '../../support/sink.ts'

const HOST = 'mx.x.test'
const hasOpenSsl = spawnSync('openssl', ['version']).status === 0

const named = (name: string, certificate: Certificate): Issuer => ({ name, ...certificate })
const stranger = selfSigned(['stranger.test'])

interface Chain {
  leaf: Certificate
  /** The certificates that the server sends above its own. */
  above: Certificate[]
}

/** New for each chain: an authority that is known from another one would count. */
function newAuthorities() {
  const root = named('Root', selfSigned(['Root']))
  const middle = named('Middle', issuedBy(root, ['Middle'], { authority: true }))
  const noAuthority = named('Nobody', issuedBy(root, ['Nobody']))
  return { root, middle, noAuthority }
}

type Authorities = ReturnType<typeof newAuthorities>

const CHAINS: Record<string, (authorities: Authorities) => Chain> = {
  'a right chain': ({ root, middle }) => ({ leaf: issuedBy(middle, [HOST]), above: [middle, root] }),
  'a chain without its root': ({ middle }) => ({ leaf: issuedBy(middle, [HOST]), above: [middle] }),
  'a certificate alone': ({ middle }) => ({ leaf: issuedBy(middle, [HOST]), above: [] }),
  'an expired certificate': ({ root, middle }) => ({
    leaf: issuedBy(middle, [HOST], { validFor: -1 }),
    above: [middle, root],
  }),
  'another name': ({ root, middle }) => ({ leaf: issuedBy(middle, ['other.test']), above: [middle, root] }),
  'an issuer that is no authority': ({ root, noAuthority }) => ({
    leaf: issuedBy(noAuthority, [HOST]),
    above: [noAuthority, root],
  }),
  'a self-signed certificate': () => ({ leaf: selfSigned([HOST]), above: [] }),
  'an RSA key': ({ root, middle }) => ({
    leaf: issuedBy(middle, [HOST], { kind: 'rsa' }),
    above: [middle, root],
  }),
}

function der({ cert }: Certificate): Buffer {
  return new X509Certificate(cert).raw
}

function record(usage: number, selector: number, matchingType: number, of: Certificate): TlsaRecord {
  const selected = selector === 0 ? der(of) : publicKeyOf(der(of))!
  const digest = (algorithm: string) => createHash(algorithm).update(selected).digest()
  const data = [selected, digest('sha256'), digest('sha512')][matchingType]!
  return { usage, selector, matchingType, data }
}

function textOf({ usage, selector, matchingType, data }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${data.toString('hex')}`
}

async function acceptedByOpenSsl(port: number, records: TlsaRecord[]): Promise<boolean> {
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', HOST, '-verify_return_error']
  args.push('-dane_tlsa_domain', HOST, '-dane_ee_no_namechecks', '-no-CAfile', '-no-CApath')
  for (const each of records) args.push('-dane_tlsa_rrdata', textOf(each))
  const run = promisify(execFile)('openssl', args)
  run.child.stdin?.end()
  try {
    const { stdout } = await run
    return /Verif(?:ication: OK|y return code: 0)/.test(stdout)
  } catch {
    return false
  }
}

async function acceptedByUs(port: number, proof: DaneProof, tries = 2): Promise<boolean> {
  const known = authoritiesKey(proof)
  const target = {
    ...({ host: HOST, address: '127.0.0.1', port, implicitTls: true, tls: 'verified', dane: proof } as const),
    ...{ credentials: null, helo: 'out.acme.test' },
  }
  try {
    const session = await openSession(target, new Dialogue())
    assert.equal(session.tls?.verified, true)
    session.destroy()
    return true
  } catch {
    return tries > 1 && authoritiesKey(proof) !== known ? await acceptedByUs(port, proof, tries - 1) : false
  }
}

describe('DANE is judged as by OpenSSL', { skip: !hasOpenSsl && 'there is no openssl here' }, () => {
  for (const [what, make] of Object.entries(CHAINS)) {
    test(what, async () => {
      const authorities = newAuthorities()
      const { leaf, above } = make(authorities)
      const cert = [leaf, ...above].map((certificate) => certificate.cert).join('')
      await using sink = await startSink({ tls: { cert, key: leaf.key, implicit: true } })
      const sets = setsFor(leaf, authorities)
      const verdicts = await Promise.all(
        sets.map(async (records) => [
          records.map(textOf).join(', '),
          await acceptedByUs(sink.port, { records: usableRecords(records), names: [HOST] }),
        ]),
      )
      for (const [index, records] of sets.entries()) {
        const [text, ours] = verdicts[index]!
        assert.equal(ours, await acceptedByOpenSsl(sink.port, records), String(text).slice(0, 200))
      }
      assert.ok(verdicts.some(([, accepted]) => accepted === true))
    })
  }
})

/** Sets of records: each kind alone, and some beside others. */
function setsFor(leaf: Certificate, { root, middle, noAuthority }: Authorities): TlsaRecord[][] {
  const sets: TlsaRecord[][] = []
  for (const selector of [0, 1]) {
    for (const matchingType of [0, 1, 2]) {
      for (const certificate of [leaf, stranger]) sets.push([record(3, selector, matchingType, certificate)])
      for (const certificate of [leaf, middle, root, noAuthority, stranger]) {
        // OpenSSL takes a bare key for an authority even if the server does not send its certificate.
        if (selector === 1 && matchingType === 0) continue
        sets.push([record(2, selector, matchingType, certificate)])
      }
    }
  }
  sets.push([record(3, 1, 1, stranger), record(3, 1, 1, leaf)])
  sets.push([record(2, 0, 1, middle), record(3, 1, 1, stranger)])
  // RFC 7671 9: the stronger digest counts alone.
  sets.push([record(3, 1, 1, leaf), record(3, 1, 2, stranger)])
  sets.push([record(3, 0, 1, leaf), record(3, 1, 2, stranger)])
  return sets
}

test('a certificate or key with octets behind it, or larger than any, is unusable', () => {
  const leaf = der(selfSigned([HOST]))
  const of = (selector: number, data: Buffer): TlsaRecord => ({ usage: 3, selector, matchingType: 0, data })
  for (const record of [of(0, leaf), of(1, publicKeyOf(leaf)!)]) {
    assert.equal(usableRecords([record]).length, 1)
    for (const octets of [1, 60_000]) {
      const data = Buffer.concat([record.data, Buffer.alloc(octets)])
      assert.deepEqual(usableRecords([{ ...record, data }]), [])
    }
  }
})

test('the key of a proof is short, whatever the zone holds', () => {
  const record = { usage: 3, selector: 0, matchingType: 0, data: Buffer.alloc(60_000) }
  const other = { ...record, data: Buffer.alloc(60_001) }
  const keys = [record, other].map((each) => proofKey({ records: [each], names: [HOST] }))
  assert.notEqual(keys[0], keys[1])
  assert.ok(keys.every(({ length }) => length < 100))
})
