import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type ApiKey,
  CHECK_EVERY_MS,
  type Company,
  type DkimIdentity,
  type SendingDomain,
  SOONEST_CHECK_MS,
} from '../../../src/accounts/account.ts'
import { StoreConflict } from '../../../src/store/store.ts'
import { acme, apiKey, company, DAY, domain, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function accountsContract(open: OpenBench): void {
  describe('accounts', () => {
    test('are kept as given', async (t) => {
      const { store } = await open(t)
      assert.deepEqual(await store.accounts(), {
        ...{ companies: [], domains: [], removedDomains: [], keys: [], routes: [], pools: [] },
      })
      const owner = await acme(store)
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      const key = apiKey(owner, own.id)
      await store.addKey(key)
      const { companies, domains, keys } = await store.accounts()
      assert.deepEqual(companies, [owner])
      assert.deepEqual(domains, [own])
      assert.deepEqual(keys, [{ ...key, tokenHash: new Uint8Array(key.tokenHash) }])
    })

    test('name pools of source addresses', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const pool = { name: 'news', addresses: ['192.0.2.1', '2001:db8::1'], warming: {}, createdAt: NOW }
      const { pools: before } = await store.accounts()
      assert.deepEqual(before, [])
      const version = await store.accountsVersion()
      await store.setSourcePool(pool)
      const changed = { ...pool, addresses: ['192.0.2.2'], warming: { '192.0.2.2': NOW } }
      await store.setSourcePool({ ...changed, createdAt: NOW + 1 })
      await store.updateCompany(owner.id, { pool: 'news' })
      const { pools, companies } = (await store.accountsSince(version))!
      assert.deepEqual(pools, [changed])
      assert.deepEqual(companies, [{ ...owner, pool: 'news' }])
      await store.updateCompany(owner.id, { pool: null })
      assert.deepEqual((await store.accounts()).companies, [owner])
      assert.equal(await store.removeSourcePool('news'), true)
      assert.equal(await store.removeSourcePool('news'), false)
      assert.deepEqual((await store.accounts()).pools, [])
    })

    test('a company has the name of the operator, which is unique, and one of its owners, which is not', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      await assert.rejects(store.updateCompany(owner.id, { name: 'Other' }), StoreConflict)
      await store.updateCompany(owner.id, { ownName: 'Other' })
      assert.deepEqual((await store.accounts()).companies, [{ ...owner, ownName: 'Other' }, other])
      const version = await store.accountsVersion()
      await store.updateCompany(owner.id, { name: 'Third', ownName: null })
      assert.deepEqual((await store.accountsSince(version))!.companies, [{ ...owner, name: 'Third' }])
    })

    test('a company has a logo, which is not read with the accounts', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      assert.equal(await store.findLogo(owner.id), null)
      const version = await store.accountsVersion()
      for (const n of [1, 2]) {
        await store.setLogo(owner.id, `d${n}`, { type: 'image/png', octets: Uint8Array.of(n, 0, 255) })
      }
      assert.deepEqual((await store.accountsSince(version))!.companies, [{ ...owner, logo: 'd2' }])
      const found = (await store.findLogo(owner.id))!
      assert.deepEqual([found.type, [...found.octets]], ['image/png', [2, 0, 255]])
      assert.equal(await store.findLogo(other.id), null)
      assert.equal(await store.findLogo(newId()), null)
      await assert.rejects(store.setLogo(newId(), 'd', found), StoreConflict)
      await store.removeLogo(owner.id)
      assert.equal(await store.findLogo(owner.id), null)
      assert.deepEqual((await store.accounts()).companies, [owner, other])
    })

    test('a company keeps content for a time of its own, until that is taken back', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      await store.updateCompany(owner.id, { contentRetention: DAY })
      assert.deepEqual((await store.accounts()).companies, [{ ...owner, contentRetention: DAY }])
      await store.updateCompany(owner.id, { contentRetention: null })
      assert.deepEqual((await store.accounts()).companies, [owner])
    })

    test('count the messages from addresses that are warming up', async (t) => {
      const { store } = await open(t)
      const [few, many] = [
        { source: '192.0.2.2', site: 'mx:x.test', messages: 2 },
        { source: '192.0.2.2', site: 'provider:big', messages: 30 },
      ]
      await store.countWarmUp(100, [few, many])
      await store.countWarmUp(100, [few])
      await store.countWarmUp(101, [many])
      assert.deepEqual(await store.warmUpCounts(100, 10), [many, { ...few, messages: 4 }])
      assert.deepEqual(await store.warmUpCounts(100, 1), [many])
      assert.deepEqual(await store.warmUpCounts(101, 10), [many])
      await store.countWarmUp(104, [])
      assert.deepEqual(await store.warmUpCounts(101, 10), [])
    })

    test('give nodes parts of the messages of a day, and no more than its limit', async (t) => {
      const { store } = await open(t)
      const place = { source: '192.0.2.2', site: 'mx:x.test' }
      const other = { source: '192.0.2.1', site: 'mx:x.test' }
      const ask = { ...place, limit: 10, most: 3 }
      const parts = await Promise.all([1, 2, 3, 4, 5].map(() => store.takeWarmUp(100, [ask])))
      assert.deepEqual(
        parts.map(([part]) => part!.taken).toSorted((a, b) => b - a),
        [3, 3, 3, 1, 0],
      )
      await store.countWarmUp(100, [{ ...place, messages: -2 }])
      assert.deepEqual(await store.takeWarmUp(100, [ask, { ...other, limit: 2, most: 3 }]), [
        { ...place, messages: 10, taken: 2 },
        { ...other, messages: 2, taken: 2 },
      ])
      assert.deepEqual(await store.takeWarmUp(100, [{ ...ask, limit: 5 }]), [
        { ...place, messages: 10, taken: 0 },
      ])
    })

    test('change', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      await store.updateDomain(own.id, { status: 'verified' })
      await store.updateDomain(own.id, { sending: 'active' })
      await store.updateDomain(own.id, { settings: { openTracking: false, clickTracking: true } })
      await store.updateDomain(own.id, { seen: { dkim: 'missing', spf: 'unknown' } })
      const [stored] = (await store.accounts()).domains
      assert.deepEqual([stored?.status, stored?.sending, stored?.speaksFor], ['verified', 'active', []])
      const second = domain(owner, 'second.test')
      await store.addDomain({ ...second, speaksFor: [own.id] })
      await store.updateDomain(own.id, { speaksFor: [second.id] })
      await store.updateDomain(own.id, { sending: 'suspended' })
      const speaks = async () => (await store.accounts()).domains.map(({ speaksFor }) => speaksFor)
      assert.deepEqual(await speaks(), [[second.id], [own.id]])
      await store.updateDomain(own.id, { speaksFor: [] })
      assert.deepEqual(await speaks(), [[], [own.id]])
      assert.deepEqual(stored?.settings, { openTracking: false, clickTracking: true })
      assert.deepEqual(stored?.seen, { dkim: 'missing', spf: 'unknown' })
      const key = apiKey(owner)
      await store.addKey(key)
      assert.equal(await store.renameKey(key.id, 'other name'), true)
      assert.equal(await store.renameKey(newId(), 'nobody'), false)
      assert.equal((await store.accounts()).keys[0]?.name, 'other name')
      assert.equal(await store.revokeKey(key.id, NOW + 1), true)
      assert.equal(await store.revokeKey(key.id, NOW + 2), false)
      assert.equal(await store.revokeKey(newId(), NOW), false)
      assert.equal((await store.accounts()).keys[0]?.revokedAt, NOW + 1)
    })

    test('a key is replaced in one step: its successor is added, and it expires', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const [old, early] = [apiKey(owner), { ...apiKey(owner), expiresAt: NOW + 5 }]
      for (const key of [old, early]) await store.addKey(key)
      const next = (): ApiKey => ({ ...apiKey(owner), createdAt: NOW + 1 })
      const [first, second] = [next(), next()]
      assert.equal(await store.replaceKey(old.id, first, NOW + 10), true)
      assert.equal(await store.replaceKey(early.id, second, NOW + 10), true)
      const keys = new Map((await store.accounts()).keys.map((key) => [key.id, key]))
      assert.equal(keys.get(old.id)?.expiresAt, NOW + 10)
      assert.equal(keys.get(early.id)?.expiresAt, NOW + 5)
      assert.deepEqual(
        [keys.get(first.id)?.name, keys.get(second.id)?.expiresAt],
        [first.name, second.expiresAt],
      )
      await store.revokeKey(early.id, NOW + 2)
      for (const id of [newId(), early.id]) assert.equal(await store.replaceKey(id, next(), NOW + 10), false)
      assert.equal(await store.replaceKey(old.id, { ...next(), createdAt: NOW + 11 }, NOW + 20), false)
      assert.equal((await store.accounts()).keys.length, 4)
    })

    test('a removed domain leaves its id, and its name free; keys for it alone are revoked', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own: SendingDomain = { ...domain(owner, 'acme.test'), sending: 'active' }
      await store.addDomain(own)
      const [whole, bound, gone] = [apiKey(owner), apiKey(owner, own.id), apiKey(owner, own.id)]
      for (const key of [whole, bound, gone]) await store.addKey(key)
      await store.revokeKey(gone.id, NOW)
      await store.setRoute({
        ...{ id: newId(), companyId: owner.id, domainId: own.id, url: 'smtp://one.test:25?tls=off' },
        ...{ sealed: null, createdAt: NOW },
      })
      const version = await store.accountsVersion()
      assert.equal(await store.removeDomain(newId(), NOW + 1), false)
      assert.equal(await store.accountsVersion(), version)
      assert.equal(await store.removeDomain(own.id, NOW + 1), true)
      assert.equal(await store.removeDomain(own.id, NOW + 2), false)
      const { domains, removedDomains, keys, routes } = await store.accounts()
      assert.deepEqual([domains, removedDomains, routes], [[], [{ id: own.id, name: 'acme.test' }], []])
      const ends = new Map(keys.map(({ id, revokedAt }) => [id, revokedAt]))
      assert.deepEqual(
        [whole, bound, gone].map(({ id }) => ends.get(id)),
        [whole.revokedAt, NOW + 1, NOW],
      )
      assert.notEqual(await store.accountsVersion(), version)
      const other = await acme(store, 'Other')
      await store.addDomain({ ...domain(other, 'acme.test'), dkim: own.dkim })
    })

    test('notes about tags are kept as long as their domain', async (t) => {
      const { store } = await open(t)
      const own = domain(await acme(store), 'acme.test')
      await store.addDomain(own)
      const note = { domainId: own.id, tag: 'news', description: 'weekly', removedAt: null }
      await store.noteTag(note)
      const first = { domainId: own.id, tag: 'a', description: '', removedAt: NOW }
      await store.noteTag(first)
      await store.noteTag({ ...note, domainId: newId() })
      assert.deepEqual(await store.tagNotes(own.id), [first, note])
      await store.noteTag({ ...note, description: 'monthly' })
      assert.deepEqual((await store.tagNotes(own.id))[1]!.description, 'monthly')
      await store.removeDomain(own.id, NOW)
      assert.deepEqual(await store.tagNotes(own.id), [])
    })

    test('DKIM keys are added, changed and removed, and one stays active', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      const [first, second] = own.dkim
      const third = { ...first!, id: newId(), selector: 's3', active: false }
      await store.addDkimKey(own.id, third)
      const keys = async () => (await store.accounts()).domains[0]!.dkim
      assert.deepEqual(await keys(), [first, second, third])
      const conflict = { name: StoreConflict.name }
      await assert.rejects(store.addDkimKey(own.id, { ...third, id: newId() }), conflict)
      await assert.rejects(store.addDkimKey(newId(), { ...third, id: newId() }), conflict)
      await assert.rejects(store.updateDkimKey(third.id, { selector: 's1' }), conflict)

      assert.equal(await store.updateDkimKey(first!.id, { active: false }), true)
      assert.equal(await store.updateDkimKey(second!.id, { active: false }), false)
      assert.equal(await store.removeDkimKey(second!.id), false)
      assert.equal(await store.updateDkimKey(third.id, { active: true, selector: 's4' }), true)
      assert.equal(await store.updateDkimKey(second!.id, { active: false }), true)
      assert.equal(await store.removeDkimKey(second!.id), true)
      assert.equal(await store.removeDkimKey(newId()), false)
      assert.equal(await store.updateDkimKey(newId(), { active: true }), false)
      const left = [
        { ...first!, active: false },
        { ...third, active: true, selector: 's4' },
      ]
      assert.deepEqual(await keys(), left)
    })

    test('a rotation: the next key takes over, and the previous one of its algorithm retires', async (t) => {
      const { store } = await open(t)
      const own = domain(await acme(store), 'acme.test')
      await store.addDomain(own)
      const [rsa, ed25519] = own.dkim as [DkimIdentity, DkimIdentity]
      const next: DkimIdentity = {
        ...{ ...rsa, id: newId(), selector: 's3', active: false },
        rotation: { stage: 'next', since: NOW },
      }
      await store.addDkimKey(own.id, next)
      const keys = async () => (await store.accounts()).domains[0]!.dkim
      assert.deepEqual(await keys(), [rsa, ed25519, next])
      const second = { ...next, id: newId(), selector: 's4' }
      await assert.rejects(store.addDkimKey(own.id, second), { name: StoreConflict.name })

      await store.updateDomain(own.id, {
        keysSeen: { at: NOW, states: { [next.id]: 'right', [rsa.id]: 'right' } },
      })
      assert.equal(await store.promoteDkimKey(rsa.id, NOW + 1), false)
      assert.equal(await store.promoteDkimKey(newId(), NOW + 1), false)
      const version = await store.accountsVersion()
      assert.equal(await store.promoteDkimKey(next.id, NOW + 1), true)
      assert.notEqual(await store.accountsVersion(), version)
      assert.equal(await store.promoteDkimKey(next.id, NOW + 2), false)
      const seen = { seen: 'right' as const, seenSince: NOW }
      const previous = { ...rsa, active: false, ...seen }
      const promoted = { ...next, active: true, rotation: null, ...seen, activeSince: NOW + 1 }
      const retiring = { ...previous, rotation: { stage: 'retiring' as const, since: NOW + 1 } }
      assert.deepEqual(await keys(), [retiring, ed25519, promoted])

      assert.equal(await store.retireDkimKey(rsa.id, NOW, NOW + 9), false)
      assert.equal(await store.retireDkimKey(next.id, NOW + 9, NOW + 9), false)
      assert.equal(await store.retireDkimKey(rsa.id, NOW + 1, NOW + 9), true)
      assert.deepEqual((await keys())[0]!.rotation, { stage: 'retired', since: NOW + 9 })
      assert.equal(await store.updateDkimKey(rsa.id, { active: true }), true)
      assert.deepEqual((await keys())[0], { ...previous, active: true })
      await store.updateDkimKey(rsa.id, { selector: 's9' })
      assert.equal((await keys())[0]!.seen, null)

      // A key that DNS lacks has nothing to wait for.
      await store.addDkimKey(own.id, second)
      await store.updateDomain(own.id, {
        keysSeen: { at: NOW + 9, states: { [rsa.id]: 'missing', [next.id]: 'unknown' } },
      })
      await store.promoteDkimKey(second.id, NOW + 10)
      assert.deepEqual(
        (await keys()).map(({ rotation }) => rotation?.stage),
        ['retired', undefined, 'retiring', undefined],
      )
    })

    test('a delegated key: out of reserve and back, and a fresh one in its place', async (t) => {
      const { store } = await open(t)
      const own = domain(await acme(store), 'acme.test')
      await store.addDomain(own)
      const rsa = own.dkim[0]!
      const reserve: DkimIdentity = {
        ...{ ...rsa, id: newId(), selector: 'pr2', active: false, delegated: true },
        ...{ seen: 'right', seenSince: NOW },
      }
      await store.addDkimKey(own.id, reserve)
      const key = async () => (await store.accounts()).domains[0]!.dkim[2]!
      assert.deepEqual(await key(), reserve)
      assert.equal(await store.queueDkimKey(rsa.id, NOW + 1), false)
      assert.equal(await store.queueDkimKey(reserve.id, NOW + 1), true)
      assert.equal(await store.queueDkimKey(reserve.id, NOW + 2), false)
      assert.deepEqual(await key(), { ...reserve, rotation: { stage: 'next', since: NOW + 1 } })
      const other = { ...reserve, id: newId(), selector: 'pr3' }
      await store.addDkimKey(own.id, other)
      await assert.rejects(store.queueDkimKey(other.id, NOW + 2), { name: StoreConflict.name })
      assert.equal(await store.unqueueDkimKey(reserve.id), true)
      assert.equal(await store.unqueueDkimKey(reserve.id), false)
      assert.deepEqual(await key(), reserve)

      const states = (state: 'right' | 'missing', at: number) => {
        return store.updateDomain(own.id, { keysSeen: { at, states: { [reserve.id]: state } } })
      }
      await states('right', NOW + 3)
      assert.equal((await key()).seenSince, NOW)
      await states('missing', NOW + 4)
      await states('right', NOW + 5)
      assert.equal((await key()).seenSince, NOW + 5)

      const fresh = { id: newId(), publicKey: 'ZnJlc2g=', sealedPrivateKey: Uint8Array.of(9) }
      assert.equal(await store.renewDkimKey(reserve.id, fresh, NOW + 99), false)
      await store.queueDkimKey(reserve.id, NOW + 6)
      await store.promoteDkimKey(reserve.id, NOW + 7)
      await store.queueDkimKey(other.id, NOW + 8)
      await store.promoteDkimKey(other.id, NOW + 9)
      assert.equal(await store.renewDkimKey(reserve.id, fresh, NOW + 8), false)
      const version = await store.accountsVersion()
      assert.equal(await store.renewDkimKey(reserve.id, fresh, NOW + 9), true)
      assert.notEqual(await store.accountsVersion(), version)
      assert.deepEqual(await key(), { ...reserve, ...fresh, seen: null, seenSince: null })
      assert.equal(await store.renewDkimKey(reserve.id, fresh, NOW + 9), false)
    })

    test('each check of a domain is taken once, and comes again unless it is noted', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own = { ...domain(owner, 'acme.test'), sending: 'active' as const }
      await store.addDomain(own)
      await store.addDomain({ ...domain(owner, 'never.test'), sending: 'inactive' })
      const first = NOW + CHECK_EVERY_MS
      assert.equal(await store.domainCheckTimes(newId()), null)
      assert.deepEqual(await store.domainCheckTimes(own.id), { checkedAt: null, dueAt: first })
      const version = await store.accountsVersion()
      const claim = async (now: number, except: string[] = []) =>
        (await store.claimDomainChecks({ now, until: now + 10, limit: 5, except })).map(({ id }) => id)
      assert.deepEqual(await claim(first - 1), [])
      assert.deepEqual(await claim(first), [own.id])
      assert.deepEqual(await claim(first + 9), [])
      assert.deepEqual(await claim(first + 10), [own.id])
      await store.noteDomainCheck(own.id, { checkedAt: first + 11, dueAt: first + 500 })
      assert.deepEqual(await store.domainCheckTimes(own.id), { checkedAt: first + 11, dueAt: first + 500 })
      await store.noteDomainCheck(own.id, { dueAt: first + 900 })
      assert.deepEqual(await claim(first + 499), [])
      await store.noteDomainCheck(own.id, { dueAt: first + 100 })
      assert.deepEqual(await store.domainCheckTimes(own.id), { checkedAt: first + 11, dueAt: first + 100 })
      assert.equal(await store.accountsVersion(), version)
      const other = await acme(store, 'Other')
      const theirs = { ...domain(other, 'other.test'), sending: 'active' as const }
      await store.addDomain(theirs)
      assert.deepEqual(await claim(first + 600, [owner.id]), [theirs.id])
      assert.deepEqual(await claim(first + 600, [other.id]), [own.id])
    })

    test('domains without their first records are claimed in turns of companies, and never again once that is noted', async (t) => {
      const { store } = await open(t)
      const [owner, other] = [await acme(store), await acme(store, 'Other')]
      const waiting = async (whose: Company, name: string, createdAt: number) => {
        const added = { ...domain(whose, name), createdAt }
        await store.addDomain(added)
        return added.id
      }
      const [a, b, c] = [
        await waiting(owner, 'a.test', NOW),
        await waiting(owner, 'b.test', NOW + 1),
        await waiting(owner, 'c.test', NOW + 2),
      ]
      const [y, z] = [await waiting(other, 'y.test', NOW + 10), await waiting(other, 'z.test', NOW + 11)]
      await store.addDomain({ ...domain(owner, 'sends.test'), sending: 'active' })
      const first = NOW + SOONEST_CHECK_MS
      assert.deepEqual(await store.domainCheckTimes(a), { checkedAt: null, dueAt: first })
      const claim = async (now: number, limit: number, ofOne: number, except: string[] = []) => {
        const claimed = await store.claimSetupChecks({ now, until: now + 1_000, limit, ofOne, except })
        return claimed.map(({ id }) => id).sort()
      }
      assert.deepEqual(await claim(first - 1, 5, 5), [])
      assert.deepEqual(await claim(first + 11, 2, 2), [a, y].sort(), 'the first of each')
      assert.deepEqual(await claim(first + 11, 5, 1), [b, z].sort(), 'one of each')
      assert.deepEqual(await claim(first + 11, 5, 5, [owner.id]), [])
      assert.deepEqual(await claim(first + 11, 5, 5), [c])
      assert.deepEqual(await claim(first + 1_010, 5, 5), [])
      assert.deepEqual(await claim(first + 1_011, 5, 5), [a, b, c, y, z].sort())
      await store.updateDomain(b, { sending: 'active' })
      await store.updateDomain(c, { lostSince: NOW })
      await store.noteDomainCheck(y, { checkedAt: first, dueAt: null })
      assert.deepEqual(await store.domainCheckTimes(y), { checkedAt: first, dueAt: null })
      assert.deepEqual(await claim(first + 1e12, 5, 5), [a, z].sort())
      await store.noteDomainCheck(y, { dueAt: first + 1e12 })
      assert.deepEqual(await claim(first + 1e12, 5, 5), [y], 'somebody has asked for it')
    })

    test('the host found for a return path, and the time since records are lost, are set and removed', async (t) => {
      const { store } = await open(t)
      const own = domain(await acme(store), 'acme.test')
      await store.addDomain(own)
      const facts = async () => {
        const { returnPathHost, lostSince } = (await store.findDomain(own.id))!
        return [returnPathHost, lostSince]
      }
      assert.deepEqual(await facts(), [null, null])
      await store.updateDomain(own.id, { returnPathHost: 'bounces.acme.test', lostSince: NOW })
      assert.deepEqual(await facts(), ['bounces.acme.test', NOW])
      await store.updateDomain(own.id, { status: 'verified' })
      assert.deepEqual(await facts(), ['bounces.acme.test', NOW])
      const due = { now: NOW + 2 * CHECK_EVERY_MS, until: NOW + 3 * CHECK_EVERY_MS, limit: 5, except: [] }
      const claimed = { id: own.id, companyId: own.companyId }
      assert.deepEqual(await store.claimDomainChecks(due), [claimed], 'checked, though it does not send')
      await store.updateDomain(own.id, { returnPathHost: null, lostSince: null })
      assert.deepEqual(await facts(), [null, null])
      const later = { ...due, now: due.until, until: due.until + 1 }
      assert.deepEqual(await store.claimDomainChecks(later), [])
    })

    test('routes: one for each company and domain, the last one set', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      const route = (
        companyId: string,
        domainId: string | null,
        url: string,
        sealed: Uint8Array | null = null,
      ) => {
        return { id: newId(), companyId, domainId, url, sealed, createdAt: NOW }
      }
      const version = await store.accountsVersion()
      const ofDomain = route(owner.id, own.id, 'smtp://one.test:25?tls=off', Uint8Array.of(1, 2, 3))
      await store.setRoute(route(owner.id, null, 'smtp://old.test:25?tls=off'))
      const ofCompany = route(owner.id, null, 'smtp://two.test:25?tls=off')
      await store.setRoute(ofCompany)
      await store.setRoute(ofDomain)
      const stored = async () => (await store.accounts()).routes
      assert.deepEqual(await stored(), [ofCompany, { ...ofDomain, sealed: new Uint8Array(ofDomain.sealed!) }])
      const changed = await store.accountsVersion()
      assert.notEqual(changed, version)
      await assert.rejects(store.setRoute(route(other.id, own.id, 'smtp://x.test:25?tls=off')), StoreConflict)
      assert.equal(await store.removeRoute({ companyId: other.id, domainId: null }), false)
      assert.equal(await store.accountsVersion(), changed)
      assert.equal(await store.removeRoute({ companyId: owner.id, domainId: null }), true)
      assert.equal(await store.removeRoute({ companyId: owner.id, domainId: null }), false)
      assert.deepEqual(
        (await stored()).map(({ id }) => id),
        [ofDomain.id],
      )
      assert.notEqual(await store.accountsVersion(), changed)
    })

    test('conflicts are named, and leave nothing behind', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      const before = await store.accounts()
      const other = await acme(store, 'Other')
      const conflict = (message: RegExp) => (error: unknown) => {
        assert.ok(error instanceof StoreConflict, String(error))
        assert.match(error.message, message)
        return true
      }
      await assert.rejects(store.addCompany(company('Acme')), conflict(/called Acme/))
      await assert.rejects(store.addDomain(domain(owner, 'acme.test')), conflict(/acme\.test already exists/))
      await assert.rejects(store.addDomain(domain(company('Nobody'), 'b.test')), conflict(/no company/))
      const twin = domain(owner, 'twin.test')
      twin.dkim[1] = own.dkim[0]!
      await assert.rejects(store.addDomain(twin), conflict(/DKIM key/))
      await assert.rejects(store.updateDomain(newId(), { sending: 'active' }), conflict(/no domain/))
      await assert.rejects(store.addKey(apiKey(other, own.id)), conflict(/no domain/))
      const key = apiKey(owner)
      await store.addKey(key)
      await assert.rejects(
        store.addKey({ ...apiKey(owner), tokenHash: key.tokenHash }),
        conflict(/same token/),
      )
      const after = await store.accounts()
      assert.deepEqual(after.domains, before.domains)
      assert.deepEqual(
        after.keys.map(({ id }) => id),
        [key.id],
      )
    })
  })
}
