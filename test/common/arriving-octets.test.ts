/** Bodies as they arrive: together they are the octets that came, and nothing else. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ArrivingOctets } from '../../src/common/arriving-octets.ts'

const LARGE = 200_000

for (const declared of [LARGE, null]) {
  test(`a body ${declared === null ? 'of unknown length' : 'with a declared length'} is its pieces`, () => {
    const octets = randomBytes(LARGE)
    const arriving = new ArrivingOctets(declared)
    for (let at = 0; at < LARGE; at += 30_000) arriving.add(Buffer.from(octets.subarray(at, at + 30_000)))
    assert.deepEqual(arriving.whole(), octets)
  })
}

test('a body that ends before its declared length contains the received octets alone', () => {
  const arriving = new ArrivingOctets(LARGE)
  arriving.add(Buffer.from('0123456789'))
  assert.equal(arriving.whole().toString(), '0123456789')
})
