/**
 * Parsers that turn the text of a setting into its value. Each throws SettingValueError when the text is not one of its
 * values.
 */
import { isIP } from 'node:net'
import { canonicalAddress, canonicalRange, NotARange } from '../network/address-range.ts'
import { isLoopback } from '../network/private-address.ts'
import type { OutgoingProxy } from '../network/proxy/proxy.ts'
import type {
  DatabaseSetting,
  DeliveryRoute,
  HostPort,
  ImapMailbox,
  RelayRoute,
  SourceAddress,
  SubmissionListener,
} from './values.ts'

/** The text is not a value of the setting. The message continues `... is not allowed: `. */
export class SettingValueError extends Error {
  override name = 'SettingValueError'
}

/** Its message names all allowed values, or the form that they have. */
export class SettingFormError extends SettingValueError {
  override name = 'SettingFormError'
}

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SIZE_UNITS: Record<string, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** `90s`, `1.5h`, `30d` in milliseconds. A bare number is refused: nobody remembers its unit. */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text) ?? []
  if (!amount || !unit)
    throw new SettingValueError(`"${text}" needs a number and a unit, like 500ms, 30s, 5m, 2h or 30d`)
  return Math.round(Number(amount) * DURATION_UNITS[unit]!)
}

export function durationWithin(least: string, most: string): (text: string) => number {
  return within(parseDuration, least, most)
}

/** Null: off. */
export function durationOrOff(least: string, most: string): (text: string) => number | null {
  const parse = durationWithin(least, most)
  return (text) => (text.toLowerCase() === 'off' ? null : parse(text))
}

/** `40MB` in octets; a KB is 1,024 octets. */
export function sizeWithin(least: string, most: string): (text: string) => number {
  return within(parseSize, least, most)
}

function within(parse: (text: string) => number, least: string, most: string): (text: string) => number {
  return (text) => {
    const value = parse(text)
    if (value < parse(least)) throw new SettingValueError(`it must be at least ${least}`)
    if (value > parse(most)) throw new SettingValueError(`it must be at most ${most}`)
    return value
  }
}

/** `2m,5m,1h`: each between one second and thirty days, at most 100 of them. */
export function parseDurations(text: string): number[] {
  const durations = listItems(text).map(durationWithin('1s', '30d'))
  if (durations.length > 100) throw new SettingValueError('it holds more than 100 waits')
  return durations
}

/** `3 in 14d`; null: off. */
export function parseFullMailbox(text: string): { refusals: number; withinMs: number } | null {
  if (text === 'off') return null
  const [, refusals, within] = /^(\S+)\s+in\s+(\S+)$/.exec(text) ?? []
  if (refusals === undefined || within === undefined) {
    throw new SettingValueError(`"${text}" is not a number and a duration, like "3 in 14d"`)
  }
  return { refusals: integerWithin(1, 100)(refusals), withinMs: durationWithin('1h', '90d')(within) }
}

export function parseSize(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([KMGT]?B)$/i.exec(text) ?? []
  if (!amount || !unit)
    throw new SettingValueError(`"${text}" needs a number and a unit, like 512KB, 40MB or 1GB`)
  return Math.round(Number(amount) * SIZE_UNITS[unit.toUpperCase()]!)
}

export function integerWithin(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new SettingFormError(`it must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

export function parseBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  if (['false', '0', 'no', 'off'].includes(word)) return false
  throw new SettingFormError('it must be true or false')
}

export function oneOf<const T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((word) => word === text.toLowerCase())
    if (found === undefined) throw new SettingFormError(`it must be one of ${words.join(', ')}`)
    return found
  }
}

/** Some of these words, separated by commas; each once, in the order of `words`. At least one. */
export function someOf<const T extends string>(words: readonly T[]): (text: string) => T[] {
  return (text) => {
    const given = text.split(',').map((word) => word.trim().toLowerCase())
    const unknown = given.find((word) => !words.some((known) => known === word))
    if (unknown !== undefined) throw new SettingFormError(`it must be one or more of ${words.join(', ')}`)
    return words.filter((word) => given.includes(word))
  }
}

/** Returns a parser of one line of text without control characters, up to `length` characters. */
export function nameUpTo(length: number): (text: string) => string {
  return (text) => {
    const name = text.trim()
    if (name === '' || [...name].length > length)
      throw new SettingValueError(`it must have 1 to ${length} characters`)
    if (/\p{Cc}/u.test(name)) throw new SettingValueError('it must have no control characters')
    return name
  }
}

/** `host:port`, `[::1]:port`, `:port` (every address of the machine). Port 0 picks a free one. */
export function parseHostPort(text: string): HostPort {
  const [, v6, host, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  if (digits === undefined)
    throw new SettingFormError('it must be host:port, like 127.0.0.1:8587, [::1]:8587 or 0.0.0.0:80')
  if (v6 !== undefined && isIP(v6) !== 6) throw new SettingValueError(`"${v6}" is not an IPv6 address`)
  if (host && !isHostName(host)) throw new SettingValueError(`"${host}" is not a host name or IP address`)
  return { host: v6 ?? (host || '::'), port: portNumber(digits, 0) }
}

/** `auto`, `off`, or `smtps://host:port[?...]` and `smtp://host:port[?...]`, separated by commas. */
export function parseSubmission(text: string): SubmissionListener[] | 'auto' {
  const word = text.toLowerCase()
  if (word === 'auto') return word
  if (word === 'off') return []
  return listItems(text).map((item) => {
    const { scheme, place, digits, options } = smtpPlace(
      item,
      SUBMISSION_OPTIONS,
      `"${item}" must be smtps://host:port (TLS from the start) or smtp://host:port (STARTTLS), like smtps://0.0.0.0:465`,
    )
    const implicitTls = scheme === 'smtps'
    const tls = option('tls', options.get('tls') ?? 'required', ['required', 'opportunistic'])
    if (implicitTls && tls === 'opportunistic') {
      throw new SettingValueError('smtps:// is always encrypted; "?tls=opportunistic" goes with smtp://')
    }
    const proxied = option('proxy', options.get('proxy') ?? 'off', ['on', 'off']) === 'on'
    const withoutLogin = option('login', options.get('login') ?? 'on', ['on', 'off']) === 'off'
    if (withoutLogin && (implicitTls || options.has('tls'))) {
      throw new SettingValueError('"?login=off" goes with smtp:// and without "?tls=": there is no TLS')
    }
    const at = parseHostPort(`${place}:${digits ?? (implicitTls ? 465 : 587)}`)
    return {
      ...at,
      implicitTls,
      clearLogin: tls === 'opportunistic',
      proxied,
      withoutLogin,
      optional: false,
    }
  })
}

const SUBMISSION_OPTIONS = ['tls', 'proxy', 'login']

/** Listeners for returned mail; empty: off. */
export function parseBounceListen(text: string): SubmissionListener[] {
  if (text.toLowerCase() === 'off') return []
  return listItems(text).map((item) => {
    const wrong = `"${item}" must be smtp://host:port, like smtp://0.0.0.0:25`
    const { scheme, place, digits, options } = smtpPlace(item, ['proxy'], wrong)
    if (scheme !== 'smtp') throw new SettingValueError(wrong)
    const proxied = option('proxy', options.get('proxy') ?? 'off', ['on', 'off']) === 'on'
    const at = parseHostPort(`${place}:${digits ?? 25}`)
    return { ...at, implicitTls: false, clearLogin: false, proxied, withoutLogin: false, optional: false }
  })
}

/** `smtp://host:port?option=word`; the scheme in lower case. */
function smtpPlace(
  item: string,
  known: readonly string[],
  wrong: string,
): { scheme: string; place: string; digits: string | undefined; options: URLSearchParams } {
  const [, scheme, place, digits, query = ''] =
    /^(smtps?):\/\/(\[[^\]]*\]|[^:/?]*)(?::(\d{1,5}))?\/?(?:\?(.*))?$/i.exec(item) ?? []
  if (scheme === undefined || place === undefined) throw new SettingValueError(wrong)
  const options = new URLSearchParams(query)
  const unknown = [...options.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const names = known.map((name) => `"?${name}="`)
    const all =
      names.length === 1 ? `${names[0]} is` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are`
    throw new SettingValueError(`"?${unknown}=" is not an option; ${all}`)
  }
  return { scheme: scheme.toLowerCase(), place, digits, options }
}

/** A domain name of letters, digits and hyphens (RFC 1123 2.1), lower case, as RFC 5321 2.3.5 requires in EHLO. */
export function parseHostName(text: string): string {
  if (!isHostName(text) || text.includes('_'))
    throw new SettingFormError('it must be a host name, like mail.example.com')
  return text.toLowerCase()
}

/** `ip`, `ip:port`, `[ip6]:port`, separated by commas. */
export function parseNameServers(text: string): string[] {
  return listItems(text).map((item) => {
    const [, v6, v4, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(item) ?? []
    if (isIP(item) === 6) return item
    if (isIP(v6 ?? v4 ?? '') === 0)
      throw new SettingValueError(`"${item}" is not an IP address or IP address:port`)
    if (digits !== undefined) portNumber(digits, 1)
    return item
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

/** 32 octets as 64 hexadecimal digits or in base64. */
export function parseSecretKey(text: string): Buffer {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64')
  throw new SettingValueError(
    'it must be 32 octets, as 64 hexadecimal digits or in base64 (make one: openssl rand -hex 32)',
  )
}

/** `sqlite:<path>` or `postgres://...`. */
export function parseDatabase(text: string): DatabaseSetting {
  if (/^sqlite:/i.test(text)) {
    const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')
    if (path === '' || path.includes('\0'))
      throw new SettingValueError('the path of the file is missing after "sqlite:"')
    return { engine: 'sqlite', path }
  }
  if (/^postgres(ql)?:\/\//i.test(text)) {
    return { engine: 'postgres', url: parsePostgres(text) }
  }
  throw new SettingValueError('it must begin with "sqlite:" or "postgres://"')
}

const POSTGRES_TLS = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/**
 * The options of libpq 18 and of the driver. An option that only libpq knows has no effect, but may stand in a URL that
 * other programs use too.
 */
const POSTGRES_OPTIONS = new Set(
  (
    'user password passfile dbname database host hostaddr port service servicefile options connect_timeout client_encoding ' +
    'application_name fallback_application_name replication target_session_attrs load_balance_hosts keepalives keepalives_idle ' +
    'keepalives_interval keepalives_count tcp_user_timeout require_auth requirepeer channel_binding scram_client_key ' +
    'scram_server_key ssl sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslpassword sslcertmode sslrootcert ' +
    'sslcrl sslcrldir sslsni sslkeylogfile ssl_min_protocol_version ssl_max_protocol_version min_protocol_version ' +
    'max_protocol_version gssencmode krbsrvname gsslib gssdelegation oauth_issuer oauth_client_id oauth_client_secret ' +
    'oauth_scope uselibpqcompat binary statement_timeout lock_timeout idle_in_transaction_session_timeout query_timeout'
  ).split(' '),
)

/** The URL for the driver, in which libpq's words have libpq's meaning. */
function parsePostgres(text: string): string {
  const { username, password, hash, search, searchParams } = parseUrl(text)
  // The text before it may look like a host and be the end of a password.
  if (hash !== '') throw new SettingValueError('it holds a "#"; in user and password write it as %23')
  decoded(username)
  decoded(password)
  for (const name of searchParams.keys()) {
    if (POSTGRES_OPTIONS.has(name)) continue
    // The text before an @ may look like an option and be the end of a password.
    if (search.includes('@'))
      throw new SettingValueError('it has an unknown option; in user and password write ? as %3F')
    throw new SettingValueError(`"?${name}=" is not an option of a PostgreSQL URL`)
  }
  const port = searchParams.get('port')
  if (port !== null) portNumber(port, 1)
  const mode = searchParams.get('sslmode')
  if (mode === null) return text
  const tls = option('sslmode', mode, POSTGRES_TLS)
  if (tls === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw new SettingValueError(
      '"?sslmode=verify-ca" also needs the certificate authority: &sslrootcert=/path/to/ca.pem',
    )
  }
  // By default the driver takes these two for verify-full, and warns that this will change.
  const loose = tls === 'require' || tls === 'verify-ca'
  return loose && !searchParams.has('uselibpqcompat') ? `${text}&uselibpqcompat=true` : text
}

/**
 * `capture`, `direct`, or the URL of a relay. No message quotes the URL: a slip in it can put the password anywhere.
 */
export function parseDelivery(text: string): DeliveryRoute {
  const word = text.toLowerCase()
  if (word === 'capture' || word === 'direct') return { kind: word }
  if (!RELAY_URL.test(text)) {
    throw new SettingValueError(
      'it must be "capture", "direct", or a relay like smtp://user:password@host:587',
    )
  }
  return parseRelay(text)
}

const RELAY_URL = /^smtps?:\/\//i
const RELAY_TLS = ['off', 'opportunistic', 'required', 'verified'] as const
const RELAY_AUTH = ['plain', 'login', 'cram-md5', 'xoauth2'] as const

/** The URL of a relay, which no message quotes. */
export function parseRelay(text: string): RelayRoute {
  if (!RELAY_URL.test(text))
    throw new SettingFormError('it must be a relay like smtp://user:password@host:587')
  // Postfix writes brackets to skip the MX look-up; there is never one for a relay.
  if (/[@/]\[[^\]:]*\]/.test(text)) throw new SettingValueError('write the host name without brackets')
  const url = parseUrl(text)
  const implicitTls = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host))
    throw new SettingValueError('the host of the relay is missing or invalid')
  if (url.pathname !== '' && url.pathname !== '/') throw new SettingValueError('a relay has no path')

  const known = ['tls', 'auth']
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name)) throw new SettingValueError('the only options of a relay are ?tls= and ?auth=')
  }
  const tlsWord = url.searchParams.get('tls')
  // RFC 8314 3.3: on a port that promises TLS, a wrong certificate is a reason to stop, unless the setting says
  // otherwise.
  const tls =
    tlsWord === null ? (implicitTls ? 'verified' : 'opportunistic') : option('tls', tlsWord, RELAY_TLS)
  if (implicitTls && (tls === 'off' || tls === 'opportunistic')) {
    throw new SettingValueError(
      `smtps:// is always encrypted; "?tls=${tls}" contradicts it (use required or verified)`,
    )
  }
  const authWord = url.searchParams.get('auth')
  const user = decoded(url.username)
  if (authWord !== null && user === '')
    throw new SettingValueError('"?auth=" is given, but no user:password@')
  return {
    kind: 'relay',
    host,
    port: url.port === '' ? (implicitTls ? 465 : 25) : portNumber(url.port, 1),
    implicitTls,
    tls,
    user: user === '' ? null : user,
    password: user === '' ? null : decoded(url.password),
    auth: authWord === null ? null : option('auth', authWord, RELAY_AUTH),
  }
}

/** `imaps://user:password@host[:port]/FOLDER`, which no message quotes; `imap://` on loopback. */
export function parseMailbox(text: string): ImapMailbox {
  if (/^pop3s?:/i.test(text)) {
    throw new SettingValueError(
      'mailboxes are read over IMAP, not over POP3: use imaps://user:password@host/INBOX, or let the server forward bounces to POST /inbound/mail',
    )
  }
  if (!/^imaps?:\/\//i.test(text))
    throw new SettingFormError('it must be a mailbox like imaps://user:password@host/INBOX')
  const url = parseUrl(text)
  const implicitTls = url.protocol === 'imaps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host))
    throw new SettingValueError('the host of the mailbox is missing or invalid')
  if (!implicitTls && !isLoopback(host))
    throw new SettingValueError('imap:// is not encrypted, and allowed on this machine only: use imaps://')
  if (url.search !== '' || url.hash !== '')
    throw new SettingValueError(
      'it must end with the folder; in user and password write ? as %3F and # as %23',
    )
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === '' || password === '') throw new SettingValueError('it needs user:password@ before the host')
  return {
    host,
    port: url.port === '' ? (implicitTls ? 993 : 143) : portNumber(url.port, 1),
    implicitTls,
    user,
    password,
    folder: decoded(url.pathname.slice(1)) || 'INBOX',
  }
}

/** `https://host[:port][/path]`, without a slash at its end. */
export function parseBaseUrl(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new SettingFormError('it must be a URL such as https://mail.example.com')
  }
  const { username, password, search, hash, href } = new URL(text)
  if (username !== '' || password !== '') throw new SettingValueError('it must not hold a user or a password')
  if (search !== '' || hash !== '') throw new SettingValueError('it must end with its host, port or path')
  return href.replace(/\/+$/, '')
}

/** With a path and a query, as providers of chat programs make them. */
export function parseHttpUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).href
  throw new SettingFormError('it must be a URL such as https://hooks.example.com/postroad')
}

/** A plain address; whether its domain may send is known only to the service. */
export function parseAddress(text: string): string {
  if (/^[^\s@<>,]+@[^\s@<>,]+$/.test(text)) return text
  throw new SettingValueError(`"${text}" is not an email address`)
}

export function parseAddresses(text: string): string[] {
  return listItems(text).map(parseAddress)
}

/** Unchanged: an issuer is compared letter by letter (OpenID Connect Discovery 4.3). */
export function parseIssuer(text: string): string {
  parseBaseUrl(text)
  return text
}

/** `192.0.2.1=mail1.example.com, [2001:db8::1]=mail1.example.com via socks5://10.0.0.5`: each address once. */
export function parseSourceAddresses(text: string): SourceAddress[] {
  const sources = listItems(text).map((item): SourceAddress => {
    const [named = '', ...proxy] = item.split(/\s+via(?:\s+|$)/i)
    const [, ip = '', helo = ''] = /^\[?([0-9a-f.:]+)\]?\s*=\s*(\S+)$/i.exec(named) ?? []
    const address = canonicalAddress(ip)
    if (address === null || !isHostName(helo) || helo.includes('_')) {
      throw new SettingValueError(
        // A comma or a missing "via" makes a part of a proxy's password look like an address.
        `${text.includes('@') ? 'each item' : `"${item}"`} must be an IP address with its name in EHLO, like 192.0.2.1=mail1.example.com or [2001:db8::1]=mail1.example.com`,
      )
    }
    const own = { address, helo: helo.toLowerCase() }
    return proxy.length === 0 ? own : { ...own, proxy: parseProxy(proxy.join(' via '), address) }
  })
  const twice = sources.find(({ address }, index) => sources.findIndex((s) => s.address === address) < index)
  if (twice === undefined) return sources
  throw new SettingValueError(`the address ${twice.address} is named twice`)
}

/** `socks5://user:password@host[:port]` or `proxy://host:port`, which no message quotes. */
function parseProxy(text: string, address: string): OutgoingProxy {
  const wrong = (what: string) => new SettingValueError(`the proxy of ${address} ${what}`)
  const [, scheme = ''] = /^(socks5|proxy):\/\//i.exec(text) ?? []
  if (scheme === '') {
    throw wrong('must be a URL like socks5://user:password@10.0.0.5:1080 or proxy://10.0.0.5:2525')
  }
  const url = parseUrl(text)
  const protocol = scheme.toLowerCase() as OutgoingProxy['protocol']
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host)) throw wrong('has no valid host')
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') {
    throw wrong('must end with its host or port')
  }
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (protocol === 'proxy') {
    if (url.port === '') throw wrong('needs a port, like proxy://10.0.0.5:2525')
    if (user !== '' || password !== '') {
      throw wrong('has a user or a password, which the PROXY protocol cannot carry')
    }
  }
  // RFC 1929 2: a length of one octet, and not zero.
  if ([user, password].some((each) => Buffer.byteLength(each) > 255)) {
    throw wrong('has a user or a password of more than 255 octets')
  }
  if ((user === '') !== (password === '')) throw wrong('needs both a user and a password, or neither')
  return {
    protocol,
    host,
    port: url.port === '' ? 1080 : portNumber(url.port, 1),
    user: user === '' ? null : user,
    password: user === '' ? null : password,
  }
}

/** `50,100,500` */
export function parseCounts(text: string): number[] {
  return listItems(text).map((item) => {
    if (/^[1-9]\d{0,8}$/.test(item)) return Number(item)
    throw new SettingValueError(`"${item}" is not a whole number of at least 1`)
  })
}

function option<const T extends string>(name: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text.toLowerCase())
  if (found === undefined) throw new SettingValueError(`"?${name}=" must be one of ${words.join(', ')}`)
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SettingValueError(
      'the user or password has a "%" that is not an escape; write a percent sign as %25',
    )
  }
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new SettingValueError(
      'it is not a valid URL; in user and password write @ as %40, : as %3A, / as %2F and # as %23',
    )
  }
  return new URL(text)
}

function portNumber(digits: string, least: number): number {
  const port = Number(digits)
  if (!(port >= least && port <= 65_535))
    throw new SettingValueError(`port ${digits} is not between ${least} and 65535`)
  return port
}

function listItems(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.includes(''))
    throw new SettingFormError('it must be a list separated by commas, without empty items')
  return items
}

function isHostName(text: string): boolean {
  return text.length <= 253 && /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*\.?$/i.test(text)
}
