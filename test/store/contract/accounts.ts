import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { StoreConflict } from '../../../src/store/store.ts'
import { acme, apiKey, company, domain, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function accountsContract(open: OpenBench): void {
  describe('accounts', () => {
    test('are kept as given', async (t) => {
      const { store } = await open(t)
      assert.deepEqual(await store.accounts(), { companies: [], domains: [], keys: [] })
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

    test('change', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const own = domain(owner, 'acme.test')
      await store.addDomain(own)
      await store.updateDomain(own.id, { status: 'verified' })
      await store.updateDomain(own.id, { sending: 'active' })
      const [stored] = (await store.accounts()).domains
      assert.deepEqual([stored?.status, stored?.sending], ['verified', 'active'])
      const key = apiKey(owner)
      await store.addKey(key)
      assert.equal(await store.revokeKey(key.id, NOW + 1), true)
      assert.equal(await store.revokeKey(key.id, NOW + 2), false)
      assert.equal(await store.revokeKey(newId(), NOW), false)
      assert.equal((await store.accounts()).keys[0]?.revokedAt, NOW + 1)
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
      await assert.rejects(store.addDomain(domain(other, 'acme.test')), conflict(/acme\.test is already/))
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
