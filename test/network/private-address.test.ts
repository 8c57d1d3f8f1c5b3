import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { addressGuard, isPublicIpv4 } from '../../src/network/private-address.ts'

const PUBLIC_ONLY = addressGuard({ allowPrivateNetworks: false, sendingAddresses: [] })

const NOT_PUBLIC: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%lo'],
  'private (RFC 1918)': ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'shared, carrier-grade NAT (RFC 6598)': ['100.64.0.1', '100.127.255.255'],
  'unique local (RFC 4193)': ['fc00::1', 'fd12:3456:789a::1'],
  'deprecated site-local': ['fec0::1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  'IPv4-compatible and translated': [
    '::127.0.0.1',
    '::7f00:1',
    '::8.8.8.8',
    '0:0:0:0:0:0:8.8.8.8',
    '::ffff:0:7f00:1',
  ],
  'NAT64 (RFC 6052, 8215)': [
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::a00:1',
    '64:ff9b::1:808:808',
  ],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '192.88.99.1'],
  Teredo: ['2001:0:7f00:1::1', '2001::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '192.0.0.1', '198.18.0.1', '198.19.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  discard: ['100::1'],
  unallocated: ['4000::1', '1fff::1', 'e000::1'],
  'other spellings of an address': ['0177.0.0.1', '0x7f000001', '2130706433', '127.1', '127.0.0.1.'],
  'not an address': ['', 'localhost', 'mx.x.test', '[::1]', '1.2.3.4:25', '8.8.8.8\n', ' 8.8.8.8'],
}

for (const [what, addresses] of Object.entries(NOT_PUBLIC)) {
  test(`not public: ${what}`, () => {
    for (const ip of addresses) assert.match(PUBLIC_ONLY(ip) ?? 'public', /is not a public address/, ip)
  })
}

test('public unicast addresses are public, right up to the borders of the private blocks', () => {
  const addresses = [
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
  ]
  const more = ['100.63.255.255', '100.128.0.0', '169.253.255.255', '223.255.255.255', '::ffff:8.8.8.8']
  const six = ['2606:4700::1', '2a00:1450:4001::1a', '64:ff9b::808:808', '64:FF9B::8.8.8.8']
  for (const ip of [...addresses, ...more, ...six]) {
    assert.equal(PUBLIC_ONLY(ip), null, ip)
  }
})

test('the guard names the refused address and its kind', () => {
  const guard = addressGuard({ allowPrivateNetworks: false })
  assert.equal(guard('127.0.0.1'), '127.0.0.1 is not a public address (loopback)')
  assert.equal(guard('10.1.2.3'), '10.1.2.3 is not a public address (private)')
  assert.equal(guard('8.8.8.8'), null)
})

test('the guard refuses addresses that the service sends from in whatever spelling', () => {
  const guard = addressGuard({ allowPrivateNetworks: false, sendingAddresses: ['8.8.8.8', '2606:4700::1'] })
  assert.equal(guard('8.8.8.8'), '8.8.8.8 is an address that this service sends from')
  assert.equal(guard('::ffff:8.8.8.8'), '::ffff:8.8.8.8 is an address that this service sends from')
  assert.equal(
    guard('2606:4700:0:0:0:0:0:1'),
    '2606:4700:0:0:0:0:0:1 is an address that this service sends from',
  )
  assert.equal(guard('8.8.4.4'), null)
})

test('the guard knows the addresses of the interfaces', () => {
  const guard = addressGuard({ allowPrivateNetworks: false })
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  assert.ok(own.length > 0)
  for (const { address } of own) assert.notEqual(guard(address), null, address)
})

test('allowing private networks allows everything', () => {
  const guard = addressGuard({ allowPrivateNetworks: true, sendingAddresses: ['8.8.8.8'] })
  for (const ip of ['127.0.0.1', '::1', '10.0.0.1', '8.8.8.8']) assert.equal(guard(ip), null)
})

test('of the addresses of a machine, those that the internet can answer to over IPv4', () => {
  const addresses = ['127.0.0.1', '10.0.0.5', '100.64.0.1', '192.0.2.1', '8.8.4.4', '2001:4860::1', '::1']
  assert.deepEqual(addresses.filter(isPublicIpv4), ['8.8.4.4'])
})
