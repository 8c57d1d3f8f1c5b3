import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Attempts, TooManyAttempts, type Trying } from '../../src/people/attempts.ts'

const MINUTE = 60_000

function guess(change: Partial<Trying> = {}): Trying {
  return { account: 'ada', from: '198.51.100.7', device: null, what: 'password', ...change }
}

/** Wrong ones, each as soon as it is looked at, for so many ms. How many were looked at. */
function guessesWithin(ms: number, next: (index: number) => Trying, attempts = new Attempts()): number {
  let now = 0
  for (let count = 0; ; count++) {
    try {
      now += attempts.begin(next(count), now).wait
    } catch (error) {
      if (!(error instanceof TooManyAttempts)) throw error
      now += error.retryAfter
      count--
    }
    if (now >= ms) return count
  }
}

describe('attempts', () => {
  test('the first wrong ones are answered at once, later ones wait', () => {
    const attempts = new Attempts()
    const waits = Array.from({ length: 7 }, () => attempts.begin(guess(), 0).wait)
    assert.deepEqual(waits, [0, 0, 0, 0, 0, 3_000, 6_000])
  })

  test('an address has a pace at one account, and one at all of them', () => {
    const one = guessesWithin(60 * MINUTE, () => guess())
    assert.ok(one >= 1_000 && one <= 1_250, String(one))
    const many = guessesWithin(60 * MINUTE, (index) => guess({ account: `account ${index}` }))
    assert.ok(many >= 1_700 && many <= 1_900, String(many))
  })

  test('an account has a pace for all addresses together', () => {
    const all = guessesWithin(60 * MINUTE, (index) => guess({ from: `address ${index}` }))
    assert.ok(all >= 3_500 && all <= 3_700, String(all))
  })

  test('many at once gain nothing: they count before they are looked at', () => {
    const attempts = new Attempts()
    let looked = 0
    for (let index = 0; index < 1_000; index++) {
      try {
        attempts.begin(guess(), 0)
        looked++
      } catch (error) {
        assert.ok(error instanceof TooManyAttempts)
        assert.ok(error.retryAfter > 10_000 && error.retryAfter <= 15_000)
      }
    }
    assert.equal(looked, 8)
  })

  test('what is right does not count', () => {
    const attempts = new Attempts()
    for (let index = 0; index < 1_000; index++) {
      const attempt = attempts.begin(guess(), index)
      assert.equal(attempt.wait, 0)
      attempt.takeBack()
    }
  })

  test('a device of its own waits for nobody else, and has a pace as well', () => {
    const attempts = new Attempts()
    guessesWithin(10 * MINUTE, (index) => guess({ from: `address ${index}` }), attempts)
    assert.throws(() => attempts.begin(guess({ from: 'another' }), 0), TooManyAttempts)
    assert.equal(attempts.begin(guess({ device: 'laptop' }), 0).wait, 0)
    const own = guessesWithin(60 * MINUTE, () => guess({ device: 'laptop' }))
    assert.ok(own >= 1_000 && own <= 1_250, String(own))
  })

  test('six digits are tried twice a minute at most, from wherever', () => {
    const codes = guessesWithin(60 * MINUTE, (index) => guess({ what: 'code', from: `address ${index}` }))
    assert.ok(codes >= 110 && codes <= 135, String(codes))
  })
})
