import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredServers, nameServers, unusedTrust } from '../../src/dns/name-server.ts'

test('the AD bit is trusted from loopback and from the named servers, ports included', () => {
  const servers = ['127.0.0.1:5353', '::1', '192.0.2.53', '[2001:db8::53]:5300', '192.0.2.54:53']
  assert.deepEqual(nameServers(servers, ['192.0.2.53', '[2001:db8::53]', '192.0.2.54']), [
    { address: '127.0.0.1', port: 5353, validating: true },
    { address: '::1', port: 53, validating: true },
    { address: '192.0.2.53', port: 53, validating: true },
    { address: '2001:db8::53', port: 5300, validating: false },
    { address: '192.0.2.54', port: 53, validating: true },
  ])
})

test('beside servers that are trusted to validate, the others are named as never asked', () => {
  assert.equal(ignoredServers(nameServers(['192.0.2.53', '192.0.2.54'])), null)
  assert.equal(ignoredServers(nameServers(['127.0.0.1', '::1'])), null)
  assert.equal(
    ignoredServers(nameServers(['192.0.2.53:5300', '[::1]:5353', '2001:db8::53'])),
    '192.0.2.53:5300, 2001:db8::53 are never asked, because the validated answers (DNSSEC) of [::1]:5353 alone are trusted.',
  )
})

test('a server that is trusted to validate, but not used, is named', () => {
  assert.equal(unusedTrust(['192.0.2.53', '192.0.2.54'], ['192.0.2.54:53']), null)
  assert.equal(
    unusedTrust(['192.0.2.53', '192.0.2.54'], ['192.0.2.53', '192.0.2.53:5353', '192.0.2.55']),
    'POSTROAD_DNS_VALIDATING names 192.0.2.53:5353, 192.0.2.55, but the DNS servers in use are 192.0.2.53, 192.0.2.54.',
  )
})
