/**
 * Real mail servers proven by what their domains publish: TLSA records (RFC 7672) and policies of MTA-STS (RFC 8461). A server that is not
 * the right one gets nothing, encrypted or in clear; nor does one that offers TLS and fails at it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { type Certificate, issuedBy, selfSigned } from '../../harness/certificate.ts'
import { Dialogue } from '../../src/delivery/smtp/dialogue.ts'
import { openSession } from '../../src/delivery/smtp/session.ts'
import { PolicyHost, policyFor } from '../support/policy-host.ts'
import { targetAt } from '../support/smtp-transaction.ts'
import { tlsaOf } from '../support/tlsa.ts'
import { Exim, eximAddresses } from './exim.ts'
import { missing, type ServerName } from './jail.ts'
import { OpenSmtpd, openSmtpdAddresses } from './opensmtpd.ts'
import type { Peer, PeerOptions } from './peer.ts'
import { Postfix, postfixAddresses } from './postfix.ts'
import { inBox, type Sending, Stage } from './stage.ts'

const BOXES = ['end', 'authority', 'policy', 'encrypted', 'clear', 'both', 'nothing']
const POLICY_HOST = '127.0.34.1'

const ROOT = { name: 'Test Root', ...selfSigned(['Test Root'], 30, 'rsa') }
const OWN = issuedBy(ROOT, ['mx0.good.test', 'mx0.xn--bcher-kva.test', 'mx0.proven.test'], { kind: 'rsa' })
/** With its authority, which TLSA records of the usage DANE-TA name (RFC 7671 5.2.2). */
const CERTIFICATE: Certificate = { ...OWN, cert: OWN.cert + ROOT.cert }
const OTHER = selfSigned(['mx0.good.test'])

interface Candidate {
  name: ServerName
  start(options: PeerOptions): Promise<Peer>
  at: { plain: string; withoutTls: string }
}

const CANDIDATES: Candidate[] = [
  { name: 'postfix', start: (options) => Postfix.start(options), at: postfixAddresses },
  { name: 'exim', start: (options) => Exim.start(options), at: eximAddresses },
  { name: 'opensmtpd', start: (options) => OpenSmtpd.start(options), at: openSmtpdAddresses },
]

for (const { name, start, at } of CANDIDATES) {
  const skip = missing(name) ?? false
  if (skip) process.stderr.write(`NOT TESTED with ${name}: ${skip}\n`)

  describe(`${name}, proven`, { skip }, () => {
    const started = new AsyncDisposableStack()
    let stage: Stage<Peer>
    let sending: Sending
    /** Debian 12's OpenSMTPD fails at every handshake. Then no client can verify it. */
    let encrypts: boolean
    before(async () => {
      // For connections of this process alone, which therefore delivers in no other thread.
      setDefaultCACertificates([...getCACertificates('default'), ROOT.cert])
      stage = started.use(await Stage.set(start, at.plain, BOXES, CERTIFICATE))
      const policies = {
        'proven.test': policyFor('mx0.proven.test'),
        'named.test': policyFor('mx0.named.test'),
        'stripped.test': policyFor('mx0.stripped.test'),
        'testing.test': policyFor('elsewhere.test', 'testing'),
        'both.test': policyFor('elsewhere.test'),
      }
      const names = Object.keys(policies).map((domain) => `mta-sts.${domain}`)
      started.use(await PolicyHost.start(POLICY_HOST, issuedBy(ROOT, names, { kind: 'rsa' }), policies))
      encrypts = await canEncrypt(at.plain, stage.port)
      sending = started.use(await stage.direct('good.test', [at.plain], { deliveryThreads: 0 }))
    })
    after(() => started.disposeAsync())

    const withRecord = (domain: string, host: string, record: string) => {
      stage.lead(domain, [host], { signed: true })
      stage.zone[`_${stage.port}._tcp.mx0.${domain}/TLSA`] = { values: [record], secure: true }
    }
    const withPolicy = (domain: string, host: string) => {
      stage.lead(domain, [host])
      stage.zone[`mta-sts.${domain}/A`] = [POLICY_HOST]
      stage.zone[`_mta-sts.${domain}/TXT`] = ['v=STSv1; id=one;']
    }

    /** The mail arrives encrypted, and its attempt shows the rule that required it, and whether the server was proven. */
    async function encrypted(address: string, source: string, demand = 'verified'): Promise<void> {
      const [box, domain] = address.split('@') as [string, string]
      if (!encrypts) return await refuses(domain, /TLS/)
      const { attempts } = await sending.delivered(await sending.send([address]))
      const { tls } = attempts.at(-1)!
      assert.deepEqual([tls?.demand, tls?.source, tls?.verified], [demand, source, demand === 'verified'])
      const [stored] = await inBox(stage.peer, box, 1)
      assert.match(String(stored), /with esmtps /i)
    }

    /** The mail waits, and the server sees neither its sender nor its recipient. */
    async function refuses(domain: string, words: RegExp): Promise<void> {
      const id = await sending.send([`nothing@${domain}`])
      assert.deepEqual(await sending.outcome(id), [{ state: 'waiting', attempts: 1, suppressed: false }])
      const { recipients, attempts } = await sending.settled(id)
      assert.match(recipients[0]!.lastMessage ?? '', encrypts ? words : /TLS/)
      for (const { dialogue } of attempts) assert.doesNotMatch(dialogue, /> (?:MAIL|RCPT|DATA)/)
      assert.deepEqual(stage.peer.delivered('nothing'), [])
    }

    test('a TLSA record for its own key (DANE-EE)', async () => {
      withRecord('good.test', at.plain, tlsaOf(OWN))
      await encrypted('end@good.test', 'dane')
    })

    test('a TLSA record for the key of its authority (DANE-TA)', async () => {
      withRecord('xn--bcher-kva.test', at.plain, tlsaOf(ROOT, 2))
      await encrypted('authority@xn--bcher-kva.test', 'dane')
    })

    test('a TLSA record for another key', async () => {
      withRecord('other.test', at.plain, tlsaOf(OTHER))
      await refuses('other.test', /the certificate matches no TLSA record of mx0\.other\.test/)
    })

    test('a TLSA record, and no STARTTLS', async () => {
      withRecord('clear.test', at.withoutTls, tlsaOf(OWN))
      await refuses('clear.test', /offers no STARTTLS, but TLS is required/)
    })

    test('a TLSA record that no mail server may have: encrypted, to any server', async () => {
      withRecord('unusable.test', at.plain, tlsaOf(OTHER, 1))
      await encrypted('encrypted@unusable.test', 'dane', 'required')
      withRecord('unusable-clear.test', at.withoutTls, tlsaOf(OTHER, 1))
      await refuses('unusable-clear.test', /offers no STARTTLS, but TLS is required/)
    })

    test('a failed look-up of TLSA records', async () => {
      withRecord('failing.test', at.plain, tlsaOf(OWN))
      stage.zone[`_${stage.port}._tcp.mx0.failing.test/TLSA`] = { rcode: 'SERVFAIL' }
      await refuses('failing.test', /the TLSA lookup of _\d+\._tcp\.mx0\.failing\.test failed \(SERVFAIL\)/)
    })

    test('a policy of MTA-STS', async () => {
      withPolicy('proven.test', at.plain)
      await encrypted('policy@proven.test', 'mta-sts')
    })

    test('a policy of MTA-STS, and a certificate with another name', async () => {
      withPolicy('named.test', at.plain)
      await refuses('named.test', /mx0\.named\.test .*ALTNAME/)
    })

    test('a policy of MTA-STS, and no STARTTLS', async () => {
      withPolicy('stripped.test', at.withoutTls)
      await refuses('stripped.test', /offers no STARTTLS, but TLS is required/)
    })

    test('a policy of MTA-STS that is tested, of another server: it goes in clear', async () => {
      withPolicy('testing.test', at.withoutTls)
      const { attempts } = await sending.delivered(await sending.send(['clear@testing.test']))
      assert.deepEqual([attempts[0]!.tls?.demand, attempts[0]!.tls?.version], ['opportunistic', null])
      await inBox(stage.peer, 'clear', 1)
    })

    test('a TLSA record, and a policy of MTA-STS of another server: the record counts', async () => {
      withPolicy('both.test', at.plain)
      withRecord('both.test', at.plain, tlsaOf(OWN))
      await encrypted('both@both.test', 'dane')
    })
  })
}

async function canEncrypt(address: string, port: number): Promise<boolean> {
  try {
    const session = await openSession(targetAt(port, { address, tls: 'required' }), new Dialogue())
    await session.quit()
    return true
  } catch {
    return false
  }
}
