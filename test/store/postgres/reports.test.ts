import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import type { RecipientReport } from '../../../src/email/lifecycle.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { execute, withoutPostgres } from '../../support/postgres.ts'
import { postgresWithCompany } from '../opened.ts'
import { attempt, DAY, email, eventNames, NOW, newId, result, states } from '../samples.ts'
import { lockAwaited, rivalOf } from './faults/rival.ts'

/** An email of two recipients, both delivered. */
async function delivered(store: PostgresStore, owner: Company, createdAt = NOW): Promise<string> {
  const value = email(owner, ['a@x.test', 'b@y.test'], { createdAt })
  await store.accept(value, { token: 1 })
  await store.record(attempt(value, 1, [result(0), result(1)]))
  return value.id
}

function bounce(emailId: string, position: number, reportId: string): RecipientReport {
  const detail = { code: 550, message: '550 5.1.1 No such user', reportId }
  return {
    emailId,
    position,
    happening: {
      kind: 'returned',
      at: NOW + 1,
      report: 'bounced',
      detail,
      deadAddress: true,
      fullMailbox: null,
    },
  }
}

describe('reports recorded in PostgreSQL', { skip: withoutPostgres() }, () => {
  test('change a final state, and count once through whichever node they come', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const other = await PostgresStore.open(url)
    t.after(() => other.close())
    const id = await delivered(store, owner)
    const late = bounce(id, 1, 'r1')
    const opened = (reportId: string): RecipientReport => {
      return { emailId: id, position: 0, happening: { kind: 'opened', at: NOW + 2, detail: { reportId } } }
    }
    // The same from two nodes at once, and twice in what one of them brings.
    const both = [late, opened('r1'), late, opened('r2')]
    const counts = await Promise.all([store.happened(both), other.happened(both)])
    assert.deepEqual(counts.sort(), [0, 3])
    assert.equal(await store.happened([...both, bounce(newId(), 0, 'r1'), bounce(id, 7, 'r1')]), 0)
    assert.deepEqual(await states(store, id), ['delivered', 'bounced'])
    assert.deepEqual((await eventNames(store, id)).slice(1).sort(), [
      '0:delivered',
      '0:opened',
      '0:opened',
      '1:bounced',
      '1:delivered',
    ])
    assert.equal((await store.readHistory(id))!.recipients[1]!.lastMessage, '550 5.1.1 No such user')
    assert.deepEqual(
      (await store.listSuppressions({ limit: 10 })).map(({ address, emailId }) => [address, emailId]),
      [['b@y.test', id]],
    )

    // Nodes that hold mail to that address are notified.
    const told: string[] = []
    store.watch((change) => told.push(change))
    assert.equal(
      await store.happened([
        { emailId: id, position: 0, happening: { kind: 'complained', at: NOW + 3, detail: {} } },
      ]),
      1,
    )
    assert.ok(told.includes('stops'))
  })

  test('are recorded once, with any text of strangers in them', async (t) => {
    const { store, owner } = await postgresWithCompany(t)
    const id = await delivered(store, owner)
    const names = ['r1', 'r\0"\\', 'r\ud800', '"reportId":"r1"', 'r"reportId":"r9']
    const odd = names.map((reportId): RecipientReport => {
      const detail = { reportId, message: `\0 \ud800 "reportId":"r9" \\` }
      return { emailId: id, position: 0, happening: { kind: 'opened', at: NOW + 1, detail } }
    })
    assert.equal(await store.happened(odd), names.length)
    assert.equal(await store.happened(odd), 0)
    assert.equal(await store.happened([bounce(id, 1, 'r9'), ...odd]), 1)
  })

  test('wait for a result that is being written, and depend on its outcome', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token: 1 })
    // In the order of a result: the row in the queue first, then the row of the recipient.
    const rival = await rivalOf(t, url)
    await rival.query('DELETE FROM queue WHERE email = $1', [value.id])
    const reported = store.happened([bounce(value.id, 0, 'r')])
    await lockAwaited(url)
    await rival.query(`UPDATE recipients SET state = 'delivered' WHERE email = $1`, [value.id])
    await rival.query('COMMIT')
    assert.equal(await reported, 1)
    assert.deepEqual(await states(store, value.id), ['bounced'])
  })

  test('leave nothing behind of an email that retention removes at the same time', async (t) => {
    const { url, store, owner } = await postgresWithCompany(t)
    const id = await delivered(store, owner, NOW - DAY)
    const rival = await rivalOf(t, url)
    await rival.query('SELECT 1 FROM recipients WHERE email = $1 FOR UPDATE', [id])
    const reported = store.happened([bounce(id, 0, 'r')])
    await lockAwaited(url)
    const request = { contentBefore: NOW - 1, emailsBefore: NOW - 1, limit: 10 }
    // It has the email: retention passes over it, and comes back.
    assert.equal(await store.retain(request), 0)
    await rival.query('ROLLBACK')
    assert.equal(await reported, 1)
    while ((await store.retain(request)) > 0);
    assert.equal(await store.happened([bounce(id, 0, 'r')]), 0)
    assert.deepEqual(await execute(url, 'SELECT 1 FROM events'), [])
  })
})
