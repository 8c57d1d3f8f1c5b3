import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import type { Company } from '../../src/accounts/account.ts'
import { openStore } from '../../src/store/open.ts'
import {
  type ClaimedEmail,
  type Lease,
  type Store,
  StoreDamaged,
  StoreUnavailable,
} from '../../src/store/store.ts'
import { temporaryDirectory } from './directory.ts'
import { accept, acme, attempt, claimRequest, email, NOW, result } from './samples.ts'

const PAGE = 8_192
/** The first octet of an inner page of an index, or of a table without row numbers. */
const INNER = 2
const MINUTES = 60_000

interface Damaged {
  store: Store
  faults: string[]
}

/** Overwrites the head of a leaf page in the middle of this index (or table without row numbers). */
function damage(path: string, name: string): void {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const root = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)!.rootpage as number
  db.close()
  const file = readFileSync(path)
  const head = (root - 1) * PAGE
  assert.equal(file[head], INNER, `${name} has several pages`)
  const cells = file.readUInt16BE(head + 3)
  const cell = file.readUInt16BE(head + 12 + 2 * Math.floor(cells / 2))
  const leaf = file.readUInt32BE(head + cell)
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(200, 0xff), 0, 200, (leaf - 1) * PAGE)
  closeSync(fd)
}

/** Fills a database, damages it while it is closed, and opens it again. */
async function damaged(
  t: TestContext,
  fill: (store: Store) => Promise<void>,
  name: string,
): Promise<Damaged> {
  const path = join(temporaryDirectory(t), 'a.db')
  const before = await openStore({ engine: 'sqlite', path }, { exclusive: true })
  await fill(before)
  await before.close()
  damage(path, name)
  const faults: string[] = []
  const store = await openStore(
    { engine: 'sqlite', path },
    { exclusive: true, onFault: (error) => faults.push(error.message) },
  )
  t.after(() => store.close())
  return { store, faults }
}

/** Claims until nothing comes any more. A round may bring nothing when all the lanes it looked into are damaged. */
async function claimAll(store: Store, now = NOW): Promise<ClaimedEmail[]> {
  const all: ClaimedEmail[] = []
  for (let empty = 0; empty < 5; ) {
    const works = await store.claim(claimRequest(1, { now }))
    empty = works.length === 0 ? empty + 1 : 0
    all.push(...works)
  }
  return all
}

const POISON = 1_000
const LANES = 2_500

/** Emails of one company whose recipients fill several pages, and of a company beside it. */
function crowd(kept: { crowded: Company; beside: Company }, lease: Lease | null) {
  return async (store: Store) => {
    kept.crowded = await acme(store, 'Crowded')
    kept.beside = await acme(store, 'Beside')
    for (let n = 0; n < POISON; n++)
      await store.accept(email(kept.crowded, [`p${n}@x.test`], { dueAt: NOW - 1 }), lease)
    for (let n = 0; n < 10; n++) await accept(store, email(kept.beside, [`q${n}@y.test`]))
  }
}

describe('a damaged page', () => {
  test('of recipients costs those on it, not the claims of all others', async (t) => {
    const kept = {} as { crowded: Company; beside: Company }
    const { store, faults } = await damaged(t, crowd(kept, null), 'recipients')
    const claimed = await claimAll(store)
    const beside = claimed.filter(({ companyId }) => companyId === kept.beside.id)
    assert.equal(beside.length, 10)
    assert.ok(claimed.length > POISON / 2 && claimed.length < POISON + 10, `${claimed.length} were claimed`)
    assert.ok(faults.length > 0 && faults.every((text) => /damaged/.test(text)), faults.join('\n'))

    const told = faults.length
    await accept(store, email(kept.beside, ['later@y.test'], { dueAt: NOW + 1 }))
    await accept(store, email(kept.crowded, ['later@x.test'], { dueAt: NOW + 1 }))
    assert.equal((await claimAll(store, NOW + 1)).length, 2)
    assert.deepEqual(await claimAll(store, NOW + 10 * MINUTES), [])
    assert.equal(faults.length, told, 'what was told is not told again')
    assert.ok((await store.nextDue()) !== null)
    await store.counts(NOW)
  })

  test('of the index of waiting recipients costs its lanes, and the count of due mail leaves them out', async (t) => {
    let owner: Company | undefined
    const { store, faults } = await damaged(
      t,
      async (store) => {
        owner = await acme(store)
        const made = owner
        const lanes = Array.from({ length: LANES }, (_, n) => email(made, [`r@lane${n}.test`]))
        await Promise.all(lanes.map((value) => accept(store, value)))
        const beside = await acme(store, 'Beside')
        for (let n = 0; n < 10; n++) await accept(store, email(beside, [`q${n}@y.test`]))
      },
      'recipients_waiting',
    )
    const { waiting, due } = await store.counts(NOW)
    assert.equal(waiting, LANES + 10)
    assert.ok(due >= 10 && due < LANES, `${due} counted`)
    const claimed = await claimAll(store)
    assert.ok(claimed.some(({ companyId }) => companyId !== owner!.id))
    const bounds = claimed.length > (LANES * 2) / 3 && claimed.length < LANES
    assert.ok(bounds, `${claimed.length} were claimed`)
    assert.ok(faults.length > 0)

    // All of it is looked at again, and never so much at once that a claim gives up.
    for (let now = NOW + 4 * MINUTES; now < NOW + 11 * MINUTES; now += 5_000) {
      assert.deepEqual(await store.claim(claimRequest(1, { now })), [])
    }
    assert.equal(new Set(faults).size, faults.length, 'what was told is not told again')
  })

  test('of recipients under way does not keep the others from being given back', async (t) => {
    const kept = {} as { crowded: Company; beside: Company }
    const lease = { token: 1 }
    const { store, faults } = await damaged(t, crowd(kept, lease), 'recipients')
    const recovered = await store.recover({ now: NOW, jitterMs: 0 })
    assert.ok(recovered > POISON / 2 && recovered < POISON, `${recovered} were given back`)
    assert.ok(faults.length > 0)
    const claimed = (await claimAll(store)).length
    // Reading past the last row before the damage meets it; giving that row back does not.
    assert.ok(claimed <= recovered + 10 && claimed >= recovered + 6, `${claimed} of ${recovered} + 10`)
  })

  test('fails the record that needs it with an error of its own, and no other', async (t) => {
    const values: { id: string; companyId: string }[] = []
    const { store } = await damaged(
      t,
      async (store) => {
        const owner = await acme(store)
        for (let n = 0; n < 1_500; n++) {
          const value = email(owner, [`p${n}@x.test`])
          await store.accept(value, { token: 1 })
          values.push(value)
        }
      },
      'recipients',
    )
    const records = values.map((value) => store.record(attempt(value, 1, [result(0)])))
    const settled = await Promise.allSettled(records)
    const failed = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    assert.ok(failed.length > 0 && failed.length < 600, `${failed.length} failed: ${failed[0]?.reason}`)
    for (const { reason } of failed) {
      assert.ok(reason instanceof StoreDamaged, String(reason))
      assert.ok(!(reason instanceof StoreUnavailable))
    }
    await store.probe()
  })
})
