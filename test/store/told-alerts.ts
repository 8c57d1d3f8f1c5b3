/** Problems as they were kept before migration 0029, and what channels know of them after it. */
import assert from 'node:assert/strict'
import type { Store } from '../../src/store/store.ts'

export const INSERT_TOLD = `INSERT INTO alerts (id, title, found, since, told_at, told_to, ended_at)
  VALUES ('clock', 'T', 'F.', 1, NULL, NULL, NULL), ('disk', 'T', 'F.', 1, 2, '["mail:a","mail:b"]', NULL),
    ('nodes', 'T', 'F.', 1, NULL, '["mail:a"]', 3)`

export async function assertAnnounced(store: Pick<Store, 'alerts' | 'announcements'>): Promise<void> {
  const known = (await store.announcements()).map(({ alertId, channel, knows }) => [alertId, channel, knows])
  assert.deepEqual(known, [
    ['disk', 'mail:a', 'beginning'],
    ['disk', 'mail:b', 'beginning'],
    ['nodes', 'mail:a', 'beginning'],
  ])
  const problems = (await store.alerts()).map(({ id, endedAt }) => [id, endedAt])
  assert.deepEqual(problems, [
    ['clock', null],
    ['disk', null],
    ['nodes', 3],
  ])
}
