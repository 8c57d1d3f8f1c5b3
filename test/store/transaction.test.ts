import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../src/accounts/account.ts'
import { openForReading, openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { CallResult, ThreadCall, Writes } from '../../src/store/sqlite/protocol.ts'
import { Transactions } from '../../src/store/sqlite/write/transaction.ts'
import type { ClaimedEmail, NewEmail, RecordResult } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { attempt, claimRequest, company, email, NOW, result } from './samples.ts'

interface Rig {
  path: string
  db: DatabaseSync
  transactions: Transactions
  owner: Company
}

function rig(t: TestContext): Rig {
  const path = join(temporaryDirectory(t), 'a.db')
  const db = openForWriting(path)
  t.after(() => db.close())
  migrate(db, path)
  const transactions = new Transactions(db, path)
  const owner = company('Acme')
  transactions.run([{ name: 'addCompany', args: [owner] }])
  return { path, db, transactions, owner }
}

const accepting = (value: NewEmail): ThreadCall<Writes> => ({ name: 'accept', args: [value, null] })

function answer<T>(outcome: CallResult | undefined): T {
  assert.ok(outcome !== undefined && 'value' in outcome, JSON.stringify(outcome))
  return outcome.value as T
}

const large = (owner: Company) => email(owner, ['a@x.test'], { raw: new Uint8Array(400_000) })

describe('a transaction of the SQLite store', () => {
  test('keeps nothing of a batch when the disk is full, says so, and goes on when there is room', (t) => {
    const { path, db, transactions, owner } = rig(t)
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
    db.exec(`PRAGMA max_page_count = ${pages + 20}`)
    const small = email(owner, ['a@x.test'])
    const full = transactions.run([accepting(small), accepting(large(owner)), { name: 'probe', args: [] }])
    assert.equal(full.commits, 0)
    assert.equal(full.outcomes.length, 3)
    for (const outcome of full.outcomes) {
      assert.ok('fault' in outcome)
      assert.equal(outcome.fault.kind, 'StoreUnavailable')
      assert.match(outcome.fault.message, /its disk is full\. Free some space/)
      assert.ok(outcome.fault.message.includes(path))
    }
    const count = db.prepare('SELECT count(*) AS n FROM emails')
    assert.equal(count.get()?.n, 0)
    assert.equal(transactions.run([{ name: 'claim', args: [claimRequest(1)] }]).commits, 1)
    answer(transactions.run([accepting(small)]).outcomes[0])
    assert.ok('fault' in transactions.run([accepting(large(owner))]).outcomes[0]!)
    db.exec('PRAGMA max_page_count = 100000')
    answer(transactions.run([accepting(large(owner))]).outcomes[0])
    assert.equal(count.get()?.n, 2)
    assert.equal(
      answer<ClaimedEmail[]>(transactions.run([{ name: 'claim', args: [claimRequest(1)] }]).outcomes[0])
        .length,
      2,
    )
  })

  test('a lane made in a batch that was undone does not haunt later claims', (t) => {
    const { db, transactions, owner } = rig(t)
    db.exec('PRAGMA max_page_count = 60')
    const undone = email(owner, ['a@ghost.test'])
    assert.equal(transactions.run([accepting(undone), accepting(large(owner))]).commits, 0)
    db.exec('PRAGMA max_page_count = 100000')
    const kept = email(owner, ['a@real.test'])
    transactions.run([accepting(kept)])
    const claimed = answer<ClaimedEmail[]>(
      transactions.run([{ name: 'claim', args: [claimRequest(1)] }]).outcomes[0],
    )
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [kept.id],
    )
  })

  test('the result of an email whose batch was undone is not taken for the email that has its number now', (t) => {
    const { db, transactions, owner } = rig(t)
    const leased = (value: NewEmail): ThreadCall<Writes> => ({ name: 'accept', args: [value, { token: 1 }] })
    const recorded = (value: NewEmail) => {
      const call: ThreadCall<Writes> = { name: 'record', args: [attempt(value, 1, [result(0)])] }
      return answer<RecordResult>(transactions.run([call]).outcomes[0]).refused
    }
    db.exec('PRAGMA max_page_count = 60')
    const undone = email(owner, ['a@ghost.test'])
    assert.equal(transactions.run([leased(undone), accepting(large(owner))]).commits, 0)
    db.exec('PRAGMA max_page_count = 100000')
    const kept = email(owner, ['a@real.test'], { createdAt: NOW + 1_000 })
    answer(transactions.run([leased(kept)]).outcomes[0])
    assert.deepEqual(recorded(undone), [0])
    assert.deepEqual(recorded(kept), [])

    const gone = email(owner, ['a@ghost.test'])
    answer(transactions.run([leased(gone)]).outcomes[0])
    db.exec("UPDATE recipients SET state = 'delivered', lease = NULL")
    const all = { contentBefore: NOW + 1, emailsBefore: NOW + 1, limit: 100 }
    answer(transactions.run([{ name: 'retainStep', args: [all] }]).outcomes[0])
    const next = email(owner, ['a@next.test'])
    answer(transactions.run([leased(next)]).outcomes[0])
    assert.deepEqual(recorded(gone), [0])
    assert.deepEqual(recorded(next), [])
  })

  test('changes of another process are reported in the end, although batches in between are lost', (t) => {
    const { path, db, transactions, owner } = rig(t)
    db.exec('PRAGMA busy_timeout = 0; PRAGMA max_page_count = 60')
    const other = openForWriting(path)
    t.after(() => other.close())
    new Transactions(other, path).run([{ name: 'addCompany', args: [company('Other')] }])
    assert.equal(transactions.run([accepting(large(owner))]).commits, 0)
    other.exec('BEGIN IMMEDIATE')
    assert.equal(transactions.run([{ name: 'probe', args: [] }]).commits, 0)
    other.exec('ROLLBACK')
    const { changed } = transactions.run([{ name: 'probe', args: [] }])
    assert.deepEqual(changed, { accounts: true, queue: true, stops: true, webhooks: true })
  })

  test('a locked database is a fault that passes', (t) => {
    const { path, db, transactions, owner } = rig(t)
    db.exec('PRAGMA busy_timeout = 1')
    const other = openForWriting(path)
    t.after(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const [outcome] = transactions.run([accepting(email(owner, ['a@x.test']))]).outcomes
    assert.ok(outcome !== undefined && 'fault' in outcome)
    assert.equal(outcome.fault.kind, 'StoreUnavailable')
    assert.match(outcome.fault.message, /keeps it locked/)
    other.exec('ROLLBACK')
    answer(transactions.run([accepting(email(owner, ['a@x.test']))]).outcomes[0])
  })

  for (const [what, damage] of [
    ['content that is missing', (db, num) => db.prepare('DELETE FROM contents WHERE email = ?').run(num)],
    ['a file that is missing', (db) => db.exec('DELETE FROM blobs')],
    [
      'a header that does not parse',
      (db, num) => {
        db.prepare("UPDATE emails SET header_to = '[\"a' WHERE num = ?").run(num)
      },
    ],
    [
      'variables that do not parse',
      (db, num) => {
        db.prepare("UPDATE recipients SET variables = '{' WHERE email = ?").run(num)
      },
    ],
  ] satisfies [string, (db: DatabaseSync, num: number) => void][]) {
    test(`${what} ends that recipient with an event, and the claim goes on`, (t) => {
      const { path, db, transactions, owner } = rig(t)
      const damaged = email(owner, ['a@x.test', 'b@y.test'])
      damaged.content.attachments = [
        { filename: 'f', contentType: 'text/plain', content: Uint8Array.of(1), disposition: 'attachment' },
      ]
      const sound = email(owner, ['a@x.test'])
      transactions.run([accepting(damaged), accepting(sound)])
      damage(db, 1)
      const claimed = answer<ClaimedEmail[]>(
        transactions.run([{ name: 'claim', args: [claimRequest(1)] }]).outcomes[0],
      )
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [sound.id],
      )
      const reader = openForReading(path)
      t.after(() => reader.close())
      const states = reader.prepare('SELECT state, last_message AS why FROM recipients WHERE email = 1').all()
      assert.deepEqual(
        states.map(({ state }) => state),
        ['failed', 'failed'],
      )
      assert.match(String(states[0]?.why), /Not sent: .*(missing|damaged)/)
      const last = reader
        .prepare('SELECT type FROM events WHERE email = 1 ORDER BY number DESC LIMIT 1')
        .get()
      assert.equal(last?.type, 'failed')
      assert.equal(reader.prepare("SELECT count(*) AS n FROM events WHERE type = 'failed'").get()?.n, 2)
      assert.equal(reader.prepare('SELECT count(*) AS n FROM lanes').get()?.n, 0)
    })
  }

  test('files are kept once for a company and go with their last reference', (t) => {
    const { db, transactions, owner } = rig(t)
    const other = company('Other')
    const file = new Uint8Array(9_000).fill(7)
    const carrying = (who: Company, createdAt: number) => {
      const value = email(who, ['a@x.test'], { createdAt })
      value.content.attachments = [0, 1].map((n) => {
        return { filename: `${n}`, contentType: 'text/plain', content: file, disposition: 'attachment' }
      })
      return value
    }
    const emails = [carrying(owner, NOW - 10), carrying(owner, NOW), carrying(other, NOW - 10)]
    transactions.run([{ name: 'addCompany', args: [other] }])
    for (const value of emails) {
      transactions.run([{ name: 'accept', args: [value, { token: 1 }] }])
      transactions.run([{ name: 'record', args: [attempt(value, 1, [result(0)])] }])
    }
    const blobs = db.prepare('SELECT count(*) AS n FROM blobs')
    assert.equal(blobs.get()?.n, 2)
    const retain = (contentBefore: number) => {
      transactions.run([{ name: 'retainStep', args: [{ contentBefore, emailsBefore: 0, limit: 10 }] }])
    }
    retain(NOW)
    assert.equal(blobs.get()?.n, 1)
    assert.equal(db.prepare('SELECT count(*) AS n FROM attachments').get()?.n, 2)
    retain(NOW + 1)
    assert.equal(blobs.get()?.n, 0)
  })
})
