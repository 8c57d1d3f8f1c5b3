/** Time servers that cannot be asked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askTime } from '../../src/network/time-server.ts'

test('a time server that the system has no route to does not answer', async () => {
  // An address of a link without its zone, and a broadcast address, which a socket may not send to by default.
  for (const address of ['fe80::1', '255.255.255.255'])
    assert.equal(await askTime(address, 123), null, address)
})
