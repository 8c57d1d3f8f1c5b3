import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { type Attempt, type AttemptSource, Attempts, TooManyAttempts } from '../../src/people/attempts.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { type TestDatabase, testDatabase } from '../support/engine.ts'

const MINUTE = 60_000

function guess(change: Partial<AttemptSource> = {}): AttemptSource {
  return { account: 'ada', from: '198.51.100.7', device: null, what: 'password', ...change }
}

describe('attempts', () => {
  let store: Store
  let folder: string
  let database: TestDatabase
  let attempts: Attempts
  let account: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postroad-attempts-'))
    database = await testDatabase(join(folder, 'x.db'))
    store = await openStore(parseDatabase(database.url), { exclusive: false })
    attempts = new Attempts(store)
  })
  after(async () => {
    await store?.close()
    database?.done()
    rmSync(folder, { recursive: true, force: true })
  })
  let serial = 0
  beforeEach(() => {
    account = `account ${++serial}`
  })
  /** At an account, and from an address, that no other test has tried. */
  const own = (change: Partial<AttemptSource> = {}) => guess({ account, from: account, ...change })

  /** Undefined: refused. */
  async function begin(trying: AttemptSource, now = 0): Promise<Attempt | TooManyAttempts> {
    try {
      return await attempts.begin(trying, now)
    } catch (error) {
      if (error instanceof TooManyAttempts) return error
      throw error
    }
  }

  /** Wrong ones, each as soon as it is looked at, for so many ms. How many were looked at. */
  async function guessesWithin(ms: number, next: (index: number) => AttemptSource): Promise<number> {
    for (let now = 0, count = 0; ; ) {
      const begun = await begin(next(count), now)
      if (begun instanceof TooManyAttempts) {
        now += begun.retryAfter
      } else {
        now += begun.wait
        count++
      }
      if (now >= ms) return count
    }
  }

  test('the first wrong ones are answered at once, later ones wait', async () => {
    const waits = []
    for (let count = 0; count < 7; count++) waits.push((await attempts.begin(own(), 0)).wait)
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 3_000, 6_000])
  })

  test('an address has a pace at one account, and one at all of them', async () => {
    const one = await guessesWithin(10 * MINUTE, () => own())
    assert.ok(one >= 190 && one <= 215, String(one))
    const many = await guessesWithin(10 * MINUTE, (index) =>
      guess({ account: `one of many ${index}`, from: 'many' }),
    )
    assert.ok(many >= 300 && many <= 330, String(many))
  })

  test('an account has a pace for all addresses together', async () => {
    const all = await guessesWithin(5 * MINUTE, (index) => own({ from: `address ${index}` }))
    assert.ok(all >= 300 && all <= 345, String(all))
  })

  test('many at once gain nothing: they count before they are looked at', async () => {
    const begun = await Promise.all(Array.from({ length: 100 }, () => begin(own())))
    const refused = begun.filter((each) => each instanceof TooManyAttempts)
    assert.equal(begun.length - refused.length, 8)
    for (const { retryAfter } of refused) assert.ok(retryAfter > 10_000 && retryAfter <= 15_000)
  })

  test('right passwords do not count', async () => {
    for (let index = 0; index < 100; index++) {
      const attempt = await attempts.begin(own(), index)
      assert.equal(attempt.wait, 0)
      await attempt.takeBack()
    }
  })

  test('a known device does not wait for other devices, and has a rate of its own', async () => {
    await guessesWithin(2 * MINUTE, (index) => own({ from: `address ${index}` }))
    assert.ok((await begin(own({ from: 'another' }), 0)) instanceof TooManyAttempts)
    assert.equal((await attempts.begin(own({ device: 'laptop' }), 0)).wait, 0)
    const guesses = await guessesWithin(10 * MINUTE, () => own({ device: 'phone' }))
    assert.ok(guesses >= 190 && guesses <= 220, String(guesses))
  })

  test('a network of many address groups asks for three mails a minute', async () => {
    const mails = await guessesWithin(10 * MINUTE, (index) => ({
      ...guess({ account: `mailbox ${index}`, from: `group ${index}`, what: 'mail' }),
      network: 'one network',
    }))
    assert.ok(mails >= 55 && mails <= 65, String(mails))
  })

  test('a link for a new password is used a few times, and then once a minute, from any address', async () => {
    const uses = await guessesWithin(10 * MINUTE, (index) => own({ what: 'link', from: `address ${index}` }))
    assert.ok(uses >= 13 && uses <= 16, String(uses))
  })

  test('six-digit codes, three of them valid at any time, can be tried 40 times an hour at most, from all addresses together', async () => {
    const codes = await guessesWithin(60 * MINUTE, (index) => own({ what: 'code', from: `address ${index}` }))
    assert.ok(codes >= 40 && codes <= 49, String(codes))
  })
})
