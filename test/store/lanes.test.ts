import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Company } from '../../src/accounts/account.ts'
import { openForWriting } from '../../src/store/sqlite/database.ts'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import {
  type CallResult,
  type ChangeFlags,
  type ThreadCall,
  UNCHANGED,
  type Writes,
} from '../../src/store/sqlite/protocol.ts'
import { queue } from '../../src/store/sqlite/read/queue.ts'
import { Transactions } from '../../src/store/sqlite/write/transaction.ts'
import type { ClaimedEmail, ClaimRequest, LaneRoom, NewEmail } from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { attempt, claimRequest, company, deferred, email, NOW, newId, result } from './samples.ts'

const TOKEN = 1
/** More lanes than are looked up in one portion. */
const CROWD = 300

function open(t: TestContext | null, path: string): DatabaseSync {
  const db = openForWriting(path)
  // Nothing here is about what survives a crash.
  db.exec('PRAGMA synchronous = OFF')
  t?.after(() => db.close())
  return db
}

interface Row {
  email: NewEmail
  position: number
  company: number
  domain: string
  /** Null while it is leased. */
  dueAt: number | null
}

/** The queue as a plain list, beside the store under test and a second one on the same file. */
class Model {
  readonly rows: Row[] = []
  readonly #owners: Company[]
  readonly #stores: readonly [Transactions, Transactions]
  readonly #queue: ReturnType<typeof queue>
  readonly #dbs: readonly [DatabaseSync, DatabaseSync]
  /** The changes by the second store that the first has yet to report. */
  #foreign: ChangeFlags = { ...UNCHANGED }
  now = NOW

  constructor(path: string, dbs: readonly [DatabaseSync, DatabaseSync]) {
    migrate(dbs[0], path)
    this.#dbs = dbs
    this.#stores = [new Transactions(dbs[0], path), new Transactions(dbs[1], path)]
    this.#queue = queue(dbs[0])
    this.#owners = ['One', 'Two', 'Three'].map(company)
    for (const owner of this.#owners) this.#run(0, { name: 'addCompany', args: [owner] })
  }

  get companies(): string[] {
    return this.#owners.map(({ id }) => id)
  }

  accept(store: 0 | 1, owner: number, domains: string[], dueIn: number): void {
    const dueAt = this.now + dueIn
    const addresses = domains.map((name, n) => `r${n}@${name}`)
    const value = email(this.#owners[owner]!, addresses, { dueAt })
    this.#run(store, { name: 'accept', args: [value, null] })
    for (const [position, domain] of domains.entries()) {
      this.rows.push({ email: value, position, company: owner, domain, dueAt })
    }
  }

  claim(store: 0 | 1, change: Partial<ClaimRequest>): number {
    const request = claimRequest(TOKEN, { now: this.now, ...change })
    const claimed = this.#run(store, { name: 'claim', args: [request] }) as ClaimedEmail[]
    let taken = 0
    for (const { id, recipients } of claimed) {
      for (const { position } of recipients) {
        const row = this.rows.find((each) => each.email.id === id && each.position === position)
        assert.ok(row !== undefined, 'handed out, and not in the queue')
        assert.ok(row.dueAt !== null, 'handed out twice')
        assert.ok(row.dueAt <= this.now, `handed out ${row.dueAt - this.now} ms early`)
        row.dueAt = null
        taken++
      }
    }
    assert.ok(taken <= request.maxRecipients)
    return taken
  }

  /** Claims until nothing comes: then nothing is due any more, except for the skipped parts. */
  drain(store: 0 | 1, change: Partial<ClaimRequest>): void {
    while (this.claim(store, change) > 0);
    const left = this.rows.filter(({ company: owner, domain, dueAt }) => {
      if (dueAt === null || dueAt > this.now) return false
      const id = this.companies[owner]!
      const lane = ({ companyId, domains }: LaneRoom) => companyId === id && domains?.includes(domain)
      return !change.skipCompanies?.includes(id) && !change.rooms?.some(lane)
    })
    assert.deepEqual(
      left.map((row) => [row.company, row.domain, row.dueAt! - this.now]),
      [],
      'due, and left out',
    )
  }

  /** What is under way ends: delivered, or to be tried again. */
  record(store: 0 | 1, which: number, retryIn: number | null): void {
    const leased = this.rows.filter(({ dueAt }) => dueAt === null)
    const row = leased[which % leased.length]
    if (row === undefined) return
    const dueAt = retryIn === null ? null : this.now + retryIn
    const outcome = dueAt === null ? result(row.position) : deferred(row.position, dueAt)
    this.#run(store, { name: 'record', args: [attempt(row.email, TOKEN, [outcome])] })
    if (dueAt === null) this.rows.splice(this.rows.indexOf(row), 1)
    else row.dueAt = dueAt
  }

  /** Of an email that is not under way. */
  cancel(store: 0 | 1, which: number): void {
    const row = this.rows[which % this.rows.length]
    if (row === undefined || this.rows.some((each) => each.email === row.email && each.dueAt === null)) return
    this.#run(store, { name: 'cancel', args: [row.email.id, this.now] })
    const kept = this.rows.filter((each) => each.email !== row.email)
    this.rows.splice(0, this.rows.length, ...kept)
  }

  addCompany(store: 0 | 1): void {
    this.#run(store, { name: 'addCompany', args: [company(newId())] })
  }

  /** An operation that fails alone: its batch is run again. */
  fail(store: 0 | 1): void {
    const twice = email(this.#owners[0]!, ['a@twice.test'])
    const accepting: ThreadCall<Writes> = { name: 'accept', args: [twice, null] }
    const [, second] = this.#batch(store, [accepting, accepting])
    assert.ok(second !== undefined && 'fault' in second)
    this.rows.push({ email: twice, position: 0, company: 0, domain: 'twice.test', dueAt: twice.dueAt })
  }

  /** A batch that is lost: the file may not grow as it has to. */
  lose(): void {
    const db = this.#dbs[0]
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
    db.exec(`PRAGMA max_page_count = ${pages}`)
    const ghost = email(this.#owners[1]!, ['a@ghost.test', 'a@a.test'], { dueAt: this.now - 1 })
    const large = email(this.#owners[1]!, ['a@ghost.test'], { raw: new Uint8Array(400_000) })
    const calls = [ghost, large].map((value): ThreadCall<Writes> => ({ name: 'accept', args: [value, null] }))
    const { commits } = this.#stores[0].run(calls)
    db.exec('PRAGMA max_page_count = 1000000')
    assert.equal(commits, 0)
  }

  checkNumbers(): void {
    const waiting = this.rows.flatMap(({ dueAt }) => dueAt ?? [])
    assert.equal(this.#queue.nextDue(), waiting.length === 0 ? null : Math.min(...waiting))
    assert.deepEqual(this.#queue.counts(this.now), {
      waiting: waiting.length,
      sending: this.rows.length - waiting.length,
      quarantined: 0,
      due: waiting.filter((dueAt) => dueAt <= this.now).length,
    })
    const lanes = this.#queue.queue().map((lane) => [lane.companyId, lane.domain, lane.waiting, lane.sending])
    const counted = Map.groupBy(this.rows, (row) => `${this.companies[row.company]} ${row.domain}`)
    const expected = [...counted].map(([name, rows]) => {
      const leased = rows.filter(({ dueAt }) => dueAt === null).length
      return [...name.split(' '), rows.length - leased, leased]
    })
    assert.deepEqual(lanes.sort(), expected.sort())
  }

  #run(store: 0 | 1, call: ThreadCall<Writes>): unknown {
    const [outcome] = this.#batch(store, [call])
    assert.ok(outcome !== undefined && 'value' in outcome, JSON.stringify(outcome))
    return outcome.value
  }

  /** Each store has to notice and report the writes of the other with its next batch that is kept. */
  #batch(store: 0 | 1, calls: ThreadCall<Writes>[]): CallResult[] {
    const written = this.#written()
    const { outcomes, changed } = this.#stores[store].run(calls)
    if (store === 1) {
      this.#foreign.queue ||= this.#written() > written
      this.#foreign.accounts ||= calls.some(({ name }) => name === 'addCompany')
    } else {
      assert.ok(changed.queue || !this.#foreign.queue, 'a write of another process was not told')
      assert.ok(changed.accounts || !this.#foreign.accounts, 'accounts of another process were not told')
      this.#foreign = { ...UNCHANGED }
    }
    return outcomes
  }

  /** Rows that the second store has written so far. */
  #written(): number {
    return this.#dbs[1].prepare('SELECT total_changes() AS n').get()!.n as number
  }
}

const DOMAINS = ['a.test', 'b.test', 'c.test', 'd.test', 'twice.test']
const CROWDED = Array.from({ length: CROWD }, (_, n) => `lane${n}.test`)
const SPANS = [-1_000, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1_000]

interface Step {
  run(model: Model): void
}

const store = fc.constantFrom<(0 | 1)[]>(0, 0, 0, 0, 0, 1)
const owner = fc.nat(2)
const span = fc.constantFrom(...SPANS)
const limits = fc.record({
  maxRecipients: fc.integer({ min: 1, max: 5 }),
  maxPerCompany: fc.integer({ min: 1, max: 4 }),
  maxBytes: fc.constantFrom(1, 2_500, 1_000_000),
  skipped: fc.subarray(DOMAINS, { maxLength: 2 }),
  skipCompanies: fc.subarray([0, 1, 2], { maxLength: 1 }),
})

function requestOf(
  { companies }: Model,
  { skipped: lanes, skipCompanies, ...bounds }: Value<typeof limits>,
): Partial<ClaimRequest> {
  const rooms = companies.map((companyId) => ({ companyId, domains: lanes, room: 0 }))
  return { ...bounds, rooms, skipCompanies: skipCompanies.map((n) => companies[n]!) }
}

type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never

/** One kind of step; a counterexample names it and its values. */
function kind<T>(
  weight: number,
  name: string,
  values: fc.Arbitrary<T>,
  act: (model: Model, value: T) => void,
) {
  const arbitrary = values.map((value): Step => {
    const text = `${name} ${fc.stringify(value)}`
    const step = { run: (model: Model) => act(model, value), [fc.toStringMethod]: () => text }
    return step
  })
  return { weight, arbitrary }
}

const domains = fc.subarray(DOMAINS, { minLength: 1, maxLength: 2 })

const step: fc.Arbitrary<Step> = fc.oneof(
  kind(8, 'accept', fc.tuple(store, owner, domains, span), (model, value) => model.accept(...value)),
  kind(1, 'crowd', fc.tuple(store, owner, span), (model, [by, who, dueIn]) =>
    model.accept(by, who, CROWDED, dueIn),
  ),
  kind(6, 'claim', fc.tuple(store, limits), (model, [by, value]) => model.claim(by, requestOf(model, value))),
  kind(4, 'drain', fc.tuple(store, limits), (model, [by, value]) =>
    model.drain(by, { ...requestOf(model, value), maxRecipients: 400, maxPerCompany: 400 }),
  ),
  kind(6, 'record', fc.tuple(store, fc.nat(), fc.option(span)), (model, value) => model.record(...value)),
  kind(6, 'clock', span, (model, by) => {
    model.now += by
  }),
  kind(1, 'cancel', fc.tuple(store, fc.nat()), (model, value) => model.cancel(...value)),
  kind(1, 'company', store, (model, by) => model.addCompany(by)),
  kind(1, 'fail', store, (model, by) => model.fail(by)),
  kind(1, 'lose', fc.constant(null), (model) => model.lose()),
)

describe('the lanes of the SQLite store', () => {
  test('leave out no due mail, whatever happens, and their numbers equal a plain count', (t) => {
    const directory = temporaryDirectory(t)
    let run = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), (steps) => {
        const path = join(directory, `${run++}.db`)
        const dbs = [open(null, path), open(null, path)] as const
        try {
          const model = new Model(path, dbs)
          for (const each of steps) {
            each.run(model)
            model.checkNumbers()
          }
          model.now += 10_000
          model.drain(0, {})
          assert.ok(model.rows.every(({ dueAt }) => dueAt === null))
        } finally {
          for (const db of dbs) db.close()
        }
      }),
      { numRuns: 200 },
    )
  })

  test('that are due later do not put off those due before', (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    const model = new Model(path, [open(t, path), open(t, path)])
    model.drain(0, {})
    model.accept(0, 0, ['a.test'], 5)
    model.accept(0, 0, ['b.test'], 10)
    model.now += 7
    model.drain(0, {})
    model.checkNumbers()
  })

  test('that are skipped do not hide those behind them, however many they are', (t) => {
    const path = join(temporaryDirectory(t), 'a.db')
    const model = new Model(path, [open(t, path), open(t, path)])
    for (const name of CROWDED) model.accept(0, 0, [name], 0)
    model.accept(0, 0, ['z.test'], 0)
    model.drain(0, { rooms: [{ companyId: model.companies[0]!, domains: CROWDED, room: 0 }] })
    assert.equal(model.rows.filter(({ dueAt }) => dueAt === null).length, 1)
  })
})
