import { isIP } from 'node:net'
import { canonicalAddress } from '../../network/address-range.ts'
import type { OutgoingProxy } from '../../network/proxy/proxy.ts'
import type { SourceAddress } from '../values.ts'
import { listItems } from './list.ts'
import { isHostName, portNumber } from './network.ts'
import { decoded, parseUrl } from './url.ts'
import { SettingValueError } from './value-error.ts'

/** `192.0.2.1=mail1.example.com, [2001:db8::1]=mail1.example.com via socks5://10.0.0.5`: each address once. */
export function parseSourceAddresses(text: string): SourceAddress[] {
  const sources = listItems(text).map((item): SourceAddress => {
    const [named = '', ...proxy] = item.split(/\s+via(?:\s+|$)/i)
    const [, ip = '', helo = ''] = /^\[?([0-9a-f.:]+)\]?\s*=\s*(\S+)$/i.exec(named) ?? []
    const address = canonicalAddress(ip)
    if (address === null || !isHostName(helo) || helo.includes('_')) {
      throw new SettingValueError(
        // It is not quoted if the setting may hold a password: after a stray comma, or without "via", an item may be a
        // part of one.
        `${text.includes('@') ? 'each item' : `"${item}"`} must be an IP address with its name in EHLO, like 192.0.2.1=mail1.example.com or [2001:db8::1]=mail1.example.com`,
      )
    }
    const own = { address, helo: helo.toLowerCase() }
    return proxy.length === 0 ? own : { ...own, proxy: parseProxy(proxy.join(' via '), address) }
  })
  const duplicate = sources.find(
    ({ address }, index) => sources.findIndex((s) => s.address === address) < index,
  )
  if (duplicate === undefined) return sources
  throw new SettingValueError(`the address ${duplicate.address} is named twice`)
}

/**
 * `socks5://user:password@host[:port]` or `proxy://host:port`. No message quotes it, because it may hold a password.
 */
function parseProxy(text: string, address: string): OutgoingProxy {
  const proxyError = (what: string) => new SettingValueError(`the proxy of ${address} ${what}`)
  const [, scheme = ''] = /^(socks5|proxy):\/\//i.exec(text) ?? []
  if (scheme === '') {
    throw proxyError('must be a URL like socks5://user:password@10.0.0.5:1080 or proxy://10.0.0.5:2525')
  }
  const url = parseUrl(text)
  const protocol = scheme.toLowerCase() as OutgoingProxy['protocol']
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host)) throw proxyError('has no valid host')
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw proxyError('must end with its host or port')
  }
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (protocol === 'proxy') {
    if (url.port === '') throw proxyError('needs a port, like proxy://10.0.0.5:2525')
    if (user !== '' || password !== '') {
      throw proxyError('has a user or a password, which the PROXY protocol cannot carry')
    }
  }
  // RFC 1929 2: each has 1 to 255 octets.
  if ([user, password].some((each) => Buffer.byteLength(each) > 255)) {
    throw proxyError('has a user or a password of more than 255 octets')
  }
  if ((user === '') !== (password === '')) throw proxyError('needs both a user and a password, or neither')
  return {
    protocol,
    host,
    port: url.port === '' ? 1080 : portNumber(url.port, 1),
    user: user === '' ? null : user,
    password: user === '' ? null : password,
  }
}
