import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../../../src/people/person.ts'
import { AUDIT_KEPT, AUDIT_STEP } from '../../../src/store/cold/audit.ts'
import { type AuditFilter, StoreConflict } from '../../../src/store/store.ts'
import { acme, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { person, sessionOf, tokenHash } from './people.ts'

type NewEntry = Omit<AuditEntry, 'number' | 'done'>

export function entry(companyId: string | null, change: Partial<NewEntry> = {}): NewEntry {
  return {
    ...{ at: NOW, companyId, actor: { kind: 'person', id: newId(), name: 'ada@people.test' } },
    ...{ topic: 'change', action: 'createKey', target: '', detail: {} },
    ...change,
  }
}

export function auditContract(open: OpenBench): void {
  describe('the audit list', () => {
    test('contains each change before it is done, and afterwards its target', async (t) => {
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

    test('drops a change that was not done, and never uses its number again', async (t) => {
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

    test('is filtered by actor, action and time, within a company or over all', async (t) => {
      const { store } = await open(t)
      const [one, two] = [await acme(store, 'One'), await acme(store, 'Two')]
      const by = (name: string) => ({ actor: { kind: 'person', id: null, name } }) as const
      const HOUR = 3_600_000
      const made = [
        entry(one.id, { ...by('ada'), action: 'createKey', at: NOW }),
        entry(one.id, { ...by('bob'), action: 'revokeKey', at: NOW + HOUR }),
        entry(two.id, { ...by('ada'), action: 'createKey', at: NOW + 2 * HOUR }),
        // The clock of another node is behind.
        entry(one.id, { ...by('ada'), action: 'signIn', topic: 'session', at: NOW + 2 * HOUR - 60_000 }),
        entry(null, { ...by('eve'), action: 'signIn', topic: 'session', at: NOW + 3 * HOUR }),
      ]
      const numbers: number[] = []
      for (const each of made) numbers.push(await store.addAudit(each))
      const found = async (filter: Partial<AuditFilter>) => {
        const entries = await store.audit({ companyId: null, limit: 10, ...filter })
        return entries.map(({ number }) => numbers.indexOf(number))
      }
      assert.deepEqual(await found({ actor: 'ada' }), [3, 2, 0])
      assert.deepEqual(await found({ actor: 'ada', companyId: one.id }), [3, 0])
      assert.deepEqual(await found({ actor: 'ada', action: 'createKey' }), [2, 0])
      assert.deepEqual(await found({ action: 'createKey', companyId: two.id }), [2])
      assert.deepEqual(await found({ topic: 'session' }), [4, 3])
      assert.deepEqual(await found({ topic: 'change', companyId: one.id }), [1, 0])
      assert.deepEqual(await found({ from: NOW + HOUR }), [4, 3, 2, 1])
      assert.deepEqual(await found({ from: NOW + 2 * HOUR }), [4, 2])
      assert.deepEqual(await found({ to: NOW + 2 * HOUR }), [3, 1, 0])
      assert.deepEqual(await found({ from: NOW + HOUR, to: NOW + 2 * HOUR, companyId: one.id }), [3, 1])
      assert.deepEqual(await found({ from: NOW + 9 * HOUR }), [])
      assert.deepEqual(await found({ to: NOW }), [])
      assert.deepEqual(await found({ after: numbers[2]! }), [4, 3])
      assert.deepEqual(await found({ actor: 'ada', before: numbers[2]!, limit: 1 }), [0])
    })

    test('gets sign-ins and sign-outs in the same commit, and drops no change for them', async (t) => {
      const { store, execute, rows } = await open(t)
      const owner = await acme(store)
      const ada = person()
      await store.addPerson(ada)
      const session = sessionOf(ada)
      const noted = (action: string) => [entry(owner.id, { topic: 'session', action })]
      const change = await store.addAudit(entry(owner.id))
      await execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${AUDIT_KEPT + 5})
        INSERT INTO audit (number, at, company, actor_kind, actor_name, topic, action, target, done)
        SELECT i - 1000000, 0, (SELECT num FROM companies WHERE id = '${owner.id}'), 'person', '', 'session', 'old', '',
          1 = 1 FROM n`)
      await store.addSession(session, tokenHash(), noted('signIn'))
      assert.equal(await store.endSessions(ada.id, { id: newId() }, noted('nothing')), 0)
      assert.equal(await store.endSessions(ada.id, { id: session.id }, noted('signOut')), 1)
      const gone = person()
      await assert.rejects(store.addSession(sessionOf(gone), tokenHash(), noted('nobody')), StoreConflict)
      const [last, first, ...others] = await store.audit({ companyId: owner.id, limit: 2 })
      assert.deepEqual(
        [last?.action, last?.done, first?.action, first?.done],
        ['signOut', true, 'signIn', true],
      )
      assert.deepEqual(others, [])
      assert.equal(await rows('audit'), AUDIT_KEPT + 1)
      const changes = await store.audit({ companyId: owner.id, topic: 'change', limit: 2 })
      assert.deepEqual(
        changes.map(({ number }) => number),
        [change],
      )
    })

    test('keeps the newest entries of each company, and drops none of another company for them', async (t) => {
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
