/** The addresses to which bounces come back. */
import assert from 'node:assert/strict'
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { parseMailbox } from '../../src/mail/address/address.ts'
import { base32, fromBase32 } from '../../src/mail/return-path/base32.ts'
import {
  isForDomain,
  RETURN_PATH_DAYS,
  type ReturnPath,
  ReturnPathKey,
  readReturnPath,
  returnPath,
} from '../../src/mail/return-path/return-path.ts'

const DAY = 24 * 60 * 60 * 1_000
const NOON = Date.UTC(2026, 5, 15, 12)
const HOST = 'bounces.acme.test'
const secret = randomBytes(32)
const key = new ReturnPathKey(secret)

function made(fields: Partial<ReturnPath> = {}): { path: ReturnPath; address: string } {
  const path = { emailId: randomUUID(), recipient: null, domain: null, at: Date.UTC(2026, 5, 15), ...fields }
  return { path, address: returnPath(key, path, HOST) }
}

const asRead = ({ domain: _, ...path }: ReturnPath) => ({ ...path, domainMark: null })

describe('a return path', () => {
  it('names its email, and the recipient when there is only one', () => {
    for (const recipient of [null, 0, 1, 999, 65_534]) {
      const { path, address } = made({ recipient })
      assert.deepEqual(readReturnPath(key, address, NOON), asRead(path))
    }
  })

  it('names no recipient whose index has more than 16 bits', () => {
    const { path, address } = made({ recipient: 65_535 })
    assert.deepEqual(readReturnPath(key, address, NOON), { ...asRead(path), recipient: null })
  })

  it('names the domain of its recipients by a mark that cannot be searched for a second domain', () => {
    const { path, address } = made({ domain: 'x.test' })
    const found = readReturnPath(key, address, NOON)
    assert.ok(found !== null && typeof found === 'object')
    assert.deepEqual([found.emailId, found.recipient, found.at], [path.emailId, null, path.at])
    assert.ok(isForDomain(key, found, 'x.test'))
    assert.ok(!isForDomain(key, found, 'y.test'))
    const other = readReturnPath(key, made({ domain: 'x.test' }).address, NOON)
    assert.ok(other !== null && typeof other === 'object')
    assert.notEqual(other.domainMark, found.domainMark)
    assert.ok(isForDomain(key, { ...found, domainMark: null }, 'y.test'), 'of a relay: any domain')
  })

  it('is an address of letters and digits within the limit of RFC 5321 4.5.3.1.1', () => {
    const { address } = made({ recipient: 4 })
    assert.match(address, /^b[a-z2-7]{48}@bounces\.acme\.test$/)
    assert.equal(parseMailbox(address).address, address)
  })

  it('is the same at every attempt and on every node, and another one for every email and recipient', () => {
    const { path, address } = made({ recipient: 1 })
    assert.equal(returnPath(new ReturnPathKey(secret), path, HOST), address)
    assert.equal(returnPath(key, { ...path, at: path.at + DAY - 1 }, HOST), address)
    assert.notEqual(returnPath(key, { ...path, recipient: 2 }, HOST), address)
    assert.notEqual(returnPath(key, { ...path, emailId: randomUUID() }, HOST), address)
  })

  it('is recognised in any case and at any host: servers on the way change both', () => {
    const { path, address } = made()
    assert.deepEqual(readReturnPath(key, address.toUpperCase(), NOON), asRead(path))
    assert.deepEqual(readReturnPath(key, address.replace(HOST, 'mx.acme.test'), NOON), asRead(path))
  })

  it('is forged when one character differs, whichever it is', () => {
    const { address } = made({ recipient: 3 })
    for (let at = 1; at < address.indexOf('@'); at++) {
      const other = address[at] === 'a' ? 'b' : 'a'
      const changed = address.slice(0, at) + other + address.slice(at + 1)
      assert.equal(readReturnPath(key, changed, NOON), 'forged', changed)
    }
  })

  it('is forged when another installation made it', () => {
    const { address } = made()
    assert.equal(readReturnPath(new ReturnPathKey(randomBytes(32)), address, NOON), 'forged')
  })

  it(`expires after ${RETURN_PATH_DAYS} days`, () => {
    const { path, address } = made()
    const end = path.at + (RETURN_PATH_DAYS + 1) * DAY
    assert.deepEqual(readReturnPath(key, address, end - 1), asRead(path))
    assert.equal(readReturnPath(key, address, end), 'expired')
  })

  it('is recognized among other addresses', () => {
    const token = made().address.slice(1, 49)
    const others = ['', '@', 'b@x.test', `b${token}`, `a${token}@x.test`, `b${token}a@x.test`]
    for (const other of [...others, `b${token.slice(1)}@x.test`, `b${token.slice(1)}0@x.test`]) {
      assert.equal(readReturnPath(key, other, NOON), null, other)
    }
  })

  it('is signed with HMAC-SHA-256 (RFC 2104), of which 80 bits are kept', () => {
    const octets = fromBase32(made().address.slice(1, 49))!
    const hmac = createHmac('sha256', secret).update(octets.subarray(0, 20)).digest()
    assert.deepEqual(octets.subarray(20), hmac.subarray(0, 10))
  })
})

describe('base32', () => {
  it('gives the texts of RFC 4648 10, in lower case', () => {
    assert.equal(base32(Buffer.from('fooba')), 'mzxw6ytb')
    assert.equal(base32(Buffer.alloc(0)), '')
  })

  it('gives the octets back, and refuses other characters', () => {
    for (const octets of [0, 5, 30, 100].map((size) => randomBytes(size))) {
      assert.deepEqual(fromBase32(base32(octets)), octets)
      assert.deepEqual(fromBase32(base32(octets).toUpperCase()), octets)
    }
    for (const text of ['aaaaaaa1', 'aaaaaaa=', 'aaaaaaaä', 'aaaaaaa\u{2028}']) {
      assert.equal(fromBase32(text), null, text)
    }
  })
})
