/** The times that senders write, compared with exact numbers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDeliveryTime } from '../../src/ingress/message-form/delivery-time.ts'
import { parseIsoTime } from '../../src/ingress/schedule.ts'

describe('parseIsoTime', () => {
  const noon = Date.UTC(2026, 10, 20, 12, 0, 0)
  const times: [text: string, at: number | null][] = [
    ['2026-11-20T12:00:00Z', noon],
    ['2026-11-20t12:00:00z', noon],
    ['2026-11-20T12:00Z', noon],
    ['2026-11-20T12:00:00.123456789Z', noon + 123],
    ['2026-11-20T12:00:00,5Z', noon + 500],
    ['2026-11-20T13:30:00+01:30', noon],
    ['2026-11-20T13:30:00+0130', noon],
    ['2026-11-20 07:00:00-05', noon],
    ['2026-11-20 12:00:00 +00', noon],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
    ['0050-02-28T00:00:00Z', Date.parse('0050-02-28T00:00:00Z')],
    ['0000-01-01T00:00:00Z', Date.parse('0000-01-01T00:00:00Z')],
    ['2026-11-20T12:00:00+23:59', noon - (23 * 60 + 59) * 60_000],
    ['2026-11-20T12:00:00+05:99', null],
    ['2026-11-20T12:00:00+24:00', null],
    ['2026-11-20T12:00:00-24', null],
    ['2026-11-20T12:00:00', null],
    ['2026-11-20', null],
    ['2026-02-29T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-11-20T24:00:00Z', null],
    ['2026-11-20T12:60:00Z', null],
    ['in 1 hour', null],
    ['1795176000', null],
    ['', null],
  ]
  for (const [text, at] of times) {
    test(`${JSON.stringify(text)}: ${at}`, () => assert.equal(parseIsoTime(text), at))
  }
})

describe('readDeliveryTime', () => {
  const noon = Date.UTC(2024, 10, 22, 12, 0, 0)
  for (const text of [
    'Fri, 22 Nov 2024 12:00:00 GMT',
    'Fri, 22 Nov 2024 12:00:00 +0000',
    'fri,22 nov 2024 12:00:00 -0000',
    '22 Nov 2024 12:00 UT',
    'Fri, 22 Nov 2024 12:00:00 +0000 (UTC)',
    'Fri, 22 Nov 2024 07:00:00 EST',
    'Fri, 22 Nov 2024 13:30:00 +0130',
    ' 1732276800 ',
    '1732276800.0',
  ]) {
    test(text, () => assert.equal(readDeliveryTime(text), noon))
  }

  for (const text of [
    'Fri, 32 Nov 2024 12:00:00 GMT',
    'Fri, 22 Foo 2024 12:00:00 GMT',
    'Fri, 22 Nov 2024 12:00:00',
    'Fri, 22 Nov 2024 12:00:00 XYZ',
    'Fri, 22 Nov 2024 12:00:00 +0099',
    'Fri, 22 Nov 2024 12:00:00 +2400',
    '2024-11-22T12:00:00Z',
    '-1',
    '1e9',
    'tomorrow',
  ]) {
    test(`${text} is not a time`, () =>
      assert.throws(() => readDeliveryTime(text), /is not an RFC-2822 compliant date/))
  }
})
