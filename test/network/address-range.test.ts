import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  AddressRanges,
  canonicalAddress,
  canonicalRange,
  NotARange,
} from '../../src/network/address-range.ts'

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const bitsOf = (octets: readonly number[]) =>
  octets.map((octet) => octet.toString(2).padStart(8, '0')).join('')

describe('a range of addresses', () => {
  test('has one spelling', () => {
    const spellings = {
      '10.0.0.0/8': '10.0.0.0/8',
      '192.0.2.7': '192.0.2.7/32',
      '0.0.0.0/0': '0.0.0.0/0',
      '2001:DB8:0:0::/32': '2001:db8::/32',
      '::1': '::1/128',
      '::ffff:10.0.0.0/104': '10.0.0.0/8',
      '::FFFF:a00:1': '10.0.0.1/32',
      '::/0': '::/0',
    }
    for (const [text, range] of Object.entries(spellings)) {
      assert.equal(canonicalRange(text), range)
      assert.equal(canonicalRange(range), range)
    }
  })

  test('is nothing that could be read in two ways', () => {
    for (const text of [
      ...[
        '',
        ' ',
        '10',
        '10.1',
        '010.0.0.1',
        '0x7f.0.0.1',
        '10.0.0.0/8 ',
        '10.0.0.0/',
        '10.0.0.0/-1',
        '10.0.0.0/33',
      ],
      ...[
        '10.0.0.1/8',
        '::1/64',
        '::/129',
        'fe80::1%eth0',
        '10.0.0.0/255.0.0.0',
        '10.0.0.0-10.0.0.9',
        '*',
        'a.test',
      ],
      ...['::ffff:10.0.0.1/104', '1.2.3.4.5', '10.0.0.0/08x', '[::1]', '٣.0.0.1'],
    ]) {
      assert.throws(() => canonicalRange(text), NotARange, text)
    }
  })

  test('holds the addresses that begin with its bits, and no others', () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.nat(32), (address, network, bits) => {
        const kept = BigInt(`0b${bitsOf(network)}`) & ~((1n << BigInt(32 - bits)) - 1n)
        const first = [24n, 16n, 8n, 0n].map((shift) => Number((kept >> shift) & 255n))
        const ranges = new AddressRanges([`${first.join('.')}/${bits}`])
        const expected = bitsOf(address).slice(0, bits) === bitsOf(first).slice(0, bits)
        assert.equal(ranges.includes(address.join('.')), expected)
        assert.equal(ranges.includes(`::ffff:${address.join('.')}`), expected)
        assert.equal(ranges.includes(`::${address.join('.')}`), false)
      }),
    )
  })

  test('of one family holds none of the other', () => {
    assert.equal(new AddressRanges(['0.0.0.0/0']).includes('2001:db8::1'), false)
    assert.equal(new AddressRanges(['::/0']).includes('10.0.0.1'), false)
    assert.equal(new AddressRanges(['fe80::/10']).includes('fe80::1%eth0'), true)
    for (const text of ['', 'x', '10.0.0', '167772161']) {
      assert.equal(new AddressRanges(['0.0.0.0/0', '::/0']).includes(text), false)
    }
  })

  test('covers the ranges that lie within it, and no others', () => {
    const ranges = new AddressRanges(['10.0.0.0/8', '192.0.2.0/24', '2001:db8::/32'])
    for (const text of [
      '10.0.0.0/8',
      '10.255.0.0/16',
      '192.0.2.7',
      '::ffff:10.0.0.0/104',
      '2001:db8:1::/48',
    ]) {
      assert.ok(ranges.covers(text), text)
    }
    for (const text of ['10.0.0.0/7', '0.0.0.0/0', '::/0', '192.0.3.0/24', '2001:db8::/31', '11.0.0.1']) {
      assert.ok(!ranges.covers(text), text)
    }
    assert.throws(() => ranges.covers('10.0.0.1/8'), NotARange)
  })

  test('addresses have one spelling too', () => {
    assert.equal(canonicalAddress('::FFFF:192.0.2.1'), '192.0.2.1')
    assert.equal(canonicalAddress('2001:DB8:0::1'), '2001:db8::1')
    assert.equal(canonicalAddress('unknown'), null)
  })
})
