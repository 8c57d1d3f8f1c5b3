/** Hosts of return paths that may belong to another company: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { FakeDns } from '../../harness/dns.ts'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { usedReturnPath } from '../../src/accounts/return-path.ts'
import { personIn } from '../../src/operate/authority.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { showDomain, updateDomain } from '../../src/operate/domains.ts'
import { returnPathState } from '../../src/operate/return-path.ts'
import { serviceNames } from '../../src/operate/service-names.ts'
import type { Service } from '../support/service.ts'
import { CheckedDomains } from './checked-domains.ts'

const HOUR = 60 * 60_000
const SHARED = 'bounces.corp.test'

describe('the return path of a domain at a host of another organization', () => {
  let rig: CheckedDomains
  let dns: FakeDns
  let service: Service
  let victim: string
  let evil: string
  before(async () => {
    rig = await CheckedDomains.start({ hostname: 'mail.service.test', bounceHost: 'mx.service.test' })
    ;({ dns, service, company: victim } = rig)
    evil = (await service.company()).id
  })
  after(() => rig[Symbol.asyncDispose]())
  beforeEach(() => rig.clear())

  const now = async ({ id }: SendingDomain) => (await service.store.findDomain(id))!
  const state = async (domain: SendingDomain) => returnPathState(await rig.operation(), await now(domain))
  const seenByCompany = async (domain: SendingDomain) => {
    const caller = personIn({ id: 'x', name: 'x' }, domain.companyId, 'owner')
    return returnPathState({ ...(await rig.operation()), caller }, await now(domain))
  }
  /** Writes the records that the domain needs into DNS, apart from those of these kinds. */
  async function publish(domain: SendingDomain, without = /^$/): Promise<void> {
    const names = serviceNames(await rig.operation(), await now(domain))
    for (const { kind, type, name, value, preference } of dnsRecords(await now(domain), names)) {
      if (without.test(kind)) continue
      const text = preference === null ? value : `${preference} ${value}`
      const before = kind === 'return_path_owner' ? ((dns.zone[`${name}/${type}`] as string[]) ?? []) : []
      dns.zone[`${name}/${type}`] = [...before, text]
    }
  }
  async function check(domain: SendingDomain): Promise<SendingDomain> {
    return (await verifyDomain(await rig.operation(), { domain: domain.id })).domain
  }
  async function added(companyId: string, name: string, returnPath?: string): Promise<SendingDomain> {
    const domain = await service.domain(companyId, name)
    if (returnPath !== undefined) {
      await updateDomain(await rig.operation(), { domain: domain.id, settings: { returnPath } })
    }
    return await now(domain)
  }
  async function usedAt(companyId: string, name: string, returnPath?: string): Promise<string | null> {
    const domain = await added(companyId, name, returnPath)
    await publish(domain)
    return usedReturnPath(await check(domain))
  }

  test('is used when the owner of the host names the domain in DNS, and not because of records for others', async () => {
    const ours = await added(victim, 'victim.test', SHARED)
    await publish(ours)
    assert.equal(usedReturnPath(await check(ours)), SHARED)
    const theirs = await added(evil, 'evil.test', SHARED)
    await publish(theirs, /^return_path/)
    const { status } = await check(theirs)
    assert.equal(usedReturnPath(await now(theirs)), null)
    assert.equal(status, 'pending', 'the record of the owner is required')
    const { records } = await showDomain(await rig.operation(), { domain: theirs.id })
    const wanted = records.filter(({ kind, required }) => kind === 'return_path_owner' && required)
    assert.deepEqual(
      wanted.map(({ type, name, value, seen }) => [type, name, value, seen]),
      [['TXT', `_postroad.${SHARED}`, 'return-path-for=evil.test', 'missing']],
    )
    assert.match((await state(theirs)).problem!, /^victim\.test, a domain of another company, uses it/)
    assert.equal((await seenByCompany(theirs)).problem, 'DNS has not had all of its records yet')
  })

  test('is that of one company, the first that used it', async () => {
    const ours = await added(victim, 'victim.test', SHARED)
    await publish(ours)
    await check(ours)
    assert.equal(await usedAt(evil, 'evil.test', SHARED), null)
    assert.equal(usedReturnPath(await check(ours)), SHARED)
    const theirs = (await service.store.accounts()).domains.find(({ name }) => name === 'evil.test')!
    assert.match((await seenByCompany(theirs)).problem!, /^this service does not allow it/)
    assert.doesNotMatch((await seenByCompany(theirs)).problem!, /victim/)
    // Two domains of one company may share it.
    assert.equal(await usedAt(victim, 'second.test', SHARED), SHARED)
  })

  test('ends when it is no longer allowed: mail gets the address of its author, and the owner is notified', async () => {
    const start = Date.now()
    const theirs = await added(evil, 'evil.test', SHARED)
    await publish(theirs, /^return_path_owner$/)
    // As an earlier version had left it.
    await service.store.updateDomain(theirs.id, { returnPathHost: SHARED, status: 'verified' })
    assert.equal(usedReturnPath(await now(theirs)), SHARED)
    assert.deepEqual(await rig.checksAt(start + HOUR), [
      'DNS lacks required records of evil.test.',
      `DNS lacks records of ${SHARED}: bounces of mail from evil.test go to the address in From.`,
    ])
    assert.equal(usedReturnPath(await now(theirs)), null)
    assert.equal((await now(theirs)).sending, 'active')
    await publish(theirs)
    assert.equal(usedReturnPath(await check(theirs)), SHARED)
    await usedAt(victim, 'corp.test')
    assert.deepEqual(await rig.checksAt(start + 3 * HOUR), [
      `${SHARED} may belong to somebody else: bounces of mail from evil.test go to the address in From.`,
    ])
    assert.equal(usedReturnPath(await now(theirs)), null)
  })

  test('is no host in the organization of a domain of another company, or of the service', async () => {
    await usedAt(victim, 'mail.corp.test')
    for (const host of ['mail.corp.test', 'x.mail.corp.test', 'corp.test', SHARED]) {
      assert.equal(await usedAt(evil, `${host.length}.evil.test`, host), null, host)
    }
    for (const host of ['mail.service.test', 'mx.service.test']) {
      assert.equal(await usedAt(evil, `${host.length}.evil2.test`, host), null, host)
    }
    const [denied] = (await service.store.accounts()).domains.filter(({ name }) => name === '17.evil2.test')
    assert.match((await state(denied!)).problem!, /^it is a name of this service/)
  })

  test('needs no proof at a host of one of the organizations of the company', async () => {
    const host = 'bounces.ours.test'
    const sibling = await added(victim, 'mail.ours.test', host)
    await publish(sibling)
    assert.equal(usedReturnPath(await check(sibling)), host)
    const other = await added(victim, 'another.test', host)
    await publish(other)
    assert.equal(usedReturnPath(await check(other)), host)
    assert.deepEqual(
      Object.keys(dns.zone).filter((name) => name.includes('_postroad')),
      [],
    )
  })

  test('needs a proof at the host of a neighbor below a registry', async () => {
    for (const registry of ['asso.fr', 'github.io']) {
      const host = `bounces.neighbor.${registry}`
      const domain = await added(evil, `evil.${registry}`, host)
      await publish(domain, /^return_path_owner$/)
      assert.equal(usedReturnPath(await check(domain)), null, host)
      await publish(domain)
      assert.equal(usedReturnPath(await check(domain)), host)
    }
  })

  test('may be a host below a registry where another company has a domain, too', async () => {
    const holder = await added(victim, 'holder.asso.fr')
    await publish(holder)
    await check(holder)
    const host = 'bounces.friend.asso.fr'
    assert.equal(await usedAt(evil, 'from-friend.test', host), host)
  })

  test('is not taken by an unproven claim of the name', async () => {
    const claim = await service.domain(evil, 'corp.test', 'inactive')
    await publish(claim, /^dkim$/)
    assert.equal((await check(claim)).status, 'pending')
    assert.equal(await usedAt(victim, 'victim.test', SHARED), SHARED)
  })

  test('the records of one host say nothing about the next host', async () => {
    const domain = await added(evil, 'evil.test')
    await publish(domain)
    await check(domain)
    assert.equal((await now(domain)).seen.return_path_mx, 'right')
    await updateDomain(await rig.operation(), { domain: domain.id, settings: { returnPath: SHARED } })
    assert.equal((await now(domain)).seen.return_path_mx, undefined)
    assert.equal((await now(domain)).seen.dkim, 'right')
  })
})
