/** Checks by the service of domains that wait for their first records. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type SendingDomain, SOONEST_CHECK_MS } from '../../src/accounts/account.ts'
import { dkimRecordName, dnsRecords } from '../../src/accounts/dns-records.ts'
import { activateDomain, suspendDomain } from '../../src/operate/domains.ts'
import { serviceNames } from '../../src/operate/service-names.ts'
import { SetupChecks } from '../../src/operate/setup-checks.ts'
import { until } from '../support/until.ts'
import { CheckedDomains } from './checked-domains.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let rig: CheckedDomains
before(async () => {
  rig = await CheckedDomains.start({ hostname: 'mail.service.test' })
})
after(() => rig[Symbol.asyncDispose]())
beforeEach(() => rig.clear())

async function added(name: string, companyId = rig.company): Promise<SendingDomain> {
  return await rig.service.domain(companyId, name, 'inactive')
}

async function publish(domain: SendingDomain): Promise<void> {
  const records = dnsRecords(domain, serviceNames(await rig.operation(), domain))
  for (const { type, name, value } of records) rig.dns.zone[`${name}/${type}`] = [value]
}

const stored = async ({ id }: SendingDomain) => (await rig.service.store.findDomain(id))!
const dueAt = async ({ id }: SendingDomain) => (await rig.service.store.domainCheckTimes(id))!.dueAt
const isAsked = (domain: SendingDomain) => {
  const name = dkimRecordName(domain.dkim[0]!, domain)
  return rig.dns.queries.includes(`udp ${name}/TXT`)
}

test('a domain may send as soon as a check finds its records, and its company is told', async () => {
  const domain = await added('new.example')
  const first = domain.createdAt + SOONEST_CHECK_MS
  assert.deepEqual(await rig.setupChecksAt(first - 1), [])
  assert.deepEqual(await rig.setupChecksAt(first), [])
  assert.equal((await stored(domain)).seen.dkim, 'missing')
  assert.equal(await dueAt(domain), first + SOONEST_CHECK_MS)
  await publish(domain)
  const news = await rig.setupChecksAt(first + SOONEST_CHECK_MS)
  assert.deepEqual(news, ['DNS has the required records of new.example.'])
  const { status, sending } = await stored(domain)
  assert.deepEqual([status, sending], ['verified', 'active'])

  const { store } = rig.service
  const entries = await store.audit({ companyId: rig.company, limit: 100 })
  const own = entries.filter(({ target }) => target === domain.name)
  assert.deepEqual(
    own.map(({ actor, action, detail }) => [actor.kind, action, detail]),
    [['service', 'verifyDomain', { status: 'verified', sending: 'active' }]],
  )
  const { events } = await store.entriesAfter(0, { companyId: rig.company, types: ['domain.updated'] }, 10)
  const messages = events.flatMap(({ detail }) => (detail.domain === domain.name ? [detail.message] : []))
  assert.deepEqual(messages, news)
  assert.ok((await dueAt(domain))! > first + SOONEST_CHECK_MS, 'it is checked as one that sends')
})

test('the running service checks it', async () => {
  const domain = await added('running.example')
  await publish(domain)
  await rig.service.store.noteDomainCheck(domain.id, { dueAt: 0 })
  await until(async () => (await stored(domain)).sending === 'active', 'the check')
})

test('of a company with many domains a round takes some, and those of another company in the same round', async (t) => {
  const own = await Promise.all(Array.from({ length: 24 }, (_, index) => added(`n${index}.many.example`)))
  const other = await added('one.example', (await rig.service.company()).id)
  const now = other.createdAt + SOONEST_CHECK_MS
  const due = async () => {
    const times = await Promise.all([...own, other].map(dueAt))
    return times.filter((at) => at! <= now).length
  }
  const op = await rig.operation(now)
  const checks = new SetupChecks({
    operation: () => op,
    onNews() {},
    onFault: (error) => assert.fail(String(error)),
  })
  t.after(() => checks.stop())
  await checks.takeDue()
  assert.equal(await due(), 8, '16 of the first company, and one of the other')
  await checks.settled()
  assert.ok(isAsked(other))
  await checks.takeDue()
  assert.equal(await due(), 0)
  await checks.settled()
  assert.ok(own.every(isAsked))
})

test('one that DNS never had is checked on request only, until an operator activates or suspends it', async () => {
  for (const change of [activateDomain, suspendDomain]) {
    const domain = await added(`${change.audit!.action.toLowerCase()}.example`)
    const late = domain.createdAt + 61 * DAY
    await rig.setupChecksAt(late)
    assert.equal(await dueAt(domain), null)
    await change(await rig.operation(late), { domain: domain.id })
    assert.equal(await dueAt(domain), late + HOUR)
  }
})

test('one whose name another company holds stays as it is, and its checks write nothing', async () => {
  const domain = await added('held.example', (await rig.service.company()).id)
  await rig.service.domain(rig.company, 'held.example')
  await publish(domain)
  const first = domain.createdAt + SOONEST_CHECK_MS
  await rig.setupChecksAt(first)
  assert.equal((await stored(domain)).seen.dkim, 'right')
  const { store } = rig.service
  const facts = async () => [
    await store.accountsVersion(),
    await store.audit({ companyId: domain.companyId, limit: 100 }),
  ]
  const before = await facts()
  assert.deepEqual(await rig.setupChecksAt(first + SOONEST_CHECK_MS), [])
  assert.deepEqual(await facts(), before)
  assert.equal(await dueAt(domain), first + 2 * SOONEST_CHECK_MS)
  assert.equal((await stored(domain)).sending, 'inactive')
})
