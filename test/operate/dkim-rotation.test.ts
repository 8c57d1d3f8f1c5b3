/** The rotation of DKIM keys, and checks of the service by itself: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { FakeDns } from '../../harness/dns.ts'
import { keysOfDomains, verifyDkim } from '../../harness/verify-dkim.ts'
import {
  CHECK_EVERY_MS,
  type DkimIdentity,
  RETIRING_MS,
  type SendingDomain,
} from '../../src/accounts/account.ts'
import { dkimRecordName, dnsRecords } from '../../src/accounts/dns-records.ts'
import { addDkimKey, removeDkimKey, renameDkimKey, switchDkimKey } from '../../src/operate/dkim-keys.ts'
import { cancelDkimRotation, finishDkimRotation, rotateDkimKey } from '../../src/operate/dkim-rotation.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { Api } from '../http/requests.ts'
import type { Service } from '../support/service.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { until } from '../support/until.ts'
import { CheckedDomains } from './checked-domains.ts'

const MINUTE = 60_000

describe('DKIM keys by themselves', () => {
  let rig: CheckedDomains
  let dns: FakeDns
  let service: Service
  let company: string
  let operation: CheckedDomains['operation']
  let checksAt: CheckedDomains['checksAt']
  let serial = 0
  before(async () => {
    rig = await CheckedDomains.start({ hostname: 'mail.service.test' })
    ;({ dns, service, company, operation, checksAt } = rig)
  })
  after(() => rig[Symbol.asyncDispose]())
  beforeEach(() => rig.clear())

  function publish(domain: SendingDomain, keys: readonly DkimIdentity[] = domain.dkim): void {
    for (const key of keys) {
      const [record] = dnsRecords({ ...domain, dkim: [key] }, SERVICE_NAMES)
      dns.zone[`${record!.name}/TXT`] = [record!.value]
    }
  }
  function unpublish(domain: SendingDomain, key: DkimIdentity): void {
    delete dns.zone[`${dkimRecordName(key, domain)}/TXT`]
  }
  /** One that sends, and whose records were found. */
  async function verified(): Promise<SendingDomain> {
    const domain = await service.domain(company, `d${serial++}.example`)
    publish(domain)
    return (await verifyDomain(await operation(), { domain: domain.id })).domain
  }
  const now = async ({ id }: SendingDomain) => (await service.store.findDomain(id))!
  const stages = ({ dkim }: SendingDomain) =>
    dkim.map(({ active, rotation }) => rotation?.stage ?? (active ? 'signs' : 'off'))
  const isNext = ({ rotation }: DkimIdentity) => rotation?.stage === 'next'
  async function audited(domain: SendingDomain): Promise<string[]> {
    const entries = await service.store.audit({ companyId: company, limit: 100 })
    const own = entries.filter(({ target }) => target === domain.name).toReversed()
    return own.map(({ action, actor }) => `${actor.kind} ${action}`)
  }

  test('a next key signs once DNS has its record; the previous record stays seven days, then may go', async () => {
    const domain = await verified()
    const [first] = domain.dkim as [DkimIdentity]
    // After the domain's own minute of the hour, only the rotation has DNS asked until the next one.
    const start = (await service.store.domainCheckTimes(domain.id))!.dueAt! + 1
    const begun = await rotateDkimKey(await operation(start), { domain: domain.id })
    assert.deepEqual(stages(begun), ['signs', 'next'])
    const next = begun.dkim[1]!
    const record = dnsRecords(begun, SERVICE_NAMES).find(({ name }) => name.startsWith(next.selector))!
    assert.deepEqual([record.required, /as soon as DNS/.test(record.purpose)], [false, true])

    // DNS does not follow: it waits, is asked again, and the domain stays as it is.
    for (const minutes of [1, 2, 9]) {
      await checksAt(start + minutes * MINUTE)
      assert.deepEqual(stages(await now(domain)), ['signs', 'next'])
      const times = await service.store.domainCheckTimes(domain.id)
      assert.equal(times!.checkedAt, start + minutes * MINUTE)
      assert.equal(times!.dueAt, start + (minutes + 1) * MINUTE)
    }
    assert.equal((await now(domain)).status, 'verified')
    assert.equal((await now(domain)).dkim[1]!.seen, 'missing')

    // Two nodes at once.
    publish(domain, [next])
    const found = start + 10 * MINUTE
    await Promise.all([checksAt(found), checksAt(found)])
    const promoted = await now(domain)
    assert.deepEqual(stages(promoted), ['retiring', 'signs'])
    assert.deepEqual(promoted.dkim[0]!.rotation, { stage: 'retiring', since: found })
    const [signing, kept] = dnsRecords(promoted, SERVICE_NAMES)
    assert.equal(signing!.name, dkimRecordName(promoted.dkim[1]!, promoted), 'the key that signs comes first')
    assert.deepEqual([signing!.required, kept!.required], [true, true])

    await checksAt(found + RETIRING_MS - 1)
    assert.deepEqual(stages(await now(domain)), ['retiring', 'signs'])
    await checksAt(found + RETIRING_MS)
    const retired = await now(domain)
    assert.deepEqual(stages(retired), ['retired', 'signs'])
    assert.equal(dnsRecords(retired, SERVICE_NAMES)[1]!.required, false)
    await checksAt(found + RETIRING_MS + CHECK_EVERY_MS)
    assert.deepEqual(stages(await now(domain)), ['retired', 'signs'], 'its record is still in DNS')
    unpublish(domain, first)
    await checksAt(found + RETIRING_MS + 2 * CHECK_EVERY_MS)
    const after = await now(domain)
    assert.deepEqual([stages(after), after.status], [['signs'], 'verified'])
    assert.deepEqual(await audited(domain), [
      'command-line verifyDomain',
      'command-line rotateDkimKey',
      'service finishDkimRotation',
      'service retireDkimKey',
      'service removeDkimKey',
    ])
  })

  test('mail is signed with the previous key until then, and with the next one alone afterwards', async () => {
    const domain = await verified()
    const { token } = await service.key(company)
    const api = new Api(service.url, token)
    const signers = async () => {
      await service.app.refreshAccounts()
      const id = await api.accepted({ from: `a@${domain.name}`, to: 'b@x.test', subject: 's', text: 't' })
      const [copy] = await until(async () => {
        const copies = await service.store.readCaptured(id)
        return copies.length > 0 && copies
      }, 'the captured message')
      const { pass } = await verifyDkim(copy!.raw, keysOfDomains([await now(domain)]))
      assert.ok(pass)
      const text = Buffer.from(copy!.raw)
        .toString('latin1')
        .replace(/\r\n\s/g, ' ')
      return [...text.matchAll(/^DKIM-Signature:.*?\bs=([^;]+);/gim)].map((match) => match[1])
    }
    const begun = await rotateDkimKey(await operation(), { domain: domain.id })
    const [first, next] = begun.dkim as [DkimIdentity, DkimIdentity]
    assert.deepEqual(await signers(), [first.selector])
    publish(begun)
    await verifyDomain(await operation(), { domain: domain.id })
    assert.deepEqual(await signers(), [next.selector])
  })

  test('the running service finds the record by itself', async () => {
    const domain = await verified()
    const begun = await rotateDkimKey(await operation(), { domain: domain.id })
    publish(begun)
    await service.store.noteDomainCheck(domain.id, { dueAt: 0 })
    await until(async () => stages(await now(domain)).join() === 'retiring,signs', 'the switch')
  })

  test('each algorithm of a domain gets its next key, which replaces its own', async () => {
    const domain = await verified()
    await addDkimKey(await operation(), { domain: domain.id, selector: 'ed', pem: ED25519 })
    const both = await switchDkimKey(await operation(), {
      ...{ domain: domain.id, selector: 'ed', active: true, force: true },
    })
    const begun = await rotateDkimKey(await operation(), { domain: domain.id })
    assert.deepEqual(stages(begun), ['signs', 'signs', 'next', 'next'])
    assert.deepEqual(
      begun.dkim.map(({ algorithm }) => algorithm),
      ['rsa-sha256', 'ed25519-sha256', 'rsa-sha256', 'ed25519-sha256'],
    )
    assert.equal(new Set(begun.dkim.map(({ selector }) => selector)).size, 4)
    publish(both)
    publish(begun, [begun.dkim[3]!])
    const { domain: half } = await verifyDomain(await operation(), { domain: domain.id })
    assert.deepEqual(stages(half), ['signs', 'retiring', 'next', 'signs'])
    publish(begun)
    const { domain: whole } = await verifyDomain(await operation(), { domain: domain.id })
    assert.deepEqual(stages(whole), ['retiring', 'retiring', 'signs', 'signs'])
  })

  test('a rotation can be cancelled while it waits, and there is one at a time', async () => {
    const domain = await verified()
    const begun = await rotateDkimKey(await operation(), { domain: domain.id })
    const name = dkimRecordName(begun.dkim.find(isNext)!, domain)
    await assert.rejects(rotateDkimKey(await operation(), { domain: domain.id }), (error: Error) => {
      assert.match(error.message, /already waiting/)
      return error.message.includes(name)
    })
    const cancelled = await cancelDkimRotation(await operation(), { domain: domain.id })
    assert.deepEqual(stages(cancelled), ['signs'])
    publish(begun)
    await verifyDomain(await operation(), { domain: domain.id })
    assert.deepEqual(stages(await now(domain)), ['signs'])
    const again = await rotateDkimKey(await operation(), { domain: domain.id })
    assert.notEqual(again.dkim.find(isNext)!.selector, begun.dkim.find(isNext)!.selector)
  })

  test('a rotation repairs a domain whose DKIM record was removed from DNS, without a wait for that key', async () => {
    const domain = await verified()
    const later = Date.now() + 2 * CHECK_EVERY_MS
    unpublish(domain, domain.dkim[0]!)
    const [news, ...more] = await checksAt(later)
    assert.match(news ?? '', /^DNS has lost the DKIM records of/)
    assert.ok(news?.includes(domain.name))
    assert.deepEqual(more, [])
    const lost = await now(domain)
    assert.deepEqual([lost.status, lost.sending, lost.dkim[0]!.seen], ['pending', 'active', 'missing'])
    assert.deepEqual((await audited(domain)).at(-1), 'service verifyDomain')

    const begun = await rotateDkimKey(await operation(later), { domain: domain.id })
    publish(domain, [begun.dkim[1]!])
    await checksAt(later + 5 * MINUTE)
    const repaired = await now(domain)
    assert.deepEqual([stages(repaired), repaired.status], [['signs'], 'verified'])
  })

  test('DNS that does not answer takes nothing from a domain', async () => {
    const domain = await verified()
    const name = dkimRecordName(domain.dkim[0]!, domain)
    dns.zone[`${name}/TXT`] = { rcode: 'SERVFAIL' }
    const later = Date.now() + 2 * CHECK_EVERY_MS
    assert.deepEqual(await checksAt(later), [])
    const after = await now(domain)
    assert.deepEqual([after.status, after.dkim[0]!.seen], ['verified', 'unknown'])
    assert.equal((await service.store.domainCheckTimes(domain.id))!.dueAt, later + 10 * MINUTE)
  })

  test('a check that finds nothing new writes nothing that other nodes would have to read', async () => {
    const domain = await verified()
    const later = Date.now() + 2 * CHECK_EVERY_MS
    await checksAt(later)
    const version = await service.store.accountsVersion()
    const entries = await audited(domain)
    await checksAt(later + 2 * CHECK_EVERY_MS)
    assert.equal(await service.store.accountsVersion(), version)
    assert.deepEqual(await audited(domain), entries)
  })

  test('a change that would leave mail without a signature confirmed by DNS needs force', async () => {
    const domain = await verified()
    const [first] = domain.dkim as [DkimIdentity]
    const key = { domain: domain.id, selector: 's2' }
    await addDkimKey(await operation(), key)
    const refused = (message: RegExp) => ({ code: 'unconfirmed', message })
    const on = { ...key, active: true }
    await assert.rejects(
      switchDkimKey(await operation(), on),
      refused(/no record at s2\._domainkey.* only the signature of pr\d+ would count/),
    )
    dns.zone[`s2._domainkey.${domain.name}/TXT`] = ['v=DKIM1; k=rsa; p=AAAA']
    await assert.rejects(switchDkimKey(await operation(), on), refused(/another record/))
    await switchDkimKey(await operation(), { ...on, force: true })

    // The first one is the only one that receivers can verify.
    const off = { domain: domain.id, selector: first.selector, active: false }
    await assert.rejects(
      switchDkimKey(await operation(), off),
      refused(/only key .* in DNS.* would fail DKIM/),
    )
    await assert.rejects(removeDkimKey(await operation(), off), refused(/only key/))
    await assert.rejects(renameDkimKey(await operation(), { ...off, to: 's9' }), refused(/at s9\._domainkey/))
    unpublish(domain, first)
    dns.zone[`${dkimRecordName(first, domain)}/TXT`] = { rcode: 'SERVFAIL' }
    await switchDkimKey(await operation(), off)
    assert.deepEqual(stages(await now(domain)), ['off', 'signs'])

    // What DNS has is done at once.
    publish(await now(domain))
    await switchDkimKey(await operation(), { ...off, active: true })
    await switchDkimKey(await operation(), off)
  })

  test('a next key signs before DNS has it only on purpose, and the badge says so', async () => {
    const domain = await verified()
    await rotateDkimKey(await operation(), { domain: domain.id })
    await assert.rejects(finishDkimRotation(await operation(), { domain: domain.id }), {
      code: 'unconfirmed',
      message: /no record at .* would fail DKIM/,
    })
    const at = Date.now()
    await finishDkimRotation(await operation(at), { domain: domain.id, force: true })
    assert.deepEqual(stages(await now(domain)), ['retiring', 'signs'])
    // The check is due at once.
    await checksAt(at)
    assert.equal((await now(domain)).status, 'pending')
  })
})

const ED25519 = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`
