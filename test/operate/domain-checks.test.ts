/** Checks of domains by the service, of companies whose name servers are silent and of others. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { DomainChecks } from '../../src/operate/domain-checks.ts'
import { until } from '../support/until.ts'
import { CheckedDomains } from './checked-domains.ts'

const HOUR = 3_600_000

let rig: CheckedDomains
before(async () => {
  rig = await CheckedDomains.start({ hostname: 'mail.service.test' })
})
after(() => rig[Symbol.asyncDispose]())
beforeEach(() => rig.clear())

/** Domains of a company of their own, which come after all earlier ones. */
async function domains(name: string, count: number): Promise<SendingDomain[]> {
  const { service } = rig
  const { id } = await service.company()
  const made = []
  for (let index = 0; index < count; index++) made.push(await service.domain(id, `n${index}.${name}`))
  return made
}

/** A node that checks all domains as due, those first that come first here. */
async function checksOf(...due: SendingDomain[]): Promise<DomainChecks> {
  const now = Date.now() + 2 * HOUR
  for (const [index, { id }] of due.entries()) {
    await rig.service.store.noteDomainCheck(id, { checkedAt: 1, dueAt: now - HOUR + index })
  }
  const op = await rig.operation(now)
  return new DomainChecks({
    operation: () => op,
    onNews() {},
    onFault: (error) => assert.fail(String(error)),
  })
}

/** No question about a name that ends so is answered. */
function silence(zone: string): void {
  const { dns } = rig
  const names = (key: string | symbol) => typeof key === 'string' && key.includes(`.${zone}/`)
  dns.zone = new Proxy(dns.zone, {
    get: (known, key) => (names(key) ? { silent: true } : Reflect.get(known, key)),
    has: (known, key) => names(key) || Reflect.has(known, key),
  })
}

const askedAbout = (zone: string) =>
  new Set(rig.dns.queries.flatMap((query) => new RegExp(`\\bn\\d+\\.${zone}/`).exec(query)?.[0] ?? [])).size

test('a company with many silent domains holds up none of another', async (t) => {
  const silent = await domains('attacker.example', 24)
  const [own] = await domains('victim.example', 1)
  silence('attacker.example')
  const checks = await checksOf(...silent, own!)
  t.after(() => checks.stop())
  void checks.checkDue()
  await until(() => askedAbout('victim.example') === 1, 'a question about the other domain')
  assert.ok(askedAbout('attacker.example') <= 8, String(askedAbout('attacker.example')))
})

test('a check that takes long keeps one place, and the others go on', async (t) => {
  const [slow] = await domains('slow.example', 1)
  const quick = await domains('quick.example', 24)
  silence('slow.example')
  const checks = await checksOf(slow!, ...quick)
  t.after(() => checks.stop())
  void checks.checkDue()
  const checkedAt = async ({ id }: SendingDomain) => (await rig.service.store.domainCheckTimes(id))?.checkedAt
  await until(async () => (await checkedAt(quick.at(-1)!)) !== 1, 'the check of the last domain')
  assert.equal(await checkedAt(slow!), 1)
})

test('silent name servers are queried after longer and longer waits', async () => {
  const [own] = await domains('quiet.example', 1)
  rig.dns.zone['n0.quiet.example/TXT'] = { rcode: 'SERVFAIL' }
  for (const { selector } of own!.dkim) {
    rig.dns.zone[`${selector}._domainkey.n0.quiet.example/TXT`] = { rcode: 'SERVFAIL' }
  }
  const times = async () => (await rig.service.store.domainCheckTimes(own!.id))!
  const waits = []
  let now = Date.now() + 2 * HOUR
  for (let check = 0; check < 5; check++) {
    await rig.checksAt(now)
    const { checkedAt, dueAt } = await times()
    waits.push((dueAt! - checkedAt!) / HOUR)
    now = dueAt!
  }
  assert.deepEqual(waits, [1 / 6, 1 / 3, 2 / 3, 1, 1])
})
