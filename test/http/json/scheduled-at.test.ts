/** The meaning of phrases at a fixed moment. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readScheduledAt } from '../../../src/http/json/emails/scheduled-at.ts'
import { Refusal } from '../../../src/intake/refusal.ts'

/** A Sunday. */
const NOW = Date.UTC(2026, 10, 22, 13, 55, 12, 345)

const times: [text: string, time: string][] = [
  ['2026-11-23T10:00:00+01:00', '2026-11-23T09:00:00.000Z'],
  ['in 1 min', '2026-11-22T13:56:12.345Z'],
  ['in 30s', '2026-11-22T13:55:42.345Z'],
  ['now', '2026-11-22T13:55:12.345Z'],
  ['tomorrow at 9am', '2026-11-23T09:00:00.000Z'],
  ['at 9am', '2026-11-23T09:00:00.000Z'],
  ['today at 18:00', '2026-11-22T18:00:00.000Z'],
  ['next monday at 10:00', '2026-11-23T10:00:00.000Z'],
  ['Friday at 3pm ET', '2026-11-27T20:00:00.000Z'],
  ['in 2 days at 8am PST', '2026-11-24T16:00:00.000Z'],
  ['tomorrow 9am CET', '2026-11-23T08:00:00.000Z'],
  ['sunday at 9am', '2026-11-29T09:00:00.000Z'],
  ['Nov 25 2026 10:00 UTC', '2026-11-25T10:00:00.000Z'],
  // What other programs write: RFC 5322 and JavaScript.
  ['Mon, 23 Nov 2026 12:00:00 GMT', '2026-11-23T12:00:00.000Z'],
  ['Mon Nov 23 2026 12:00:00 GMT+0100 (CET)', '2026-11-23T11:00:00.000Z'],
  ['Thursday, November 26, 2026 10:00', '2026-11-26T10:00:00.000Z'],
  ['December 5 at 10am', '2026-12-05T10:00:00.000Z'],
  ['dec 5 at 10:30 PM UTC', '2026-12-05T22:30:00.000Z'],
  // The original's own examples, and what users of its SDKs write.
  ['in 5 minutes', '2026-11-22T14:00:12.345Z'],
  ['in an hour', '2026-11-22T14:55:12.345Z'],
  ['in half an hour', '2026-11-22T14:25:12.345Z'],
  ['in 1h', '2026-11-22T14:55:12.345Z'],
  ['in 1.5 hours', '2026-11-22T15:25:12.345Z'],
  ['in 3 days', '2026-11-25T13:55:12.345Z'],
  ['in 1 week', '2026-11-29T13:55:12.345Z'],
  ['2 hours from now', '2026-11-22T15:55:12.345Z'],
  ['5 minutes', '2026-11-22T14:00:12.345Z'],
  // The same hour of another day.
  ['tomorrow', '2026-11-23T13:55:12.345Z'],
  ['next week', '2026-11-29T13:55:12.345Z'],
  ['tomorrow at noon', '2026-11-23T12:00:00.000Z'],
  ['midnight', '2026-11-23T00:00:00.000Z'],
  ['9am tomorrow', '2026-11-23T09:00:00.000Z'],
  ['17:30', '2026-11-22T17:30:00.000Z'],
  ['tomorrow at 17', '2026-11-23T17:00:00.000Z'],
  ['tomorrow at 9am +02:00', '2026-11-23T07:00:00.000Z'],
  ['tomorrow at 9am GMT+2', '2026-11-23T07:00:00.000Z'],
  // ISO 8601, and what databases make of it.
  ['2026-11-23T10:00:00Z', '2026-11-23T10:00:00.000Z'],
  ['2026-11-23T10:00:00+0100', '2026-11-23T09:00:00.000Z'],
  ['2026-11-23 10:00:00+00', '2026-11-23T10:00:00.000Z'],
  ['2026-11-23T10:00:00.123456-05:00', '2026-11-23T15:00:00.123Z'],
  // A past ISO time means now, which is for the intake to say.
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
]

describe('readScheduledAt', () => {
  for (const [text, time] of times) {
    test(text, () => assert.equal(new Date(readScheduledAt(text, NOW)).toISOString(), time))
  }

  const none = [
    'please in 1 min',
    'in 1 min please',
    'tomorrow at 9am and 10am',
    'from monday to friday',
    'tomorrow 9am Europe/Berlin',
    'in 999999999999 years',
    '11/23/2026',
    '2026-11-25 10:00',
    '5',
    'someday',
  ]
  for (const text of none) {
    test(`${text} is not a time`, () => assert.throws(() => readScheduledAt(text, NOW), /ISO 8601.* phrase/))
  }

  /** Texts that the library would guess at. */
  const refused: [text: string, why: RegExp][] = [
    ...['1 hour ago', 'yesterday', 'yesterday at 9am', 'last friday', 'today at 9am', 'past 5 minutes'].map(
      (text): [string, RegExp] => [text, /a time in the past/],
    ),
    ['22 Nov 2026 09:00:00 GMT', /a time in the past/],
    ...['monday', 'next friday', 'Dec 5', '5 December', 'tonight', 'tomorrow morning', 'this afternoon'].map(
      (text): [string, RegExp] => [text, /has no hour/],
    ),
    ['end of month', /has no hour/],
    ['tomorrow at 9', /morning or evening/],
    ['on monday at 12', /morning or evening/],
    ['tomorrow at 9am IST', /time zone is ambiguous/],
    // The 26th is a Thursday.
    ['Tuesday, November 26, 2026 10:00', /an English phrase/],
    ['in a few minutes', /an English phrase/],
    ['Nov 31 at 9am', /an English phrase/],
    ['2026-11-23T10:00:00', /an English phrase/],
    ['2026-11-23', /an English phrase/],
    ['1764000000', /an English phrase/],
    // It has gone by this year.
    ['Nov 22 at 9am', /means 2027-11-22T09:00:00\.000Z, and must not be more than 30 days ahead/],
  ]
  for (const [text, why] of refused) {
    test(`${text} is refused with a reason`, () => {
      assert.throws(
        () => readScheduledAt(text, NOW),
        (error) => {
          assert.ok(error instanceof Refusal)
          assert.match(JSON.stringify(error.reason), why)
          return true
        },
      )
    })
  }

  test('more than 30 days ahead', () => {
    for (const text of ['in 31 days', 'in 2 months', '2027-01-01T00:00:00Z']) {
      assert.throws(() => readScheduledAt(text, NOW), Refusal)
    }
  })

  test('the time zone of the machine does not matter', () => {
    const zone = process.env.TZ
    process.env.TZ = 'America/New_York'
    try {
      assert.equal(
        new Date(readScheduledAt('tomorrow at 9am', NOW)).toISOString(),
        '2026-11-23T09:00:00.000Z',
      )
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})
