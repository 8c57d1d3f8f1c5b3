import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readersOf } from '../../src/operate/alerts/alert-readers.ts'
import { ALERT_KINDS, type Person } from '../../src/people/person.ts'

type Reader = Pick<Person, 'address' | 'alerts' | 'memberships' | 'operator'>

function reader(address: string | null, change: Partial<Reader> = {}): Reader {
  return { address, alerts: ALERT_KINDS, memberships: [], operator: false, ...change }
}

const member = (companyId: string) => ({ companyId, role: 'viewer' as const })

const PEOPLE: readonly Reader[] = [
  reader('operator@x.test', { operator: true }),
  reader('calm@x.test', { operator: true, alerts: [] }),
  reader('acme@x.test', { memberships: [member('acme')] }),
  reader('unconfirmed@x.test', { memberships: [{ ...member('acme'), unconfirmed: true }] }),
  reader('beta@x.test', { memberships: [member('beta')] }),
  reader('rates@x.test', { memberships: [member('acme')], alerts: ['rates'] }),
  reader(null, { operator: true }),
]

test('people get the kinds of alerts that they have chosen, and only about companies that they belong to', () => {
  const readers = (id: string, companyId: string | null) =>
    readersOf({ id, companyId }, PEOPLE).map(({ address }) => address)
  assert.deepEqual(readers('disk', null), ['operator@x.test'])
  assert.deepEqual(readers('domain:acme.test', 'acme'), ['operator@x.test', 'acme@x.test'])
  assert.deepEqual(readers('webhook:1', 'beta'), ['operator@x.test', 'beta@x.test'])
  assert.deepEqual(readers('bounces:acme', 'acme'), ['operator@x.test', 'acme@x.test', 'rates@x.test'])
  assert.deepEqual(readers('complaints:acme', 'acme'), ['operator@x.test', 'acme@x.test', 'rates@x.test'])
  assert.deepEqual(readers('waiting:acme', 'acme'), ['operator@x.test', 'acme@x.test'])
})
