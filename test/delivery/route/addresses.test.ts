import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alternate, Ipv6Reachability } from '../../../src/delivery/route/addresses.ts'
import { SmtpError } from '../../../src/delivery/smtp/error.ts'
import type { OutgoingProxy } from '../../../src/network/proxy/proxy.ts'

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

const at = (address: string) => ({ address })

function failing(code: string): SmtpError {
  const cause = Object.assign(new Error(code), { code })
  return new SmtpError('connect', 'connect', 'no connection', undefined, cause)
}

test('IPv6 is avoided only when the network itself reports that there is no route', () => {
  const ipv6 = new Ipv6Reachability(() => ['2a00:1450::1'])
  ipv6.recordFailure(at('2001:db8::1'), failing('ECONNREFUSED'))
  ipv6.recordFailure(at('2001:db8::1'), failing('ETIMEDOUT'))
  ipv6.recordFailure(at('2001:db8::1'), failing('EHOSTUNREACH'))
  ipv6.recordFailure(at('192.0.2.1'), failing('ENETUNREACH'))
  ipv6.recordFailure(at('2001:db8::1'), new Error('timeout'))
  assert.equal(ipv6.likely, true)
  ipv6.recordFailure(at('2001:db8::1'), failing('ENETUNREACH'))
  assert.equal(ipv6.likely, false)
})

test('a machine without a public IPv6 address has no way out to an address that is not reached over IPv6', () => {
  const silent = new SmtpError('timeout', 'connect', 'took too long over connecting')
  const unreached = [failing('EHOSTUNREACH'), failing('ETIMEDOUT'), silent]
  const own = ['127.0.0.1', '192.0.2.7', '::1', 'fd00::2', 'fe80::1%eth0']
  const ipv6 = new Ipv6Reachability(() => own)
  for (const error of unreached) {
    assert.equal(ipv6.hasNoWayOut(at('2a00:1450::1b'), error), true)
    // Of its own network, or over IPv4, the machine says nothing by its addresses.
    assert.equal(ipv6.hasNoWayOut(at('fd00::25'), error), false)
    assert.equal(ipv6.hasNoWayOut(at('198.51.100.1'), error), false)
    // Nor does it of a proxy's network.
    const proxy = { kind: 'socks5', host: 'proxy.test', port: 1080 } as unknown as OutgoingProxy
    assert.equal(ipv6.hasNoWayOut({ ...at('2a00:1450::1b'), proxy }, error), false)
    assert.equal(new Ipv6Reachability(() => []).hasNoWayOut(at('2a00:1450::1b'), error), true)
    assert.equal(
      new Ipv6Reachability(() => [...own, '2a00:1450::1']).hasNoWayOut(at('2a00:1450::1b'), error),
      false,
    )
  }
  for (const error of [
    failing('ECONNREFUSED'),
    new SmtpError('timeout', 'greeting', 'took too long over its greeting'),
  ]) {
    assert.equal(ipv6.hasNoWayOut(at('2a00:1450::1b'), error), false)
  }
  // Its network translates addresses, as a container's may.
  ipv6.recordSuccess(at('2a00:1450::1c'))
  for (const error of unreached) assert.equal(ipv6.hasNoWayOut(at('2a00:1450::1b'), error), false)
})
