import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type ApiKey,
  type Company,
  MAX_DKIM_KEYS,
  NO_LIMITS,
  type SendingDomain,
} from '../../../src/accounts/account.ts'
import { REVOKED_KEPT } from '../../../src/store/account-rows.ts'
import { OverLimit, type Store, StoreConflict, type Webhook } from '../../../src/store/store.ts'
import { acme, apiKey, company, domain, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function ownedContract(open: OpenBench): void {
  describe('the objects of a company', () => {
    test('are limited, also for simultaneous requests', async (t) => {
      const { store } = await open(t)
      const owner = { ...company('Acme'), limits: { ...NO_LIMITS, domains: 3, keys: 3, webhooks: 3 } }
      await store.addCompany(owner)
      const other = await acme(store, 'Other')
      const adds: Record<string, (company: Company) => Promise<void>> = {
        domains: (of) => store.addDomain(domain(of, `${newId()}.test`)),
        'API keys': (of) => store.addKey(apiKey(of)),
        webhooks: (of) => store.addWebhook(webhook(of)),
      }
      for (const [what, add] of Object.entries(adds)) {
        const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => add(owner)))
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
        assert.equal(refused.length, 5, what)
        for (const { reason } of refused) {
          assert.ok(reason instanceof OverLimit, String(reason))
          assert.match(reason.message, new RegExp(`as many ${what} as it may have \\(3\\)`))
        }
        await add(other)
      }
      const { domains, keys } = await store.accounts()
      const own = (each: { companyId: string }) => each.companyId === owner.id
      assert.deepEqual([domains.filter(own).length, keys.filter(own).length], [3, 3])
      // What is removed or revoked makes room, and so does the operator.
      await store.removeDomain(domains.find(own)!.id, NOW)
      await adds.domains!(owner)
      await assert.rejects(adds.domains!(owner), OverLimit)
      await store.updateCompany(owner.id, { limits: { domains: 4 } })
      await adds.domains!(owner)
      await store.revokeKey(keys.find(own)!.id, NOW)
      await adds['API keys']!(owner)
      await store.updateCompany(owner.id, { limits: { webhooks: null } })
      await adds.webhooks!(owner)
      assert.deepEqual((await store.accounts()).companies[0]!.limits, {
        ...NO_LIMITS,
        ...{ domains: 4, keys: 3 },
      })
    })

    test('a domain has a limited number of DKIM keys', async (t) => {
      const { store } = await open(t)
      const own = domain(await acme(store), 'acme.test')
      await store.addDomain(own)
      const add = (selector: string) =>
        store.addDkimKey(own.id, { ...own.dkim[0]!, id: newId(), selector, active: false })
      const more = Array.from({ length: MAX_DKIM_KEYS + 5 }, (_, index) => add(`more${index}`))
      const outcomes = await Promise.allSettled(more)
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
      assert.equal(refused.length, 5 + own.dkim.length)
      for (const { reason } of refused) assert.ok(reason instanceof OverLimit)
    })
  })

  describe('removed keys and domains', () => {
    test('of revoked keys a company keeps a limited number, the newest', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = apiKey(await acme(store, 'Other'))
      await store.addKey(other)
      await store.revokeKey(other.id, NOW)
      const domainOfKeys: SendingDomain = { ...domain(owner, 'acme.test'), sending: 'active' }
      await store.addDomain(domainOfKeys)
      const key = (at: number, of: Partial<ApiKey> = {}) => ({ ...apiKey(owner), revokedAt: at, ...of })
      const old = Array.from({ length: REVOKED_KEPT }, (_, at) => key(NOW + at))
      await Promise.all(old.map((each) => store.addKey(each)))
      const bound = [1, 2].map(() => key(0, { domainId: domainOfKeys.id, revokedAt: null }))
      const used = key(0, { revokedAt: null })
      for (const each of [...bound, used]) await store.addKey(each)
      await store.revokeKey(used.id, NOW + REVOKED_KEPT)
      const known = async () => new Set((await store.accounts()).keys.map(({ id }) => id))
      let now = await known()
      assert.deepEqual([now.has(old[0]!.id), now.has(old[1]!.id), now.has(used.id)], [false, true, true])
      const version = await store.accountsVersion()
      await store.removeDomain(domainOfKeys.id, NOW + REVOKED_KEPT + 1)
      now = await known()
      assert.equal(now.size, REVOKED_KEPT + 1)
      for (const { id } of [...bound, used, other, old[3]!]) assert.ok(now.has(id))
      const gone = [old[1]!.id, old[2]!.id]
      assert.ok(gone.every((id) => !now.has(id)))
      // Nodes that follow forget them, too.
      const { ids } = (await store.accountsSince(version))!
      assert.ok(gone.every((id) => ids.includes(id)))
    })

    test('are forgotten after a while, in steps; never active ones at once', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      for (const at of [NOW, NOW + 1, NOW + 2]) {
        const own: SendingDomain = { ...domain(owner, `${newId()}.test`), sending: 'active' }
        const asked = domain(owner, `${newId()}.test`)
        const key = apiKey(owner)
        for (const each of [own, asked]) await store.addDomain(each)
        await store.addKey(key)
        for (const each of [own, asked]) assert.equal(await store.removeDomain(each.id, at), true)
        await store.revokeKey(key.id, at)
      }
      const used = apiKey(owner)
      await store.addKey(used)
      const known = async () => {
        const { removedDomains, keys } = await store.accounts()
        return [removedDomains.length, keys.length]
      }
      assert.deepEqual(await known(), [3, 4])
      const version = await store.accountsVersion()
      assert.equal(await store.forgetAccounts(NOW, 10), 0)
      assert.equal(await store.accountsVersion(), version)
      assert.equal(await store.forgetAccounts(NOW + 2, 1), 2)
      assert.equal(await store.forgetAccounts(NOW + 2, 10), 2)
      assert.deepEqual(await known(), [1, 2])
      const change = (await store.accountsSince(version))!
      assert.deepEqual([change.ids.length, change.keys, change.removedDomains], [4, [], []])
    })
  })

  describe('a name that several companies claim', () => {
    test('is held by one of them', async (t) => {
      const { store } = await open(t)
      const [first, second] = await claims(store)
      await assert.rejects(store.addDomain({ ...first, id: newId(), dkim: [] }), /already exists/)
      await store.updateDomain(second.id, { status: 'verified', sending: 'active' })
      for (const change of [{ status: 'verified' }, { sending: 'active' }] as const) {
        await assert.rejects(store.updateDomain(first.id, change), (error) => {
          assert.ok(error instanceof StoreConflict)
          return /another company/.test(error.message)
        })
      }
      await store.updateDomain(first.id, { seen: { dkim: 'right' }, sending: 'suspended' })
      const third = await acme(store, 'Third')
      const active: SendingDomain = { ...domain(third, first.name), sending: 'active' }
      await assert.rejects(store.addDomain(active), StoreConflict)
      await store.addDomain({ ...active, sending: 'inactive' })
      // Once free again, another company may have it.
      await store.removeDomain(second.id, NOW)
      await store.updateDomain(active.id, { status: 'verified', sending: 'active' })
      assert.equal((await store.findDomain(active.id))?.sending, 'active')
      assert.equal(await store.findDomain(second.id), null)
    })

    test('is proven by its company, which lifts no suspension', async (t) => {
      const { store } = await open(t)
      const [first] = await claims(store)
      const proven = { status: 'verified', proven: true } as const
      await store.updateDomain(first.id, { sending: 'suspended' })
      await store.updateDomain(first.id, proven)
      const now = async () => {
        const { status, sending } = (await store.findDomain(first.id))!
        return [status, sending]
      }
      assert.deepEqual(await now(), ['verified', 'suspended'])
      await store.updateDomain(first.id, { sending: 'inactive' })
      await store.updateDomain(first.id, proven)
      assert.deepEqual(await now(), ['verified', 'active'])
    })

    test('is given to one of two companies that prove it at the same moment', async (t) => {
      const { store } = await open(t)
      const both = await claims(store)
      const shown = both.map(({ id }) => store.updateDomain(id, { status: 'verified', sending: 'active' }))
      const outcomes = (await Promise.allSettled(shown)).map(({ status }) => status)
      assert.deepEqual(outcomes.toSorted(), ['fulfilled', 'rejected'])
    })
  })

  describe('changes of accounts', () => {
    test('are read since any version, and equal a complete reading', async (t) => {
      const { store } = await open(t)
      const start = await store.accountsVersion()
      assert.deepEqual((await store.accountsSince(start))?.ids, [])
      const owner = await acme(store)
      const [own, kept] = [domain(owner, 'own.test'), domain(owner, 'kept.test')]
      for (const each of [own, kept]) await store.addDomain(each)
      await store.updateDomain(own.id, { sending: 'active' })
      const [bound, free] = [apiKey(owner, own.id), apiKey(owner)]
      for (const key of [bound, free]) await store.addKey(key)
      const all = (await store.accountsSince(start))!
      const { ids: _, version, routes, pools, ...lists } = all
      const { routes: none, pools: noPools, ...whole } = await store.accounts()
      assert.deepEqual([lists, routes, pools, none, noPools], [whole, null, null, [], []])
      assert.equal(version, await store.accountsVersion())

      await store.setRoute({
        ...{ id: newId(), companyId: owner.id, domainId: own.id, url: 'smtp://one.test:25?tls=off' },
        ...{ sealed: null, createdAt: NOW },
      })
      assert.equal((await store.accountsSince(version))!.routes!.length, 1)
      await store.updateDkimKey(kept.dkim[0]!.id, { active: false })
      await store.removeDomain(own.id, NOW)
      const change = (await store.accountsSince(version))!
      assert.deepEqual(
        change.domains.map(({ id, dkim }) => [id, dkim[0]!.active]),
        [[kept.id, false]],
      )
      assert.deepEqual(
        change.keys.map(({ id, revokedAt }) => [id, revokedAt]),
        [[bound.id, NOW]],
      )
      assert.deepEqual([change.routes, change.companies], [[], []])
      assert.deepEqual(change.removedDomains, [{ id: own.id, name: 'own.test' }])
      assert.ok(change.ids.includes(own.id))
      // A node that has seen another database has to read everything.
      assert.equal(await store.accountsSince(change.version + 1), null)
      assert.equal(await store.accountsSince(start - 1), null)
    })
  })
}

/** One name that two companies have claimed. */
async function claims(store: Store): Promise<[SendingDomain, SendingDomain]> {
  const asked = [domain(await acme(store), 'wanted.test'), domain(await acme(store, 'Other'), 'wanted.test')]
  for (const each of asked) await store.addDomain(each)
  return asked as [SendingDomain, SendingDomain]
}

function webhook(owner: Company): Webhook {
  return {
    ...{ id: newId(), companyId: owner.id, domainId: null, dialect: 'json', url: 'https://told.test/' },
    ...{ types: [], status: 'enabled', secret: Uint8Array.of(1), previousSecret: null, rotatedAt: null },
    ...{ createdAt: NOW, failingSince: null, disabledAt: null, disabledReason: null, cursor: 0 },
  }
}
