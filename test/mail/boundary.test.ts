/** No author of a part of a message knows the boundaries. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { BOUNDARIES, Seal } from '../../src/accounts/seal.ts'
import { ANY_BOUNDARY, Boundaries } from '../../src/mail/compose/boundary.ts'

describe('boundaries', () => {
  it('are an HMAC of the id of the email under their secret (RFC 2104)', () => {
    for (const octets of [32, 64, 65, 200]) {
      const secret = randomBytes(octets)
      const boundaries = new Boundaries(secret)
      for (const id of ['', 'a', '0198f7d2-5c1b-7c2e-9d55-3b7a1f3a0c11', 'x'.repeat(1_000)]) {
        const hmac = createHmac('sha256', secret).update(id).digest('hex')
        assert.equal(boundaries.boundaryOf(id), `=_${hmac.slice(0, 32)}`)
        assert.equal(
          boundaries.boundaryOf(id),
          new Boundaries(secret).boundaryOf(id),
          'every node makes the same',
        )
      }
    }
    assert.throws(() => new Boundaries(randomBytes(16)), RangeError)
  })

  it('are as long as the one that sizes are reckoned with, and fit RFC 2046 5.1.1 and RFC 2045 6.7', () => {
    const boundary = new Boundaries(randomBytes(32)).boundaryOf('a')
    assert.equal(boundary.length, ANY_BOUNDARY.length)
    assert.match(boundary, /^=_[0-9a-f]{32}$/)
  })

  it('have a secret that differs from the key of the installation, and with it', () => {
    const key = randomBytes(32)
    const secret = new Seal(key).derive(BOUNDARIES)
    assert.deepEqual(new Seal(key).derive(BOUNDARIES), secret)
    assert.notDeepEqual(secret, key)
    assert.notDeepEqual(new Seal(key).derive('another purpose'), secret)
    assert.notDeepEqual(new Seal(randomBytes(32)).derive(BOUNDARIES), secret)
  })
})
