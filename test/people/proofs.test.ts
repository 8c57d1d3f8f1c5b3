import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { newRecoveryCodes, withoutRecoveryCode } from '../../src/people/recovery-codes.ts'
import { Tickets } from '../../src/people/tickets.ts'
import { newTotpSecret, totpStep, totpUri } from '../../src/people/totp.ts'

describe('codes of authenticator apps', () => {
  /** RFC 6238 appendix B, the last six digits of eight. */
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

  test('are those of RFC 6238, one step early or late as well', () => {
    assert.equal(totpStep(secret, '287082', 0, 59_000), 1)
    assert.equal(totpStep(secret, '081804', 0, 1_111_111_109_000), 37_037_036)
    assert.equal(totpStep(secret, '081804', 0, 1_111_111_139_000), 37_037_036)
    assert.equal(totpStep(secret, '081804', 0, 1_111_111_079_000), 37_037_036)
    assert.equal(totpStep(secret, '081804', 0, 1_111_111_199_000), null)
    assert.equal(totpStep(secret, '081805', 0, 1_111_111_109_000), null)
  })

  test('count once, and never after a later one', () => {
    assert.equal(totpStep(secret, '081804', 37_037_036, 1_111_111_109_000), null)
    assert.equal(totpStep(secret, '081804', 37_037_037, 1_111_111_109_000), null)
    assert.equal(totpStep(secret, '081804', 37_037_035, 1_111_111_109_000), 37_037_036)
  })

  test('are six digits, and a secret of 160 bits that apps can scan', () => {
    for (const code of ['', '28708', '2870822', ' 287082', '28708a', '٢٨٧٠٨٢']) {
      assert.equal(totpStep(secret, code, 0, 59_000), null, code)
    }
    const made = newTotpSecret()
    assert.match(made, /^[A-Z2-7]{32}$/)
    const uri = new URL(totpUri(made, 'ada@people.test', 'Postroad mail.example.com'))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(uri.searchParams.get('secret'), made)
    assert.equal(uri.searchParams.get('issuer'), 'Postroad mail.example.com')
  })
})

describe('recovery codes', () => {
  test('are ten, of 80 bits each, and kept as hashes', () => {
    const { codes, hashes } = newRecoveryCodes()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^([a-z0-9]{4}-){3}[a-z0-9]{4}$/)
    for (const hash of hashes) assert.equal(Buffer.from(hash, 'base64').length, 32)
  })

  test('count once, however they are typed', () => {
    const { codes, hashes } = newRecoveryCodes()
    const left = withoutRecoveryCode(hashes, ` ${codes[3]!.toUpperCase().replaceAll('-', ' ')}`)!
    assert.deepEqual(left, hashes.toSpliced(3, 1))
    assert.equal(withoutRecoveryCode(left, codes[3]!), null)
    assert.equal(withoutRecoveryCode(hashes, ''), null)
    assert.equal(withoutRecoveryCode([], codes[0]!), null)
  })
})

describe('tickets', () => {
  test('are of one kind, end, and cannot be made up', () => {
    const [key, other] = [randomBytes(32), randomBytes(32)]
    const tickets = new Tickets(() => key)
    const held = { personId: 'ada', version: 3 }
    const ticket = tickets.issue('second-factor', held, 1_000, 5_000)
    assert.match(ticket, /^[\w-]+$/)
    assert.deepEqual(tickets.readTicket('second-factor', ticket, 5_999), held)
    assert.equal(tickets.readTicket('second-factor', ticket, 6_000), null)
    assert.equal(tickets.readTicket('totp', ticket, 5_500), null)
    assert.equal(new Tickets(() => other).readTicket('second-factor', ticket, 5_500), null)
    for (const text of ['', 'x', `B${ticket.slice(1)}`, `${ticket.slice(0, -4)}AAAA`, ticket.repeat(2)]) {
      assert.equal(tickets.readTicket('second-factor', text, 5_500), null, text)
    }
    // Another node of the installation goes on with it.
    assert.deepEqual(new Tickets(() => key).readTicket('second-factor', ticket, 5_500), held)
  })
})
