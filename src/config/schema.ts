/** The one table of settings: names, values, defaults, and descriptions. The reference page is generated from it. */
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import { pid } from 'node:process'
import * as parse from './parse.ts'
import type { Database, HostPort } from './values.ts'

export type Section = 'Service' | 'Delivery' | 'Limits' | 'Storage and secrets' | 'Nodes' | 'Running'

export interface Setting<T> {
  section: Section
  /** Its name in Settings; null: it becomes a part of something there (load.ts). */
  field: string | null
  /** Turns text into the value; throws NotAllowed. */
  parse: (text: string) => T
  /** Text for `parse` when nothing is set; null: the value is then null. */
  default: string | null | (() => string)
  /** Shown in place of the default on the reference page, when the default depends on the machine or has no text. */
  defaultShown?: string
  allowed: string
  description: string
  example: string
  /** The part that must never be shown: the whole value, or the password inside a URL. */
  secret?: 'all' | 'url'
}

/** Keeps the types of the parsed value, of the default, and of the field. */
function setting<T, D extends Setting<T>['default'], const F extends string | null>(
  definition: Setting<T> & { default: D; field: F },
): Setting<T> & { default: D; field: F } {
  return definition
}

export const SETTINGS = {
  POSTROAD_LISTEN: setting({
    section: 'Service',
    field: 'listen',
    parse: parse.parseHostPort,
    default: '127.0.0.1:8587',
    allowed: 'host:port; port 0 picks a free one; an empty host means every address of the machine',
    description: 'Address the HTTP endpoints listen on.',
    example: '0.0.0.0:8587',
  }),
  POSTROAD_TLS_CERT: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; goes together with POSTROAD_TLS_KEY',
    description:
      'Certificate chain. With it the service speaks HTTPS, which the form clients insist on, and TLS where it takes mail over SMTP. ' +
      'Read again when the file changes.',
    example: '/etc/postroad/fullchain.pem',
  }),
  POSTROAD_TLS_KEY: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; goes together with POSTROAD_TLS_CERT',
    description: 'Private key of the certificate.',
    example: '/etc/postroad/privkey.pem',
  }),
  POSTROAD_SUBMISSION_LISTEN: setting({
    section: 'Service',
    field: 'submission',
    parse: parse.parseSubmission,
    default: 'off',
    allowed:
      '`off`, or addresses separated by commas: `smtps://host:port` (TLS from the start; port 465 if none is given) and ' +
      '`smtp://host:port` (STARTTLS; port 587); port 0 picks a free one, an empty host means every address of the machine; ' +
      '`smtp://...?tls=opportunistic` takes logins without TLS, too; `?proxy=on` expects the PROXY protocol (v1 or v2) of a load balancer',
    description:
      'Addresses on which programs hand in mail over SMTP, with any user name and an API key as password. They use the certificate of ' +
      'POSTROAD_TLS_CERT, and are served by nodes that take mail in. Without TLS only programs on this machine may log in, unless `?tls=opportunistic` says that the network in ' +
      'between is yours. Behind a load balancer `?proxy=on` lets the address of the client count and not that of the balancer: then only ' +
      'proxies of POSTROAD_TRUSTED_PROXIES may connect, and each connection begins with the PROXY protocol.',
    example: 'smtps://0.0.0.0:465, smtp://0.0.0.0:587',
  }),
  POSTROAD_PUBLIC_URL: setting({
    section: 'Service',
    field: 'publicUrl',
    parse: parse.parseBaseUrl,
    default: null,
    defaultShown: 'what each client has called',
    allowed: '`http://` or `https://`, a host, and a port or path if it needs them',
    description:
      'Where clients reach the service: what links in its answers begin with, those to files and to further pages. Without it they ' +
      'begin with the Host of the request, and with X-Forwarded-Proto and X-Forwarded-Host where a proxy of POSTROAD_TRUSTED_PROXIES ' +
      'brings them; in webhooks, with the address of POSTROAD_LISTEN. Recipients follow links, too: only where it is set, mail of the form ' +
      'dialect has links to unsubscribe.',
    example: 'https://mail.example.com',
  }),
  POSTROAD_TRUSTED_PROXIES: setting({
    section: 'Service',
    field: null,
    parse: parse.parseRanges,
    default: null,
    defaultShown: 'none',
    allowed: 'IP addresses and ranges of them, separated by commas',
    description:
      'Proxies in front of the service whose word is taken for where a request comes from: X-Forwarded-For is read from the right as ' +
      'far as these have written it, and X-Forwarded-Proto and X-Forwarded-Host make links. Needed for keys with source networks; without ' +
      'it the address of the proxy counts.',
    example: '10.0.0.0/24,2001:db8::5',
  }),
  POSTROAD_HOSTNAME: setting({
    section: 'Service',
    field: 'hostname',
    parse: parse.parseHostName,
    default: machineName,
    defaultShown: "the machine's name",
    allowed: 'a host name',
    description:
      'Name the service gives itself in EHLO and in the SPF record it suggests. For direct delivery it ' +
      "should resolve to the machine's address, and that address back to it. There it must be fully qualified: many mail servers refuse " +
      'other names.',
    example: 'mail.example.com',
  }),
  POSTROAD_CONSOLE_LISTEN: setting({
    section: 'Service',
    field: 'console',
    parse: besideMain,
    default: 'same',
    allowed: '`same` (on POSTROAD_LISTEN), `off`, or host:port',
    description:
      'Where the console is served, beneath `/console/`. With an address of its own it is there alone, so that it can be kept inside ' +
      "the operator's network, and nothing else is; it uses the certificate of POSTROAD_TLS_CERT, too. Nodes that take mail in serve it.",
    example: '127.0.0.1:8588',
  }),
  POSTROAD_SESSION_LIFETIME: setting({
    section: 'Service',
    field: 'sessionLifetime',
    parse: parse.durationWithin('5m', '365d'),
    default: '30d',
    allowed: 'a duration from 5m to 365d',
    description:
      'How long people stay signed in to the console at most, however much they use it. A session that nobody uses ends after 14 days ' +
      'at the latest. Sessions that go on are measured by it, too.',
    example: '7d',
  }),
  POSTROAD_METRICS_LISTEN: setting({
    section: 'Service',
    field: 'metrics',
    parse: besideMain,
    default: 'off',
    allowed: '`off`, `same` (on POSTROAD_LISTEN), or host:port',
    description: 'Where `/metrics` (Prometheus text format) is served. It is not protected by a key.',
    example: '127.0.0.1:9587',
  }),
  POSTROAD_OIDC_ISSUER: setting({
    section: 'Service',
    field: null,
    parse: parse.parseIssuer,
    default: null,
    defaultShown: 'nobody signs in elsewhere',
    allowed:
      'the issuer of an OpenID Connect provider, an https:// URL; goes together with POSTROAD_OIDC_CLIENT_ID',
    description:
      'Where people may prove who they are, to sign in to the console. The provider is told the redirect URI `/console/sign-in` below ' +
      'POSTROAD_PUBLIC_URL. Nobody gets an account by it: whoever was invited is known by the address that the provider has verified. ' +
      'A provider on a network of your own, or one without TLS, takes POSTROAD_ALLOW_PRIVATE_NETWORKS.',
    example: 'https://login.example.com/realms/staff',
  }),
  POSTROAD_OIDC_CLIENT_ID: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text',
    description: 'What the service is called at the OpenID Connect provider.',
    example: 'postroad',
  }),
  POSTROAD_OIDC_CLIENT_SECRET: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text',
    description: 'Its secret there, where it has one. The code is bound by PKCE either way.',
    example: '...',
    secret: 'all',
  }),
  POSTROAD_DELIVERY: setting({
    section: 'Delivery',
    field: 'delivery',
    parse: parse.parseDelivery,
    default: 'capture',
    allowed:
      '`capture`, `direct`, `smtp://[user:password@]host[:port]` (port 25), `smtps://...` (port 465); options `?tls=` ' +
      '`off`, `opportunistic`, `required` (encrypted, any certificate) or `verified`, and `?auth=` `plain`, `login`, ' +
      '`cram-md5` or `xoauth2`',
    description:
      'How mail leaves. `capture` keeps every message inside the service, composed and signed as it would have left. `direct` ' +
      'delivers to the mail servers of each recipient domain. A URL hands everything to that relay; smtp:// encrypts when the ' +
      'relay offers it, smtps:// always and verifies the certificate.',
    example: 'smtp://user:password@relay.example.com:587?tls=verified',
    secret: 'url',
  }),
  POSTROAD_DNS_SERVERS: setting({
    section: 'Delivery',
    field: null,
    parse: parse.parseNameServers,
    default: null,
    defaultShown: "the system's",
    allowed: 'IP addresses separated by commas, each with :port if it is not 53',
    description: 'Resolvers to ask.',
    example: '127.0.0.1,[::1]:5353',
  }),
  POSTROAD_SMTP_PORT: setting({
    section: 'Delivery',
    field: 'smtpPort',
    parse: parse.integerWithin(1, 65_535),
    default: '25',
    allowed: '1 to 65535',
    description: 'Port that `direct` delivery connects to. Other than 25 it makes sense in tests only.',
    example: '2525',
  }),
  POSTROAD_RETRY_SCHEDULE: setting({
    section: 'Delivery',
    field: 'retrySchedule',
    parse: parse.parseDurations,
    default: '2m,5m,15m,1h,2h,4h,8h,12h,16h,20h,24h,24h',
    allowed: 'durations separated by commas, each from 1s to 30d',
    description:
      'Waits between the attempts for a recipient whose server could not be reached or asked to come back. Each is made up to a ' +
      'tenth longer by chance, so that what an outage held up does not come back all at once. After the last one the recipient ' +
      'fails: with the default after four and a half days at the earliest (RFC 5321 4.5.4.1).',
    example: '5m,30m,2h,8h,24h',
  }),
  POSTROAD_SOFT_BOUNCE: setting({
    section: 'Delivery',
    field: 'softBounce',
    parse: parse.parseBoolean,
    default: 'false',
    allowed: '`true` or `false`',
    description:
      'While you set things up: whatever is refused for good is tried again as if it were refused for now. Nothing bounces, and no ' +
      'address is suppressed, until the retry schedule is at its end.',
    example: 'true',
  }),
  POSTROAD_ALLOW_PRIVATE_NETWORKS: setting({
    section: 'Delivery',
    field: 'allowPrivateNetworks',
    parse: parse.parseBoolean,
    default: 'false',
    allowed: '`true` or `false`',
    description:
      'Lets direct delivery, webhooks and remote attachments reach private and loopback addresses. Meant for tests: what a ' +
      'company hands in would otherwise decide which machine of your network is talked to.',
    example: 'true',
  }),
  POSTROAD_CONCURRENCY: setting({
    section: 'Delivery',
    field: 'concurrency',
    parse: parse.integerWithin(1, 10_000),
    default: '200',
    allowed: '1 to 10000',
    description: 'SMTP sessions open at once.',
    example: '500',
  }),
  POSTROAD_SITE_CONCURRENCY: setting({
    section: 'Delivery',
    field: 'siteConcurrency',
    parse: parse.integerWithin(1, 10_000),
    default: '20',
    allowed: '1 to 10000',
    description:
      'SMTP sessions open at once to one site (the mail servers shared by some domains, or a relay). Delivery nodes share them. ' +
      'A relay of your own takes more than the default.',
    example: '100',
  }),
  POSTROAD_MAX_UNRECORDED: setting({
    section: 'Delivery',
    field: 'maxUnrecorded',
    parse: parse.integerWithin(1, 10_000),
    default: '64',
    allowed: '1 to 10000',
    description:
      'Messages a node may have handed over to servers before their results are in the database. So many may be sent twice when the node ' +
      'is killed while the database does not answer. Servers that take over a second to answer do not count against each other: see ' +
      '[the architecture](architecture/nodes.md).',
    example: '16',
  }),
  POSTROAD_DELIVERY_THREADS: setting({
    section: 'Delivery',
    field: 'deliveryThreads',
    parse: parse.integerWithin(0, 256),
    default: deliveryThreads,
    defaultShown: "one fewer than the machine's processors, at most 8; 0 on two processors",
    allowed: '0 to 256',
    description:
      'Threads that compose, sign and speak SMTP. With 0 the main thread does it, which takes the least memory and, on two processors, keeps what is accepted and what is delivered in step.',
    example: '4',
  }),
  POSTROAD_MEMORY: setting({
    section: 'Limits',
    field: 'memory',
    parse: parse.sizeWithin('300MB', '1TB'),
    default: '600MB',
    allowed:
      '300MB to 1TB; one message of POSTROAD_MAX_MESSAGE_SIZE must have room, which takes about 150 MB and six times its size',
    description:
      'Memory the process may take. Everything that grows with what is asked of it has its limit from here: connections, requests under way, their bodies, mail on its way out. What is beyond waits or is answered with 429 or 503 and `retry-after`. More lets more large messages go at once.',
    example: '400MB',
  }),
  POSTROAD_MAX_MESSAGE_SIZE: setting({
    section: 'Limits',
    field: 'maxMessageSize',
    parse: parse.sizeWithin('1KB', '1GB'),
    default: '40MB',
    allowed: '1KB to 1GB; a KB is 1,024 octets',
    description: 'Largest composed message. A request that would compose to more is refused with 413.',
    example: '25MB',
  }),
  POSTROAD_MAX_RECIPIENTS: setting({
    section: 'Limits',
    field: 'maxRecipients',
    parse: parse.integerWithin(1, 100_000),
    default: '1000',
    allowed: '1 to 100000',
    description: 'Most recipients of one email, in to, cc and bcc together.',
    example: '50',
  }),
  POSTROAD_RATE_LIMIT: setting({
    section: 'Limits',
    field: 'rateLimit',
    parse: (text) => (text.toLowerCase() === 'none' ? null : parse.integerWithin(1, 1_000_000)(text)),
    default: 'none',
    allowed: '`none`, or 1 to 1000000 requests per second',
    description:
      'Requests per second that one API key may make; what is above is answered with 429 and `retry-after`.',
    example: '100',
  }),
  POSTROAD_REQUEST_TIMEOUT: setting({
    section: 'Limits',
    field: 'requestTimeout',
    parse: parse.durationWithin('1s', '1h'),
    default: '60s',
    allowed: '1s to 1h',
    description: 'Time a client may take to send one request.',
    example: '120s',
  }),
  POSTROAD_DATABASE_URL: setting({
    section: 'Storage and secrets',
    field: 'database',
    parse: databaseFrom,
    default: 'sqlite:./data/postroad.db',
    allowed:
      '`sqlite:<path>` (relative to the working directory) or `postgres://...`; TLS with `?sslmode=` `disable`, `require` (encrypted, any certificate), `verify-ca` or `verify-full`',
    description: 'Where everything is kept. The folder of an SQLite file is made when it is missing.',
    example: 'sqlite:/var/lib/postroad/postroad.db',
    secret: 'url',
  }),
  POSTROAD_SECRET_KEY: setting({
    section: 'Storage and secrets',
    field: 'secretKey',
    parse: parse.parseSecretKey,
    default: null,
    defaultShown: 'kept in the file `<database>.key`',
    allowed: '32 octets, as 64 hexadecimal digits or in base64',
    description:
      'Encrypts DKIM private keys and other secrets in the database. Without it the first start makes a key and keeps it beside ' +
      'the database, readable by its owner only. Nodes that share a database share it. Keep a copy: without it they are lost.',
    example: 'output of `openssl rand -hex 32`',
    secret: 'all',
  }),
  POSTROAD_RETENTION_CONTENT: setting({
    section: 'Storage and secrets',
    field: 'contentRetention',
    parse: parse.durationWithin('1m', '3650d'),
    default: '30d',
    allowed: '1m to 3650d',
    description: 'How long bodies and attachments of finished emails are kept.',
    example: '7d',
  }),
  POSTROAD_RETENTION_EMAILS: setting({
    section: 'Storage and secrets',
    field: 'emailRetention',
    parse: parse.durationWithin('1m', '3650d'),
    default: '90d',
    allowed: '1m to 3650d; not less than POSTROAD_RETENTION_CONTENT',
    description: 'How long finished emails themselves, with recipients, events and SMTP dialogues, are kept.',
    example: '365d',
  }),
  POSTROAD_ROLES: setting({
    section: 'Nodes',
    field: 'roles',
    parse: parse.someOf(['api', 'delivery']),
    default: 'api,delivery',
    allowed: '`api`, `delivery`, or both with a comma between; with SQLite both',
    description:
      'What this node does: `api` takes mail in over HTTP, `delivery` hands it to its destinations. Several nodes may share a ' +
      'PostgreSQL database, each with its own roles. A node without `api` still serves `/health`, `/ready` and `/metrics`.',
    example: 'delivery',
  }),
  POSTROAD_NODE_NAME: setting({
    section: 'Nodes',
    field: 'nodeName',
    parse: parse.nameUpTo(100),
    default: () => `${hostname()}:${pid}`,
    defaultShown: "the machine's name and the number of the process",
    allowed: '1 to 100 characters',
    description:
      'Name of this node in `postroad node list` and in the logs of the others. On PostgreSQL a node that was killed and is started ' +
      'again under the name that is set here, on the same machine, takes up its own work at once; under the default name it, or ' +
      'another node, has to wait for POSTROAD_NODE_TIMEOUT. Give each node a name of its own.',
    example: 'delivery-2',
  }),
  POSTROAD_NODE_DIRECTORY: setting({
    section: 'Nodes',
    field: 'nodeDirectory',
    parse: (text) => resolve(text),
    default: null,
    defaultShown: "`postroad-<user id>` in the system's temporary folder",
    allowed: 'path of a folder on a file system of this machine alone; made when it is missing',
    description:
      'Where a node whose name is set keeps the file by which it knows, when it is started again, that the process before it is gone. ' +
      'To be set where the temporary folder does not outlive the process (`PrivateTmp=` of systemd, a container that is made anew). ' +
      'Without effect with SQLite.',
    example: '/var/lib/postroad/nodes',
  }),
  POSTROAD_NODE_TIMEOUT: setting({
    section: 'Nodes',
    field: 'nodeTimeout',
    parse: parse.durationWithin('1s', '10m'),
    default: '30s',
    allowed: '1s to 10m',
    description:
      'How long a node may be silent before the others take over what it had under way. A node that cannot reach the database ' +
      'for so long stops sending by itself a little sooner. Without effect with SQLite.',
    example: '10s',
  }),
  POSTROAD_LOG_LEVEL: setting({
    section: 'Running',
    field: 'logLevel',
    parse: parse.oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    allowed: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    description:
      'Least important thing that is logged. Logs go to stdout, as JSON lines unless stdout is a terminal.',
    example: 'debug',
  }),
  POSTROAD_SHUTDOWN_TIMEOUT: setting({
    section: 'Running',
    field: 'shutdownTimeout',
    parse: parse.durationWithin('0s', '1h'),
    default: '30s',
    allowed: '0s to 1h',
    description:
      'Longest time a stop waits for open SMTP transactions; what is not done by then is given back to the queue.',
    example: '60s',
  }),
  POSTROAD_CONFIG: setting({
    section: 'Running',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'path of a JSON file: one object, its names those of this page',
    description: 'File with more settings. What the environment or `.env` sets wins over it.',
    example: '/etc/postroad/postroad.json',
  }),
} satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/**
 * The value of each setting, as returned by its parser: milliseconds, octets; null when nothing is set and there is no
 * default.
 */
export type SettingValues = {
  [N in SettingName]:
    | ReturnType<(typeof SETTINGS)[N]['parse']>
    | (null extends (typeof SETTINGS)[N]['default'] ? null : never)
}

/** The same by field. */
export type SettingFields = {
  [N in SettingName as NonNullable<(typeof SETTINGS)[N]['field']>]: SettingValues[N]
}

/** Text of the default, null when there is none. */
export function defaultOf(name: SettingName): string | null {
  const value: Setting<unknown>['default'] = SETTINGS[name].default
  return typeof value === 'function' ? value() : value
}

/** The text of a value for display: secrets are masked. */
export function masked(name: SettingName, text: string): string {
  const { secret }: Setting<unknown> = SETTINGS[name]
  if (secret === 'all') return '***'
  if (secret !== 'url' || !text.includes('//')) return text
  // A text that is not a URL may hold its password anywhere.
  if (!URL.canParse(text)) return text.replace(/\/\/.*$/s, '//***')
  // Up to the last @: the tail of a password with an unescaped @ must not show.
  return text.replace(/\/\/.*@/s, '//***@').replace(/([?&]password=)[^&]*/gi, '$1***')
}

/** A listener that may be off, shared with the main one, or separate. */
function besideMain(text: string): 'off' | 'same' | HostPort {
  const word = text.toLowerCase()
  return word === 'off' || word === 'same' ? word : parse.parseHostPort(text)
}

/** The machine's name if it may stand in EHLO, otherwise the one name that every machine has. */
function machineName(): string {
  const name = hostname().toLowerCase()
  try {
    return parse.parseHostName(name)
  } catch {
    return 'localhost'
  }
}

function databaseFrom(text: string): Database {
  const database = parse.parseDatabase(text)
  return database.engine === 'sqlite' ? { engine: 'sqlite', path: resolve(database.path) } : database
}

function deliveryThreads(): string {
  const processors = availableParallelism()
  return String(processors <= 2 ? 0 : Math.min(8, processors - 1))
}
