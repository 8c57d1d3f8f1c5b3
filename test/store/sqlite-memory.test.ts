import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../src/accounts/account.ts'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import type { CallResult, ThreadCall, Writes } from '../../src/store/sqlite/protocol.ts'
import { Transactions } from '../../src/store/sqlite/write/transaction.ts'
import type { NewEmail, RecordResult } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { attempt, claimRequest, company, email, NOW, result } from './samples.ts'

interface Rig {
  path: string
  db: DatabaseSync
  owner: Company
  run(...calls: ThreadCall<Writes>[]): CallResult[]
  /** The same, all of it undone: what comes last finds no room on the disk. */
  undone(...calls: ThreadCall<Writes>[]): void
}

function rig(t: TestContext): Rig {
  const path = join(temporaryDirectory(t), 'a.db')
  const db = openForWriting(path)
  t.after(() => db.close())
  migrate(db, path)
  const transactions = new Transactions(db, path)
  const owner = company('Acme')
  const run = (...calls: ThreadCall<Writes>[]) => transactions.run(calls).outcomes
  const undone = (...calls: ThreadCall<Writes>[]) => {
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
    db.exec(`PRAGMA max_page_count = ${pages + 20}`)
    const large = accepting(email(owner, ['a@x.test'], { raw: new Uint8Array(400_000) }))
    const { outcomes, commits } = transactions.run([...calls, large])
    assert.equal(commits, 0)
    for (const outcome of outcomes) assert.ok('fault' in outcome)
    db.exec('PRAGMA max_page_count = 100000')
  }
  run({ name: 'addCompany', args: [owner] })
  return { path, db, owner, run, undone }
}

const accepting = (value: NewEmail, token?: number): ThreadCall<Writes> => {
  return { name: 'accept', args: [value, token === undefined ? null : { token }] }
}

function answer<T>(outcome: CallResult | undefined): T {
  assert.ok(outcome !== undefined && 'value' in outcome, JSON.stringify(outcome))
  return outcome.value as T
}

function numbers(db: DatabaseSync): unknown[] {
  return db
    .prepare('SELECT number FROM events ORDER BY number')
    .all()
    .map(({ number }) => number)
}

const lastNumber = (db: DatabaseSync) =>
  db.prepare("SELECT value FROM counters WHERE name = 'events'").get()?.value

describe('the memory of the writer of the SQLite store', () => {
  test('goes with the transaction: companies', (t) => {
    const { owner, run, undone } = rig(t)
    const ghost = company('Ghost')
    const value = email(ghost, ['a@x.test'])
    undone({ name: 'addCompany', args: [ghost] }, accepting(value))
    answer(run({ name: 'addCompany', args: [company('Real')] })[0])
    const [outcome] = run(accepting(value), accepting(email(owner, ['a@x.test'])))
    assert.ok(outcome !== undefined && 'fault' in outcome)
    assert.match(outcome.fault.message, /There is no company with the id/)
  })

  test('goes with the transaction: numbers of emails', (t) => {
    const { owner, run, undone } = rig(t)
    const ghost = email(owner, ['a@x.test'])
    undone(accepting(ghost, 1))
    const kept = email(owner, ['a@y.test'])
    answer(run(accepting(kept, 1))[0])
    for (const [value, refused] of [
      [ghost, [0]],
      [kept, []],
    ] as const) {
      const [outcome] = run({ name: 'record', args: [attempt(value, 1, [result(0)])] })
      assert.deepEqual(answer<RecordResult>(outcome).refused, refused)
    }
  })

  test('goes with the transaction: the turns of companies', (t) => {
    const { owner, run, undone } = rig(t)
    const value = email(owner, ['a@x.test'])
    answer(run(accepting(value))[0])
    undone({ name: 'claim', args: [claimRequest(1)] })
    const claimed = answer<NewEmail[]>(run({ name: 'claim', args: [claimRequest(1)] })[0])
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [value.id],
    )
  })

  test('goes with the transaction: unwritten changes of lanes', (t) => {
    const { db, owner, run } = rig(t)
    const broken = email(owner, ['a@ghost.test', 'b@ghost.test'])
    broken.recipients[1]!.kind = null as unknown as 'to'
    const [refused, kept] = run(accepting(broken), accepting(email(owner, ['a@x.test'])))
    assert.ok(refused !== undefined && 'fault' in refused)
    answer(kept)
    const lanes = db.prepare('SELECT domain, waiting FROM lanes').all()
    assert.deepEqual(
      lanes.map(({ domain, waiting }) => [domain, waiting]),
      [['x.test', 1]],
    )
  })

  test('goes with the transaction: how far retention has come', (t) => {
    const { db, owner, run, undone } = rig(t)
    for (const address of ['a@x.test', 'b@x.test']) answer(run(accepting(email(owner, [address]), 1))[0])
    db.exec("UPDATE recipients SET state = 'delivered', lease = NULL")
    const step = (limit: number): ThreadCall<Writes> => {
      return { name: 'retainStep', args: [{ contentBefore: NOW + 1, emailsBefore: 0, limit }] }
    }
    undone(step(1))
    assert.deepEqual(answer(run(step(10))[0]), { touched: 2, done: true })
  })

  test('goes with the transaction: numbers of events', (t) => {
    const { db, owner, run, undone } = rig(t)
    undone(accepting(email(owner, ['a@x.test'])))
    answer(run(accepting(email(owner, ['a@x.test'])))[0])
    assert.deepEqual(numbers(db), [1])
    assert.equal(lastNumber(db), 1)
  })

  test('goes with an operation that is undone alone, and keeps the changes of the others in its batch', (t) => {
    const { db, owner, run } = rig(t)
    const broken = email(owner, ['a@x.test'], {
      idempotency: { key: 'k', fingerprint: null as unknown as string },
    })
    const [first, refused, last] = run(
      accepting(email(owner, ['a@x.test'])),
      accepting(broken),
      accepting(email(owner, ['b@x.test'])),
    )
    answer(first)
    assert.ok(refused !== undefined && 'fault' in refused)
    answer(last)
    assert.deepEqual(numbers(db), [1, 2])
    assert.equal(lastNumber(db), 2)
  })

  test('is read again when another process has written: numbers of events rise over all', (t) => {
    const { path, db, owner, run } = rig(t)
    const other = openForWriting(path)
    t.after(() => other.close())
    const beside = new Transactions(other, path)
    for (let round = 0; round < 3; round++) {
      answer(run(accepting(email(owner, ['a@x.test'])), accepting(email(owner, ['b@x.test'])))[1])
      answer(beside.run([accepting(email(owner, ['c@x.test']))]).outcomes[0])
    }
    assert.deepEqual(numbers(db), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    const companies = db.prepare('SELECT group_concat(email) AS emails FROM events ORDER BY number').get()
    assert.equal(companies?.emails, '1,2,3,4,5,6,7,8,9')
  })

  test('numbers of events are not given again when retention has removed the last ones', (t) => {
    const { db, owner, run } = rig(t)
    answer(run(accepting(email(owner, ['a@x.test']), 1))[0])
    db.exec("UPDATE recipients SET state = 'delivered', lease = NULL")
    const all = { contentBefore: NOW + 1, emailsBefore: NOW + 1, limit: 100 }
    answer(run({ name: 'retainStep', args: [all] })[0])
    assert.deepEqual(numbers(db), [])
    answer(run(accepting(email(owner, ['a@x.test'])))[0])
    assert.deepEqual(numbers(db), [2])
  })
})
