import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../../../src/people/person.ts'
import { AUDIT_KEPT, AUDIT_STEP } from '../../../src/store/people-statements.ts'
import { StoreConflict } from '../../../src/store/store.ts'
import { acme, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

type NewEntry = Omit<AuditEntry, 'number' | 'done'>

export function entry(companyId: string | null, change: Partial<NewEntry> = {}): NewEntry {
  return {
    ...{ at: NOW, companyId, actor: { kind: 'person', id: newId(), name: 'ada@people.test' } },
    ...{ action: 'createKey', target: '', detail: {} },
    ...change,
  }
}

export function auditContract(open: OpenBench): void {
  describe('the list of what was changed by whom', () => {
    test('has each change before it is done, and what it was done to afterwards', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const begun = entry(owner.id, { target: 'app', detail: { scopes: ['sending'], expires: null } })
      const number = await store.addAudit(begun)
      assert.deepEqual(await store.audit({ companyId: null, limit: 10 }), [{ ...begun, number, done: false }])
      const done = { companyId: owner.id, target: 'app (1)', detail: { scopes: ['reading'] } }
      await store.settleAudit(number, done)
      assert.deepEqual(await store.audit({ companyId: owner.id, limit: 10 }), [
        { ...begun, ...done, number, done: true },
      ])
      // A company is made by a change of the installation.
      const made = entry(null, {
        action: 'addCompany',
        actor: { kind: 'command-line', id: null, name: 'root' },
      })
      const second = await store.addAudit(made)
      assert.ok(second > number)
      await store.settleAudit(second, { companyId: owner.id, target: 'Acme', detail: {} })
      const [latest] = await store.audit({ companyId: owner.id, limit: 1 })
      assert.deepEqual(latest, { ...made, companyId: owner.id, target: 'Acme', number: second, done: true })
    })

    test('loses what was not done, whose number nobody gets again', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      const number = await store.addAudit(entry(owner.id))
      await store.settleAudit(number, null)
      assert.deepEqual(await store.audit({ companyId: null, limit: 10 }), [])
      await store.settleAudit(number, { companyId: owner.id, target: 'late', detail: {} })
      assert.deepEqual(await store.audit({ companyId: null, limit: 10 }), [])
      assert.ok((await (await another()).addAudit(entry(owner.id))) > number)
    })

    test('is read by pages, the newest first, of a company or of all', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const numbers: number[] = []
      for (const companyId of [one.id, null, two.id, one.id, one.id]) {
        numbers.push(await store.addAudit(entry(companyId)))
      }
      const page = async (companyId: string | null, limit: number, before?: number) => {
        const entries = await store.audit({ companyId, limit, ...(before !== undefined && { before }) })
        return entries.map(({ number }) => numbers.indexOf(number))
      }
      assert.deepEqual(await page(null, 10), [4, 3, 2, 1, 0])
      assert.deepEqual(await page(null, 2), [4, 3])
      assert.deepEqual(await page(null, 2, numbers[3]), [2, 1])
      assert.deepEqual(await page(one.id, 2), [4, 3])
      assert.deepEqual(await page(one.id, 2, numbers[3]), [0])
      assert.deepEqual(await page(one.id, 2, numbers[0]), [])
      assert.deepEqual(await page(two.id, 10), [2])
      assert.deepEqual(await page(newId(), 10), [])
      const ofAll = await store.audit({ companyId: null, limit: 10 })
      assert.deepEqual(
        ofAll.map(({ companyId }) => companyId),
        [one.id, one.id, two.id, null, one.id],
      )
      await assert.rejects(store.addAudit(entry(newId())), StoreConflict)
      assert.equal((await store.audit({ companyId: null, limit: 10 })).length, 5)
    })

    test('keeps the newest of each company, and what one has changed pushes out nothing of another', async (t) => {
      const { store, rows, execute } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const others = [await store.addAudit(entry(two.id)), await store.addAudit(entry(null))]
      const extra = AUDIT_STEP + 5
      await execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${AUDIT_KEPT + extra})
        INSERT INTO audit (number, at, company, actor_kind, actor_name, action, target, done)
        SELECT i - 1000000, 0, (SELECT num FROM companies WHERE id = '${one.id}'), 'service', '', 'old', '',
          1 = 1 FROM n`)
      await store.addAudit(entry(one.id))
      assert.equal(await rows('audit'), others.length + AUDIT_KEPT + extra + 1 - AUDIT_STEP)
      const newest = await store.addAudit(entry(one.id))
      assert.equal(await rows('audit'), others.length + AUDIT_KEPT)
      await store.addAudit(entry(two.id))
      await store.addAudit(entry(null))
      assert.equal(await rows('audit'), others.length + AUDIT_KEPT + 2)
      const [first] = await store.audit({ companyId: one.id, limit: 1 })
      assert.equal(first!.number, newest)
      const kept = await store.audit({ companyId: one.id, limit: AUDIT_KEPT + 1 })
      assert.equal(kept.at(-1)!.number, extra + 3 - 1_000_000)
    })
  })
}
