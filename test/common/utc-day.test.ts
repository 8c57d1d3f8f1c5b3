import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUtc } from '../../src/common/utc-day.ts'

test('a time without a zone is in UTC, whatever the zone of the machine', () => {
  const { TZ } = process.env
  const noon = Date.UTC(2026, 10, 20, 12)
  try {
    process.env.TZ = 'Asia/Tokyo'
    assert.equal(new Date(noon).getHours(), 21, 'the zone is not in force')
    for (const text of ['2026-11-20T12:00:00', '2026-11-20 12:00', '2026-11-20T21:00:00+09:00'])
      assert.equal(parseUtc(text), noon, text)
    assert.equal(parseUtc('Fri, 20 Nov 2026 13:00:00 +0100'), noon)
    assert.equal(parseUtc('2026-11-20'), noon - 12 * 3_600_000)
    assert.equal(parseUtc('noon'), Number.NaN)
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})
