/** Domains whose records come, vanish and come back: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { FakeDns } from '../../harness/dns.ts'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { usedReturnPath } from '../../src/accounts/return-path.ts'
import { verifyDomain } from '../../src/operate/domain-verification.ts'
import { activateDomain, showDomain, updateDomain } from '../../src/operate/domains.ts'
import type { Service } from '../support/service.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { CheckedDomains } from './checked-domains.ts'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const BOUNCE_HOST = 'mx.service.test'
const NAMES = { ...SERVICE_NAMES, bounceHost: BOUNCE_HOST }

describe('a domain that sends', () => {
  let rig: CheckedDomains
  let dns: FakeDns
  let service: Service
  let company: string
  let operation: CheckedDomains['operation']
  let checksAt: CheckedDomains['checksAt']
  let serial = 0
  before(async () => {
    rig = await CheckedDomains.start({ hostname: NAMES.hostname, bounceHost: BOUNCE_HOST })
    ;({ dns, service, company, operation, checksAt } = rig)
  })
  after(() => rig[Symbol.asyncDispose]())
  beforeEach(() => rig.clear())

  function publish(domain: SendingDomain): void {
    for (const { type, name, value, preference } of dnsRecords(domain, NAMES)) {
      dns.zone[`${name}/${type}`] = [preference === null ? value : `${preference} ${value}`]
    }
  }
  function unpublish(domain: SendingDomain, kinds: RegExp): void {
    for (const { kind, type, name } of dnsRecords(domain, NAMES)) {
      if (kinds.test(kind)) delete dns.zone[`${name}/${type}`]
    }
  }
  const now = async ({ id }: SendingDomain) => (await service.store.findDomain(id))!
  async function verified(start = Date.now()): Promise<SendingDomain> {
    const domain = await service.domain(company, `r${serial++}.example`)
    publish(domain)
    return (await verifyDomain(await operation(start), { domain: domain.id })).domain
  }

  test('that loses its DKIM records sends for three days, causes an alert in the first hour, and recovers', async () => {
    const start = Date.now()
    const domain = await verified(start)
    unpublish(domain, /^dkim$/)
    const [lost, ...others] = await checksAt(start + HOUR)
    assert.match(lost!, /^DNS has lost the DKIM records of r\d+\.example\. Sending ends at 20/)
    assert.deepEqual(others, [])
    const lostAt = (await now(domain)).lostSince!
    assert.equal(lostAt, start + HOUR)

    assert.deepEqual(await checksAt(lostAt + 3 * DAY - 1), [], 'it is told of once')
    assert.equal((await now(domain)).sending, 'active')
    const [ended] = await checksAt(lostAt + 3 * DAY)
    assert.match(ended!, /^Sending from r\d+\.example has ended/)
    assert.equal((await now(domain)).sending, 'inactive')
    assert.deepEqual(await checksAt(lostAt + 4 * DAY), [], 'it is still checked, and stays as it is')

    publish(domain)
    assert.deepEqual(await checksAt(lostAt + 5 * DAY), [`DNS has the DKIM records of ${domain.name} again.`])
    const { status, sending, lostSince } = await now(domain)
    assert.deepEqual([status, sending, lostSince], ['verified', 'active', null])
    const { events } = await service.store.entriesAfter(
      0,
      { companyId: company, types: ['domain.updated'] },
      10,
    )
    const told = events.filter(({ detail }) => detail.domain === domain.name)
    assert.deepEqual(
      told.map(({ detail }) => detail.message!.split(/ of | from |,/)[0]),
      [
        'DNS has the required records',
        'DNS has lost the DKIM records',
        'Sending',
        'DNS has the DKIM records',
      ],
    )
  })

  test('sends on while DNS does not answer', async () => {
    const start = Date.now()
    const domain = await verified(start)
    const [record] = dnsRecords(domain, NAMES)
    dns.zone[`${record!.name}/TXT`] = { rcode: 'SERVFAIL' }
    for (const days of [1, 3, 8]) await checksAt(start + days * DAY)
    const { sending, status, lostSince } = await now(domain)
    assert.deepEqual([sending, status, lostSince], ['active', 'verified', null])
  })

  test('and never had its records keeps sending: an operator has activated it', async () => {
    const start = Date.now()
    const domain = await service.domain(company, `r${serial++}.example`)
    for (const days of [1, 5, 10]) await checksAt(start + days * DAY)
    const { sending, lostSince } = await now(domain)
    assert.deepEqual([sending, lostSince], ['active', null])
  })

  test('and has lost its records goes on when an operator activates it', async () => {
    const start = Date.now()
    const domain = await verified(start)
    unpublish(domain, /^dkim$/)
    for (const days of [1, 5]) await checksAt(start + days * DAY)
    assert.equal((await now(domain)).sending, 'inactive')
    await activateDomain(await operation(), { domain: domain.id })
    for (const days of [6, 12]) await checksAt(start + days * DAY)
    const { sending, lostSince } = await now(domain)
    assert.deepEqual([sending, lostSince], ['active', null])
  })

  test('uses its return path while DNS has both records, or does not answer', async () => {
    const start = Date.now()
    const domain = await verified(start)
    const host = `bounces.${domain.name}`
    assert.equal(usedReturnPath(domain), host)
    dns.zone[`${host}/MX`] = { rcode: 'SERVFAIL' }
    assert.deepEqual(await checksAt(start + 2 * HOUR), [])
    assert.equal(usedReturnPath(await now(domain)), host)
    for (const wrong of [[`10 other.test`], [`10 ${BOUNCE_HOST}`, '20 other.test']]) {
      dns.zone[`${host}/MX`] = wrong
      await verifyDomain(await operation(start + 3 * HOUR), { domain: domain.id })
      assert.equal(usedReturnPath(await now(domain)), null, wrong.join())
    }
    publish(domain)
    const { news } = await verifyDomain(await operation(start + 4 * HOUR), { domain: domain.id })
    assert.deepEqual(news, [`Bounces of mail from ${domain.name} come back to ${host}.`])
    unpublish(domain, /^return_path_spf$/)
    const [lost] = await checksAt(start + 9 * HOUR)
    assert.match(lost!, /^DNS lacks records of bounces\./)
    const { status, sending, returnPathHost } = await now(domain)
    assert.deepEqual([status, sending, returnPathHost], ['verified', 'active', null], 'they are advice')
  })

  test('uses no return path of another company, though its records are right', async () => {
    const start = Date.now()
    const domain = await verified(start)
    const other = await service.domain((await service.company()).id, 'shared.example')
    publish(other)
    const set = async (returnPath: string) => {
      const changed = await updateDomain(await operation(start), {
        domain: domain.id,
        settings: { returnPath },
      })
      publish(changed)
      await verifyDomain(await operation(start), { domain: domain.id })
      return usedReturnPath(await now(domain))
    }
    assert.equal(await set('bounces.shared.example'), null)
    // A company may have a domain below one of another company.
    const below = await service.domain(company, 'mg.shared.example')
    publish(below)
    const { domain: own } = await verifyDomain(await operation(start), { domain: below.id })
    assert.equal(usedReturnPath(own), 'bounces.mg.shared.example')
  })

  test('keeps a pool that the operator has assigned meanwhile', async () => {
    const domain = await verified()
    const before = await operation()
    await service.store.updateDomain(domain.id, { settings: { ...domain.settings, pool: 'slow' } })
    await updateDomain(before, { domain: domain.id, settings: { openTracking: true } })
    const { pool, openTracking } = (await now(domain)).settings
    assert.deepEqual([pool, openTracking], ['slow', true])
  })

  test('gets another return path, which is used as soon as DNS has its records', async () => {
    const start = Date.now()
    const domain = await verified(start)
    const set = async (returnPath: string) =>
      await updateDomain(await operation(start), { domain: domain.id, settings: { returnPath } })
    const own = await set('back')
    assert.equal(usedReturnPath(own), null)
    const { records } = await showDomain(await operation(), { domain: domain.id })
    assert.deepEqual(
      records
        .filter(({ required }) => required)
        .map(({ type, name }) => `${type} ${name}`)
        .slice(1),
      [`MX back.${domain.name}`, `TXT back.${domain.name}`],
    )
    publish(own)
    // It is due at once.
    assert.deepEqual(await checksAt(start + 1), [
      `Bounces of mail from ${domain.name} come back to back.${domain.name}.`,
    ])
    await assert.rejects(set(domain.name), /must be another host/)
    await assert.rejects(set('not a host'), { code: 'invalid' })
    assert.equal((await set('BOUNCE.Other.Example')).settings.returnPath, 'bounce.other.example')
    assert.equal((await set('')).settings.returnPath, undefined)
  })
})
