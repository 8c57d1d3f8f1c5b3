/** A domain that was added before migration 0031 and has not been checked since, and its check after the migration. */
import assert from 'node:assert/strict'
import type { Store } from '../../src/store/store.ts'

export const INSERT_UNCHECKED = `
  INSERT INTO companies (num, id, name, created_at) VALUES (1, 'acme', 'Acme', 1);
  INSERT INTO domains (id, company, name, status, sending, created_at, check_due_at)
  VALUES ('waits', 1, 'waits.test', 'pending', 'inactive', 1, 2), ('sends', 1, 'sends.test', 'pending', 'active', 1, 2)`

export async function assertChecked(store: Pick<Store, 'claimSetupChecks'>): Promise<void> {
  const claim = { now: 2, until: 3, limit: 5, ofOne: 5, except: [] }
  assert.deepEqual(await store.claimSetupChecks(claim), [{ id: 'waits', companyId: 'acme' }])
}
