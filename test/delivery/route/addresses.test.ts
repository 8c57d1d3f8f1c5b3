import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternate, Ipv6Reachability } from '../../../src/delivery/route/addresses.ts'

test('families alternate', () => {
  const addresses = [
    { address: '::a', family: 6 as const },
    { address: '::b', family: 6 as const },
    { address: '1.1.1.1', family: 4 as const },
    { address: '1.1.1.2', family: 4 as const },
    { address: '1.1.1.3', family: 4 as const },
  ]
  assert.deepEqual(alternate(addresses, true), ['::a', '1.1.1.1', '::b', '1.1.1.2', '1.1.1.3'])
  assert.deepEqual(alternate(addresses, false), ['1.1.1.1', '::a', '1.1.1.2', '::b', '1.1.1.3'])
  assert.deepEqual(alternate(addresses.slice(0, 1), false), ['::a'])
})

test('IPv6 is avoided only when the network itself reports that there is no route', () => {
  const failing = (code: string) =>
    new Error('no connection', { cause: Object.assign(new Error(code), { code }) })
  const ipv6 = new Ipv6Reachability()
  ipv6.recordFailure('2001:db8::1', failing('ECONNREFUSED'))
  ipv6.recordFailure('2001:db8::1', failing('ETIMEDOUT'))
  ipv6.recordFailure('192.0.2.1', failing('ENETUNREACH'))
  ipv6.recordFailure('2001:db8::1', new Error('timeout'))
  assert.equal(ipv6.likely, true)
  ipv6.recordFailure('2001:db8::1', failing('ENETUNREACH'))
  assert.equal(ipv6.likely, false)
})
