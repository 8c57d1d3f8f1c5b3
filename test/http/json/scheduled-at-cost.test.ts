/**
 * Phrases go through a library whose cost grows with the cube of a text: no phrase within the limits costs much, whatever its words.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readScheduledAt } from '../../../src/http/json/emails/scheduled-at.ts'
import { Refusal } from '../../../src/intake/refusal.ts'

const NOW = Date.UTC(2026, 10, 22, 13, 55, 12, 345)
const LONGEST = 60
const MAX_WORDS = 9

/** One or two of each kind of word that a pattern of the library begins with, or goes on with. */
const WORDS = [
  ...['1', '12', '1 day', '1d', '1day', '12:30', '9 pm', '1.5 hours', 'half an', 'seven', 'few', '22nd'],
  ...['twenty-first', 'in', 'next', 'past', '+', '--', 'to', 'until', 'on', 'and', 'sept', 'september'],
  ...['mon', 'sunday', '11/22', '2026-11', '2026-11-22', 'T10:00', 'EST', '+01:00', 'now', 'tomorrow'],
  ...['tonight', 'noon', 'from now', 'after', 'week', 'month', 'weekday', 'end of', '2567 BE', 'the'],
]
const BETWEEN = [' ', '', ',', '-', '/', '.', ':', ', ']

/** The words in turn, as often as a phrase may have them. */
function longest(words: readonly string[], between: string): string {
  let text = words[0]!
  for (let at = 1; ; at++) {
    const more = text + between + words[at % words.length]!
    if (more.length > LONGEST || more.split(/\s+/).length > MAX_WORDS) return text
    text = more
  }
}

function read(text: string): void {
  try {
    readScheduledAt(text, NOW)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** Ms of this thread's processor. The kernel may count in ticks: so many readings are one measurement. */
function cost(text: string, times: number): number {
  const before = process.threadCpuUsage()
  for (let nth = 0; nth < times; nth++) read(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 / times
}

/** Ms. What 99 characters of `1 day   ` again and again took before phrases were bounded was 490. */
const MAX = 5

test('no phrase of two alternating words costs much', () => {
  for (let nth = 0; nth < 200; nth++) read('in 1 day 1 day 1 day')
  const phrases = BETWEEN.flatMap((between) =>
    WORDS.flatMap((one) => WORDS.map((other) => longest([one, other], between))),
  )
  const suspects = phrases.filter((phrase) => cost(phrase, 1) > MAX)
  const worst = suspects.map((phrase) => ({ phrase, ms: cost(phrase, 40) })).filter(({ ms }) => ms > MAX)
  assert.deepEqual(worst, [])
})

test('the worst phrases of a longer search cost as little', () => {
  const found = [
    'half an.11/22.half an.11/22.half an.11/22.half an.11/22',
    'september/month/september/month/september/month/september',
    'sun.T10:00.sun.T10:00.sun.T10:00.sun.T10:00.d+1d+1d+1d+1d+1d',
    'now:from now:now:from now:now:from now:now:from now:now',
    'from now/2026-11/from now/2026-11/from now/2026-11/from now',
    'seven-tomorrow-seven026-11-22 1d 20ning',
    '+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d+1d',
    '1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d',
  ]
  for (const phrase of found) {
    assert.ok(phrase.length <= LONGEST, phrase)
    const ms = cost(phrase, 100)
    assert.ok(ms < MAX, `${phrase}: ${ms} ms`)
  }
})

test('a longer text never reaches the library', () => {
  for (const text of ['1 day   '.repeat(12), '1day'.repeat(16), 'a '.repeat(20), '1 day'.repeat(50_000)]) {
    assert.throws(() => readScheduledAt(text, NOW), Refusal)
    assert.ok(cost(text, 40) < MAX)
  }
})
