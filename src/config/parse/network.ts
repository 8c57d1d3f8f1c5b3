/** Host names, addresses and ports. Each parser throws SettingValueError when the text is not one of its values. */
import { isIP } from 'node:net'
import { canonicalAddress, canonicalRange, NotARange } from '../../network/address-range.ts'
import { hostPort } from '../../network/host-port.ts'
import type { HostPort } from '../values.ts'
import { listItems } from './list.ts'
import { SettingFormError, SettingValueError } from './value-error.ts'

/** `host:port`, `[::1]:port`, `:port` (every address of the machine). Port 0 picks a free one. */
export function parseHostPort(text: string): HostPort {
  const [, v6, host, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  if (digits === undefined)
    throw new SettingFormError('it must be host:port, like 127.0.0.1:8587, [::1]:8587 or 0.0.0.0:80')
  if (v6 !== undefined && isIP(v6) !== 6) throw new SettingValueError(`"${v6}" is not an IPv6 address`)
  if (host && !isHostName(host)) throw new SettingValueError(`"${host}" is not a host name or IP address`)
  return { host: v6 ?? (host || '::'), port: portNumber(digits, 0) }
}

/** A domain name of letters, digits and hyphens (RFC 1123 2.1), lower case, as RFC 5321 2.3.5 requires in EHLO. */
export function parseHostName(text: string): string {
  if (!isHostName(text) || text.includes('_'))
    throw new SettingFormError('it must be a host name, like mail.example.com')
  return text.toLowerCase()
}

/** `ip`, `ip:port`, `[ip6]:port`, separated by commas. The result has no port 53, so each server has one form. */
export function parseNameServers(text: string): string[] {
  return listItems(text).map((item) => {
    const [, v6, v4, digits = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(item) ?? []
    const ip = isIP(item) === 6 ? item : (v6 ?? v4 ?? '')
    // A link-local address keeps its zone, without which the server cannot be reached.
    const address = isIP(ip) === 6 && ip.includes('%') ? ip : canonicalAddress(ip)
    if (address === null) throw new SettingValueError(`"${item}" is not an IP address or IP address:port`)
    const port = portNumber(digits, 1)
    if (port === 53) return address
    return hostPort(address, port)
  })
}

/** IP addresses and ranges, separated by commas. */
export function parseRanges(text: string): string[] {
  return listItems(text).map((item) => {
    try {
      return canonicalRange(item)
    } catch (error) {
      if (error instanceof NotARange) throw new SettingValueError(`"${item}" ${error.message}`)
      throw error
    }
  })
}

export function portNumber(digits: string, least: number): number {
  const port = Number(digits)
  if (!(port >= least && port <= 65_535))
    throw new SettingValueError(`port ${digits} is not between ${least} and 65535`)
  return port
}

export function isHostName(text: string): boolean {
  return text.length <= 253 && /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?$/i.test(text)
}
