/** What phrases mean, seen from a moment. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readScheduledAt } from '../../src/http/json/emails/scheduled-at.ts'
import { Refusal } from '../../src/intake/refusal.ts'

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
  // A past time means now, which is for the intake to say.
  ['1 hour ago', '2026-11-22T12:55:12.345Z'],
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
    test(`${text} is none`, () => assert.throws(() => readScheduledAt(text, NOW), /ISO 8601.* phrase/))
  }

  test('more than 30 days ahead', () => {
    for (const text of ['in 31 days', 'in 2 months', '2027-01-01T00:00:00Z']) {
      assert.throws(() => readScheduledAt(text, NOW), Refusal)
    }
  })

  test('the zone of the machine says nothing', () => {
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
