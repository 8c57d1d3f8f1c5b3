/** The base URL of links, when the service is reached in different ways. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { PublicUrl } from '../../src/http/public-url.ts'
import { ClientAddress } from '../../src/ingress/client-address.ts'

type Headers = IncomingMessage['headers']

function request(headers: Headers, socket: object = {}): Pick<IncomingMessage, 'headers' | 'socket'> {
  const from = { remoteAddress: '192.0.2.1', localAddress: '::1', localPort: 8587, ...socket }
  return { headers, socket: from as IncomingMessage['socket'] }
}

describe('the public URL', () => {
  const url = new PublicUrl(null, new ClientAddress(['10.0.0.0/8']))
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'mail.test' }
  const proxied = { remoteAddress: '10.1.2.3' }
  const rows: [what: string, headers: Headers, socket: object, expected: string][] = [
    ['the host that the client called', { host: 'a.test:8587' }, {}, 'http://a.test:8587'],
    ['an IPv6 address', { host: '[::1]:80' }, {}, 'http://[::1]:80'],
    ['over TLS', { host: 'a.test' }, { encrypted: true }, 'https://a.test'],
    ['what a trusted proxy says', { host: 'inner:1', ...forwarded }, proxied, 'https://mail.test'],
    ['what anybody else says is not heard', { host: 'a.test', ...forwarded }, {}, 'http://a.test'],
    [
      'what the first of several proxies was called',
      { host: 'inner', 'x-forwarded-host': 'mail.test, inner.test', 'x-forwarded-proto': 'https, http' },
      proxied,
      'https://mail.test',
    ],
    [
      'a proxy that says one of both',
      { host: 'a.test', 'x-forwarded-proto': 'https' },
      proxied,
      'https://a.test',
    ],
    ['a Host that is none', { host: 'a.test/x?"' }, {}, 'http://[::1]:8587'],
    ['a port that is none', { host: 'a.test:65536' }, {}, 'http://[::1]:8587'],
    ['port 0', { host: 'a.test:0' }, {}, 'http://[::1]:8587'],
    ['the last port', { host: 'a.test:65535' }, {}, 'http://a.test:65535'],
    ['no Host at all', {}, { localAddress: '127.0.0.1' }, 'http://127.0.0.1:8587'],
    [
      'a proxy that says nonsense',
      { host: 'a.test', 'x-forwarded-host': 'evil"', 'x-forwarded-proto': 'javascript' },
      proxied,
      'http://a.test',
    ],
  ]
  for (const [what, headers, socket, expected] of rows) {
    test(what, () => assert.equal(url.urlOf(request(headers, socket)), expected))
  }

  test('is the configured one, whatever URL the client uses', () => {
    const configured = new PublicUrl('https://mail.example.com/api', new ClientAddress([]))
    assert.equal(configured.urlOf(request({ host: 'a.test' })), 'https://mail.example.com/api')
  })
})
