/** The link of a first start: one operator, however many nodes begin, and no link once a person can sign in. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { firstSignIn } from '../../src/operate/first-start.ts'
import { signInByLink } from '../../src/operate/sessions.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { CREDENTIALS, person } from '../store/contract/people.ts'
import { testDatabase } from '../support/engine.ts'

const DAY = 86_400_000

const use = (token: string) => ({ token, known: null, instead: false })

async function nodes(t: TestContext, count: number): Promise<Store[]> {
  const folder = mkdtempSync(join(tmpdir(), 'postroad-first-'))
  const { url, done } = await testDatabase(join(folder, 'x.db'))
  t.after(() => {
    done()
    rmSync(folder, { recursive: true, force: true })
  })
  const stores: Store[] = []
  for (let n = 0; n < count; n++) {
    const store = await openStore(parseDatabase(url), { exclusive: false })
    t.after(() => store.close())
    stores.push(store)
  }
  return stores
}

const from = (now: number) => ({ address: '192.0.2.1', userAgent: '', now, lifetime: 30 * DAY })

test('of several nodes that start at once one makes the operator', async (t) => {
  const stores = await nodes(t, 3)
  const now = Date.now()
  const tokens = await Promise.all(stores.map((store) => firstSignIn(store, now)))
  const people = await stores[0]!.people(null)
  assert.equal(people.length, 1)
  assert.equal(people[0]!.operator, true)
  const given = tokens.filter((token) => token !== null)
  assert.ok(given.length >= 1)
  for (const token of given) {
    const { person: signed } = await signInByLink(stores[1]!, use(token), from(now))
    assert.equal(signed.id, people[0]!.id)
  }
})

test('there is a link until an operator has a password, even while one is signed in by an earlier link', async (t) => {
  const [store] = (await nodes(t, 1)) as [Store]
  const now = Date.now()
  const [first, second] = [await firstSignIn(store, now), await firstSignIn(store, now)]
  assert.notEqual(first, second)
  await assert.rejects(signInByLink(store, use(first!), from(now + DAY)), { code: 'not_found' })
  const { person: operator } = await signInByLink(store, use(second!), from(now))
  const third = await firstSignIn(store, now + 1)
  const { person: again } = await signInByLink(store, use(third!), from(now + 1))
  assert.equal(again.id, operator.id)
  await store.updatePerson(again.id, again.version, { credentials: CREDENTIALS })
  assert.equal(await firstSignIn(store, now + 2), null)
})

test('where people exist but no operator, a start makes none', async (t) => {
  const [store] = (await nodes(t, 1)) as [Store]
  await store.addPerson(person())
  assert.equal(await firstSignIn(store, Date.now()), null)
  assert.equal((await store.people(null)).length, 1)
})
