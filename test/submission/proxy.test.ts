/** Behind a load balancer: the PROXY protocol names the client, and the address of that client counts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import { ProxyHeaderError, proxyHeader, readProxyHeader } from '../../src/network/proxy/header.ts'
import { base64, IMPLICIT, message, SmtpClient, STARTTLS, type SubmissionRig, startRig } from './rig.ts'

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

/** Version 2: `command` 0 LOCAL, 1 PROXY; what stands behind the addresses as well. */
function binary(command: number, family: number, addresses: Buffer): Buffer {
  const head = Buffer.from([0x20 | command, family, addresses.length >> 8, addresses.length & 255])
  return Buffer.concat([SIGNATURE, head, addresses])
}

const V4 = Buffer.from([203, 0, 113, 7, 192, 0, 2, 1, 0xc3, 0x50, 0x02, 0x4b])
const V6 = Buffer.from(`20010db8${'0'.repeat(22)}07${'0'.repeat(32)}c350024b`, 'hex')
/** PP2_TYPE_NOOP with two octets. */
const TLV = Buffer.from([0x04, 0, 2, 1, 1])

describe('a header of the PROXY protocol', () => {
  const right: [string, Buffer, string | null][] = [
    ['TCP4', Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 50000 587\r\n'), '203.0.113.7'],
    ['TCP6', Buffer.from('PROXY TCP6 2001:db8::7 ::1 50000 587\r\n'), '2001:db8::7'],
    ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), null],
    ['UNKNOWN with more', Buffer.from('PROXY UNKNOWN ffff::1 x 1 2\r\n'), null],
    ['v2 TCP4', binary(1, 0x11, V4), '203.0.113.7'],
    ['v2 TCP6 with more', binary(1, 0x21, Buffer.concat([V6, TLV])), '2001:db8::7'],
    ['v2 LOCAL', binary(0, 0, Buffer.alloc(0)), null],
    ['v2 of a UNIX socket', binary(1, 0x31, Buffer.alloc(216)), null],
  ]
  for (const [name, header, address] of right) {
    test(`${name}, and the octets behind it are left`, () => {
      const octets = Buffer.concat([header, Buffer.from('EHLO x\r\n')])
      assert.deepEqual(readProxyHeader(octets), { length: header.length, address })
      for (let cut = 0; cut < header.length; cut++)
        assert.equal(readProxyHeader(octets.subarray(0, cut)), null)
    })
  }

  test('is written as it is read', () => {
    const v4 = proxyHeader({ from: '203.0.113.7', to: { address: '192.0.2.1', port: 587 } })
    const noPort = Buffer.concat([V4.subarray(0, 8), Buffer.alloc(2), V4.subarray(10)])
    assert.deepEqual(v4, binary(1, 0x11, noPort))
    const v6 = proxyHeader({ from: '2001:db8::7', to: { address: '::', port: 587 } })
    assert.deepEqual(
      v6,
      binary(1, 0x21, Buffer.concat([V6.subarray(0, 32), Buffer.alloc(2), V6.subarray(34)])),
    )
    assert.deepEqual(readProxyHeader(v6), { length: v6.length, address: '2001:db8::7' })
  })

  const wrong: [string, Buffer][] = [
    ['EHLO', Buffer.from('EHLO')],
    ['a TLS handshake', Buffer.from([0x16, 3, 1, 2, 0, 1])],
    ['no ports', Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1\r\n')],
    ['an address of the other family', Buffer.from('PROXY TCP4 2001:db8::7 ::1 50000 587\r\n')],
    ['a port that is none', Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 70000 587\r\n')],
    ['a zone', Buffer.from('PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n')],
    ['a line without end', Buffer.from(`PROXY TCP4 ${'1'.repeat(100)}`)],
    ['version 3', Buffer.concat([SIGNATURE, Buffer.from([0x31, 0x11, 0, 12]), V4])],
    ['another command', binary(2, 0x11, V4)],
    ['addresses cut short', binary(1, 0x21, V4)],
    ['more than anybody has to tell', Buffer.concat([SIGNATURE, Buffer.from([0x21, 0x11, 0xff, 0xff])])],
  ]
  for (const [name, octets] of wrong) {
    test(`is not ${name}`, () => assert.throws(() => readProxyHeader(octets), ProxyHeaderError))
  }
})

describe('SMTP submission behind a load balancer', () => {
  let rig: SubmissionRig

  before(async () => {
    rig = await startRig({
      submission: [
        { ...STARTTLS, proxied: true },
        { ...IMPLICIT, proxied: true },
      ],
      trustedProxies: ['127.0.0.1'],
      memory: 40 * 1024 * 1024,
      maxMessageSize: 4 * 1024 * 1024,
    })
  })
  after(() => rig[Symbol.asyncDispose]())

  async function behind(header: Buffer | string): Promise<SmtpClient> {
    const client = new SmtpClient(net.connect(rig.port, '127.0.0.1'))
    client.write(header)
    assert.match(await client.reply(), /^220 /)
    await client.say('EHLO client.test', /^250-/)
    return client
  }

  const proxied = (address: string) => `PROXY TCP4 ${address} 192.0.2.1 50000 587\r\n`

  test('a key with source networks is held against the address of the client', async () => {
    const { token } = await rig.service.key(rig.companyId, { networks: ['203.0.113.0/24'] })
    const login = `AUTH PLAIN ${base64(`\0api\0${token}`)}`
    using right = await behind(binary(1, 0x11, Buffer.concat([V4, TLV])))
    await right.say('STARTTLS', /^220 /)
    await right.encrypt()
    await right.say('EHLO client.test', /^250-/)
    await right.say(login, /^235 /)
    await rig.email(await right.send(message()))
    using elsewhere = await behind(proxied('198.51.100.9'))
    await elsewhere.say('STARTTLS', /^220 /)
    await elsewhere.encrypt()
    await elsewhere.say('EHLO client.test', /^250-/)
    await elsewhere.say(login, /^535 5\.7\.8 This API key may not be used from the address 198\.51\.100\.9/)
  })

  test('TLS from the start begins behind the header, in the same octets or later', async () => {
    for (const together of [true, false]) {
      const socket = net.connect(rig.implicitPort, '127.0.0.1')
      await once(socket, 'connect')
      if (together) socket.cork()
      socket.write(proxied('203.0.113.7'))
      const secure = tls.connect({ socket, rejectUnauthorized: false })
      if (together) process.nextTick(() => socket.uncork())
      using client = new SmtpClient(secure)
      assert.match(await client.reply(), /^220 /)
      await client.say('EHLO client.test', /^250-/)
      await client.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`, /^235 /)
      await rig.email(await client.send(message()))
    }
  })

  test('a remote client is not a local one, and neither is the health check of the balancer', async () => {
    for (const header of [proxied('203.0.113.7'), 'PROXY UNKNOWN\r\n', binary(0, 0, Buffer.alloc(0))]) {
      using client = await behind(header)
      await client.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`, /^538 5\.7\.11 /)
    }
    using local = await behind(proxied('127.0.0.1'))
    await local.say(`AUTH PLAIN ${base64(`\0api\0${rig.key.token}`)}`, /^235 /)
  })

  test('a wrong or missing header is refused', async () => {
    for (const octets of ['EHLO client.test\r\n', 'PROXY TCP4 nowhere\r\n']) {
      using client = new SmtpClient(net.connect(rig.port, '127.0.0.1'))
      client.write(octets)
      assert.match(await client.reply(), /^421 4\.7\.0 Connection refused: /)
      await client.ended()
    }
    assert.ok(rig.service.logged.some((line) => line.includes('an SMTP connection was refused: it')))
  })

  test('the addresses of clients share the connections, and a client that has to leave gets a reply', async () => {
    const many: SmtpClient[] = []
    using other = await behind(proxied('198.51.100.1'))
    for (let count = 0; count < 100; count++) many.push(await behind(proxied('203.0.113.9')))
    const gone = many.filter(({ closed, received }) => closed || received !== '')
    assert.ok(gone.length >= 20)
    for (const one of gone) {
      assert.match(await one.reply(), /^421 4\.3\.2 There are too many connections; try again later\r\n$/)
      await one.ended()
    }
    await other.say('NOOP', /^250 /)
    for (const one of many) one[Symbol.dispose]()
  })
})

test('only a trusted proxy may name the address of its client', async () => {
  await using rig = await startRig({
    submission: [{ ...STARTTLS, proxied: true }],
    trustedProxies: ['192.0.2.0/24'],
    tls: null,
  })
  using client = new SmtpClient(net.connect(rig.port, '127.0.0.1'))
  client.write('PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n')
  assert.match(await client.reply(), /^421 4\.7\.0 .* not come from an address of POSTROAD_TRUSTED_PROXIES/)
  await client.ended()
})
