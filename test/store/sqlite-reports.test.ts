import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../src/accounts/account.ts'
import type { RecipientReport } from '../../src/email/lifecycle.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryDirectory } from './directory.ts'
import { accept, acme, attempt, deferred, email, eventNames, HOUR, NOW, result, states } from './samples.ts'

async function open(t: TestContext): Promise<{ store: SqliteStore; owner: Company }> {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: true })
  t.after(() => store.close())
  return { store, owner: await acme(store) }
}

const bounced = (reportId?: string): RecipientReport['happening'] => ({
  kind: 'returned',
  at: NOW + HOUR,
  report: 'bounced',
  detail: { code: 550, message: 'No such mailbox', ...(reportId !== undefined && { reportId }) },
  deadAddress: true,
  fullMailbox: null,
})

describe('reports, in the SQLite store', () => {
  test('a late bounce ends a delivered recipient, once, and its address is suppressed', async (t) => {
    const { store, owner } = await open(t)
    const value = email(owner, ['a@x.test', 'b@x.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [result(0), result(1)]))
    const report = (position: number) => ({ emailId: value.id, position, happening: bounced('dsn-1') })
    assert.equal(await store.happened([report(0), report(0)]), 1)
    assert.equal(await store.happened([report(0)]), 0)
    assert.deepEqual(await states(store, value.id), ['bounced', 'delivered'])
    assert.equal(await store.happened([report(1)]), 1)
    assert.deepEqual(await eventNames(store, value.id), [
      'sent',
      '0:delivered',
      '1:delivered',
      '0:bounced',
      '1:bounced',
    ])
    assert.equal((await store.readEmail(value.id))?.lastEvent, 'bounced')
    const listed = await store.listSuppressions({ limit: 10 })
    assert.deepEqual(
      listed.map(({ address, reason, createdAt, emailId }) => [address, reason, createdAt, emailId]).sort(),
      [
        ['a@x.test', 'No such mailbox', NOW + HOUR, value.id],
        ['b@x.test', 'No such mailbox', NOW + HOUR, value.id],
      ],
    )
  })

  test('the same report counts once for each kind of event, and a report without a name counts each time', async (t) => {
    const { store, owner } = await open(t)
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token: 1 })
    await store.record(attempt(value, 1, [result(0)]))
    const told = async (kind: 'opened' | 'complained', detail: object) => {
      return await store.happened([{ emailId: value.id, position: 0, happening: { kind, at: NOW, detail } }])
    }
    assert.equal(await told('opened', { reportId: 'r' }), 1)
    assert.equal(await told('complained', { reportId: 'r' }), 1)
    assert.equal(await told('complained', { reportId: 'r' }), 0)
    assert.equal(await told('opened', {}), 1)
    assert.equal(await told('opened', {}), 1)
  })

  test('a waiting recipient leaves its lane when a report ends it, and a recipient under way goes on', async (t) => {
    const { store, owner } = await open(t)
    const doubtful = email(owner, ['a@x.test'])
    await store.accept(doubtful, { token: 1 })
    await store.record(attempt(doubtful, 1, [deferred(0, NOW + HOUR, { uncertain: true })]))
    const going = await store.accept(email(owner, ['b@x.test']), null)
    assert.equal(going.kind, 'accepted')
    const leased = email(owner, ['c@x.test'])
    await store.accept(leased, { token: 1 })
    assert.equal((await store.counts(NOW)).waiting, 2)

    const opened = { kind: 'opened', at: NOW, detail: {} } as const
    const all = [doubtful, leased].map(({ id }) => ({ emailId: id, position: 0, happening: opened }))
    assert.equal(await store.happened(all), 2)
    assert.deepEqual(await states(store, doubtful.id), ['delivered'])
    assert.deepEqual(await store.counts(NOW), { waiting: 1, sending: 1, quarantined: 0, due: 1 })
    assert.deepEqual(await store.record(attempt(leased, 1, [result(0)])), { refused: [] })
  })

  test('reports about unknown recipients, and impossible ones, are passed over', async (t) => {
    const { store, owner } = await open(t)
    const value = await accept(store, email(owner, ['a@x.test']))
    await store.cancel(value.id, NOW)
    const delayed = {
      kind: 'returned',
      at: NOW,
      report: 'delayed',
      detail: {},
      deadAddress: false,
      fullMailbox: null,
    } as const
    const reports = [
      { emailId: 'nobody', position: 0, happening: bounced() },
      { emailId: value.id, position: 7, happening: bounced() },
      { emailId: value.id, position: 0, happening: delayed },
    ]
    assert.equal(await store.happened(reports), 0)
    assert.deepEqual(await eventNames(store, value.id), ['sent', '0:canceled'])
  })
})
