/** The one table of settings: names, values, defaults, and descriptions. The reference page is generated from it. */
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import * as parse from './parse.ts'
import type { DatabaseSetting, HostPort } from './values.ts'

export type Section = 'Service' | 'Delivery' | 'Limits' | 'Storage and secrets' | 'Nodes' | 'Running'

export interface Setting<T> {
  section: Section
  /** The field of Settings; null: load.ts combines the setting with others into one field. */
  field: string | null
  /** Turns text into the value; throws SettingValueError. */
  parse: (text: string) => T
  /** Text for `parse` when nothing is set; null: the value is then null. */
  default: string | null | (() => string)
  /** Shown in place of the default on the reference page, when the default depends on the machine or has no text. */
  defaultShown?: string
  allowed: string
  description: string
  example: string
  /** The part that must never be shown: the whole value, or the password inside a URL, or inside those of a list. */
  secret?: 'all' | 'url' | 'proxies'
}

/** Declares a setting. The type parameters keep the types of its parsed value, its default and its field. */
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
    allowed: 'host:port; port 0 picks a free port; an empty host means every address of the machine',
    description: 'Address that the HTTP endpoints listen on.',
    example: '0.0.0.0:8587',
  }),
  POSTROAD_TLS_CERT: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; requires POSTROAD_TLS_KEY',
    description:
      'Certificate chain. With it, the service speaks HTTPS, which form clients require, and TLS for SMTP submission. ' +
      'The service reads it again when the file changes.',
    example: '/etc/postroad/fullchain.pem',
  }),
  POSTROAD_TLS_KEY: setting({
    section: 'Service',
    field: null,
    parse: (text) => resolve(text),
    default: null,
    allowed: 'path of a PEM file; requires POSTROAD_TLS_CERT',
    description: 'Private key of the certificate.',
    example: '/etc/postroad/privkey.pem',
  }),
  POSTROAD_SUBMISSION_LISTEN: setting({
    section: 'Service',
    field: null,
    parse: parse.parseSubmission,
    default: 'auto',
    allowed:
      '`auto`, `off`, or addresses separated by commas: `smtps://host:port` (implicit TLS; default port 465) and ' +
      '`smtp://host:port` (STARTTLS; default port 587); port 0 picks a free port, an empty host means every address of the machine; ' +
      '`smtp://...?tls=opportunistic` also accepts logins without TLS; `?proxy=on` expects the PROXY protocol (v1 or v2) from a load balancer; ' +
      '`smtp://...?login=off`, in capture mode only, accepts mail without a login',
    description:
      'Addresses for SMTP submission. `auto` means: in capture mode, if POSTROAD_LISTEN is an address that only this machine can ' +
      'reach, the ports 1025 and 2525 of that address without a login (a port that another program uses is skipped); otherwise `off`. ' +
      'Without a login (`?login=off`), mail is accepted from any From address and belongs to the oldest company. ' +
      'At all other addresses, programs log in with any user name and an API key as the password. They use the certificate of ' +
      'POSTROAD_TLS_CERT, and are served by nodes with the role `api`. Without TLS, only programs on this machine may log in, unless `?tls=opportunistic` states that the network in ' +
      'between is yours. Behind a load balancer, `?proxy=on` makes the address of the client count instead of the address of the balancer: then only ' +
      'proxies of POSTROAD_TRUSTED_PROXIES may connect, and each connection must begin with a PROXY protocol header.',
    example: 'smtps://0.0.0.0:465, smtp://0.0.0.0:587',
  }),
  POSTROAD_BOUNCE_LISTEN: setting({
    section: 'Service',
    field: 'bounceListeners',
    parse: parse.parseBounceListen,
    default: 'off',
    allowed:
      '`off`, or addresses separated by commas: `smtp://host:port` (STARTTLS; default port 25); port 0 picks a free port, an empty host ' +
      'means every address of the machine; `?proxy=on` expects the PROXY protocol (v1 or v2) from a load balancer',
    description:
      'Addresses that receive returned mail: bounces, complaints and automatic replies to return paths, and mail to `postmaster@`, `abuse@`, `fbl@` and `reports@` of ' +
      'their hosts and of POSTROAD_HOSTNAME. Everything else is refused, and nothing is sent in answer. The MX records of the return-path hosts point to the machine. With the certificate of ' +
      'POSTROAD_TLS_CERT, STARTTLS is offered. Nodes with the role `api` listen.',
    example: 'smtp://0.0.0.0:25',
  }),
  POSTROAD_BOUNCE_MAILBOX: setting({
    section: 'Service',
    field: 'bounceMailbox',
    parse: parse.parseMailbox,
    default: null,
    defaultShown: 'no mailbox is read',
    allowed:
      '`imaps://user:password@host[:port]/folder` (port 993, folder `INBOX`); `imap://...` (port 143, not encrypted) for a server on this machine',
    description:
      'Mailbox in which bounces and complaints arrive, for services that cannot receive mail on port 25. It is read over IMAP, by one node with the role ' +
      '`delivery` at a time, and messages that it has read are marked and stay in the mailbox. See [operations](operations.md#reading-bounces-from-a-mailbox).',
    example: 'imaps://bounces%40example.com:password@imap.example.com/INBOX',
    secret: 'url',
  }),
  POSTROAD_PUBLIC_URL: setting({
    section: 'Service',
    field: 'publicUrl',
    parse: parse.parseBaseUrl,
    default: null,
    defaultShown: 'the address that each client has called',
    allowed: '`http://` or `https://`, a host, and optionally a port and a path',
    description:
      'Where clients reach the service. Links in its answers (to files and to further pages) begin with this URL. If it is not set, they ' +
      'begin with the Host of the request, or with X-Forwarded-Proto and X-Forwarded-Host if a proxy of POSTROAD_TRUSTED_PROXIES ' +
      'sets them; links in webhooks then begin with the address of POSTROAD_LISTEN. Unsubscribe links in mail of the form ' +
      'dialect are added only if it is set.',
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
      'Proxies in front of the service that are trusted to name the client of a request: X-Forwarded-For is read from the right as ' +
      'far as these proxies wrote it, and X-Forwarded-Proto and X-Forwarded-Host are used in links. Required behind a proxy for keys that are restricted to source networks; without ' +
      'it, the address of the proxy counts.',
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
      'Name of this service in EHLO and in the SPF record that it suggests. For direct delivery it ' +
      "should resolve to the machine's address, and that address back to it. There it must be fully qualified: many mail servers refuse " +
      'other names.',
    example: 'mail.example.com',
  }),
  POSTROAD_BOUNCE_HOST: setting({
    section: 'Service',
    field: 'bounceHost',
    parse: parse.parseHostName,
    default: null,
    defaultShown: 'POSTROAD_HOSTNAME, where POSTROAD_BOUNCE_LISTEN is set; otherwise none',
    allowed: 'a host name',
    description:
      'Host name of the mail server that receives bounces. The MX records of return paths must name it. With it, `domain show` names a return path for every ' +
      'domain, and a domain whose records are right uses it in MAIL FROM. Set it if your own mail servers receive bounces and pass them on, and on nodes that do not listen.',
    example: 'bounces.mail.example.com',
  }),
  POSTROAD_DOMAIN_GRACE: setting({
    section: 'Service',
    field: 'domainGrace',
    parse: parse.durationWithin('1s', '90d'),
    default: '3d',
    allowed: 'a duration from 1s to 90d',
    description:
      'How long a domain whose DKIM records have vanished from DNS may still send. Then its mail is held until DNS has ' +
      'them again, or `domain activate` is run. DNS that does not answer changes nothing.',
    example: '7d',
  }),
  POSTROAD_DKIM_ZONE: setting({
    section: 'Service',
    field: 'dkimZone',
    parse: parse.parseHostName,
    default: null,
    defaultShown: 'none: each domain publishes its DKIM keys itself',
    allowed: 'a domain name',
    description:
      'Zone of yours in which the DKIM keys of domains are published. The owner of a domain then publishes two CNAME records once, and keys are ' +
      'replaced without the owner. `domain zone` prints the records of the zone. Applies to new domains, and to those that move with `domain update --dkim cname`.',
    example: 'dkim.example.net',
  }),
  POSTROAD_DKIM_ROTATION: setting({
    section: 'Service',
    field: 'dkimRotation',
    parse: parse.durationOrOff('8d', '1825d'),
    default: '180d',
    allowed: '`off`, or a duration from 8d to 1825d',
    description:
      'How long a DKIM key in POSTROAD_DKIM_ZONE signs mail before the service switches to the next key. It switches only after DNS has had the record of the next ' +
      'key for an hour. `domain update --dkim-rotation` sets it for one domain.',
    example: '90d',
  }),
  POSTROAD_CONSOLE_LISTEN: setting({
    section: 'Service',
    field: 'console',
    parse: besideMain,
    default: 'same',
    allowed: '`same` (on POSTROAD_LISTEN), `off`, or host:port',
    description:
      'Where the console is served, under `/console/`. With its own address, it is served only there, so that you can keep it inside ' +
      'your own network, and nothing else is served there; it also uses the certificate of POSTROAD_TLS_CERT. Nodes with the role `api` serve it.',
    example: '127.0.0.1:8588',
  }),
  POSTROAD_SESSION_LIFETIME: setting({
    section: 'Service',
    field: 'sessionLifetime',
    parse: parse.durationWithin('5m', '365d'),
    default: '30d',
    allowed: 'a duration from 5m to 365d',
    description:
      'Longest time that people stay signed in to the console, however much they use it. An unused session ends after 14 days ' +
      'at the latest. A change also applies to existing sessions.',
    example: '7d',
  }),
  POSTROAD_METRICS_LISTEN: setting({
    section: 'Service',
    field: 'metrics',
    parse: besideMain,
    default: 'off',
    allowed: '`off`, `same` (on POSTROAD_LISTEN), or host:port',
    description: 'Where `/metrics` (Prometheus text format) is served. It needs no key.',
    example: '127.0.0.1:9587',
  }),
  POSTROAD_SYSTEM_FROM: setting({
    section: 'Service',
    field: 'systemFrom',
    parse: parse.parseAddress,
    default: null,
    defaultShown: 'the service sends no mail of its own',
    allowed: 'an address of a domain that sends',
    description:
      'Sender of the mail that the service itself sends: alerts (POSTROAD_ALERT_TO), invitations, links for forgotten passwords (with POSTROAD_PUBLIC_URL), ' +
      'and TLS reports. The mail is sent through the service, and belongs to the company of the domain.',
    example: 'postroad@example.com',
  }),
  POSTROAD_ALERT_TO: setting({
    section: 'Service',
    field: 'alertTo',
    parse: parse.parseAddresses,
    default: null,
    defaultShown: 'nobody',
    allowed: 'addresses separated by commas; requires POSTROAD_SYSTEM_FROM',
    description:
      'Addresses that get a mail when a check of `postroad doctor` finds a problem, and another when the problem is over. ' +
      'Each mail is sent once, however many nodes there are.',
    example: 'ops@example.com',
  }),
  POSTROAD_ALERT_WEBHOOK: setting({
    section: 'Service',
    field: 'alertWebhook',
    parse: parse.parseHttpUrl,
    default: null,
    defaultShown: 'none',
    allowed: 'a URL, `http://` or `https://`',
    description:
      'URL that gets the same alerts as JSON, in a POST request. The field `text` is a sentence for chat programs. A URL in a private network requires ' +
      'POSTROAD_ALLOW_PRIVATE_NETWORKS.',
    example: 'https://hooks.example.com/postroad',
    secret: 'all',
  }),
  POSTROAD_OIDC_ISSUER: setting({
    section: 'Service',
    field: null,
    parse: parse.parseIssuer,
    default: null,
    defaultShown: 'no sign-in with a provider',
    allowed: 'the issuer of an OpenID Connect provider, an https:// URL; requires POSTROAD_OIDC_CLIENT_ID',
    description:
      'OpenID Connect provider that people can use to sign in to the console. Register the redirect URI `/console/sign-in` under ' +
      'POSTROAD_PUBLIC_URL with the provider. Signing in does not create accounts: people must be invited, and are recognized by the email address that the provider has verified. ' +
      'A provider on a private network, or without TLS, requires POSTROAD_ALLOW_PRIVATE_NETWORKS.',
    example: 'https://login.example.com/realms/staff',
  }),
  POSTROAD_OIDC_CLIENT_ID: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text',
    description: 'Client id of the service at the OpenID Connect provider.',
    example: 'postroad',
  }),
  POSTROAD_OIDC_CLIENT_SECRET: setting({
    section: 'Service',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'text',
    description: 'Client secret at the provider, if it has one. PKCE is used in either case.',
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
      'How mail is delivered. `capture` keeps every message inside the service, composed and signed as it would have been sent. `direct` ' +
      'delivers to the mail servers of each recipient domain. A URL sends everything to that relay: smtp:// encrypts if the ' +
      'relay offers it, smtps:// always encrypts and verifies the certificate.',
    example: 'smtp://user:password@relay.example.com:587?tls=verified',
    secret: 'url',
  }),
  POSTROAD_SOURCE_ADDRESSES: setting({
    section: 'Delivery',
    field: 'sourceAddresses',
    parse: parse.parseSourceAddresses,
    default: null,
    defaultShown: "the system's choice, with POSTROAD_HOSTNAME in EHLO",
    allowed:
      'IP addresses with their names in EHLO, `address=name`, separated by commas; an address of another machine with the proxy to it, ' +
      '`address=name via socks5://[user:password@]host[:port]` (port 1080) or `address=name via proxy://host:port`',
    description:
      'Addresses that `direct` delivery connects from. Each name should resolve to its address, and the address back to it. An IPv4 and an IPv6 address with the ' +
      'same name are one source. `via` names the proxy on the machine that has the address: `socks5://` speaks SOCKS5, `proxy://` the PROXY protocol (v2). Mail spreads over all sources, unless [pools](operations.md#source-addresses-and-pools) assign some of them ' +
      'to domains or companies.',
    example:
      '192.0.2.1=mail1.example.com,[2001:db8::1]=mail1.example.com,203.0.113.7=mail2.example.com via socks5://user:password@10.0.0.5:1080',
    secret: 'proxies',
  }),
  POSTROAD_WARM_UP: setting({
    section: 'Delivery',
    field: 'warmUp',
    parse: parse.parseCounts,
    default: '50,100,500,1000,5000,10000,20000,40000,70000,100000',
    allowed: 'whole numbers separated by commas',
    description:
      'Messages that a source address in warm-up may send to one site on its first day, its second day and so on, in UTC. After the last ' +
      'day there is no limit. `pool warm-up` begins it.',
    example: '100,200,400,800,1600,3200',
  }),
  POSTROAD_DNS_SERVERS: setting({
    section: 'Delivery',
    field: null,
    parse: parse.parseNameServers,
    default: null,
    defaultShown: "the system's",
    allowed: 'IP addresses separated by commas, each with :port if it is not 53',
    description: 'DNS servers to use.',
    example: '127.0.0.1,[::1]:5353',
  }),
  POSTROAD_DNS_VALIDATING: setting({
    section: 'Delivery',
    field: null,
    parse: parse.parseNameServers,
    default: null,
    defaultShown: 'none',
    allowed: 'IP addresses separated by commas, each with :port if it is not 53',
    description:
      'DNS servers that validate answers with DNSSEC, and that nobody can impersonate on the way. DANE depends on them. ' +
      'DNS servers on a loopback address are trusted without being named. Where some are trusted, no others are asked.',
    example: '192.0.2.53',
  }),
  POSTROAD_SMTP_PORT: setting({
    section: 'Delivery',
    field: 'smtpPort',
    parse: parse.integerWithin(1, 65_535),
    default: '25',
    allowed: '1 to 65535',
    description: 'Port that `direct` delivery connects to. Ports other than 25 are for tests only.',
    example: '2525',
  }),
  POSTROAD_RETRY_SCHEDULE: setting({
    section: 'Delivery',
    field: 'retrySchedule',
    parse: parse.parseDurations,
    default: '2m,5m,15m,1h,2h,4h,8h,12h,16h,20h,24h,24h',
    allowed: 'durations separated by commas, each from 1s to 30d',
    description:
      'Waits between the attempts for a recipient whose server could not be reached or answered with a temporary error. Each wait is extended by up to a ' +
      'tenth at random, so that mail delayed by an outage does not return all at once. After the last attempt the recipient ' +
      'fails: with the default after four and a half days at the earliest (RFC 5321 4.5.4.1).',
    example: '5m,30m,2h,8h,24h',
  }),
  POSTROAD_DELIVER_WITHIN: setting({
    section: 'Delivery',
    field: 'deliverWithin',
    parse: parse.durationOrOff('1m', '365d'),
    default: 'off',
    allowed: '`off`, or 1m to 365d',
    description:
      'The longest time that mail is tried for, from its acceptance or the time that it was scheduled for; Postfix calls it maximal_queue_lifetime. It ends every wait, ' +
      'including that for a closed path or a paused site; mail of a paused company or domain is looked at when the pause ends. A shorter `o:deliver-within` takes precedence. It holds for mail that waits ' +
      'already: that fails at its next attempt. Mail whose next attempt would come after the end fails without it. `off`: the retry schedule alone decides.',
    example: '5d',
  }),
  POSTROAD_MAILBOX_FULL_REPORTS: setting({
    section: 'Delivery',
    field: 'fullMailbox',
    parse: parse.parseFullMailbox,
    default: '3 in 14d',
    allowed: '`off`, or a number from 1 to 100 and a duration from 1h to 90d: `3 in 14d`',
    description:
      'An address is suppressed after this many final refusals because of a full mailbox within this time, because nobody uses a mailbox that stays full. ' +
      'Both refusals of an attempt and reports that arrive later count. Removing the address from the list resets the count.',
    example: '5 in 30d',
  }),
  POSTROAD_SOFT_BOUNCE: setting({
    section: 'Delivery',
    field: 'softBounce',
    parse: parse.parseBoolean,
    default: 'false',
    allowed: '`true` or `false`',
    description:
      'For use during setup: a permanent refusal is treated as a temporary one and retried. Nothing bounces, and no ' +
      'address is suppressed, until the retry schedule ends.',
    example: 'true',
  }),
  POSTROAD_ALLOW_PRIVATE_NETWORKS: setting({
    section: 'Delivery',
    field: 'allowPrivateNetworks',
    parse: parse.parseBoolean,
    default: 'false',
    allowed: '`true` or `false`',
    description:
      'Lets direct delivery, webhooks and remote attachments reach private and loopback addresses. For tests: with it, requests of a ' +
      'company can choose which machines of your network the service connects to.',
    example: 'true',
  }),
  POSTROAD_CONCURRENCY: setting({
    section: 'Delivery',
    field: 'concurrency',
    parse: parse.integerWithin(1, 10_000),
    default: '200',
    allowed: '1 to 10000',
    description:
      'SMTP sessions open at once. Where companies wait for one, up to as many again replace those whose server does not answer a message.',
    example: '500',
  }),
  POSTROAD_SITE_CONCURRENCY: setting({
    section: 'Delivery',
    field: 'siteConcurrency',
    parse: parse.integerWithin(1, 10_000),
    default: '20',
    allowed: '1 to 10000',
    description:
      'SMTP sessions open at once to one site (the mail servers that several domains share, or a relay). All delivery nodes together share this limit. ' +
      'If you run the relay yourself, you can set more than the default.',
    example: '100',
  }),
  POSTROAD_SITES: setting({
    section: 'Delivery',
    field: 'sites',
    parse: (text) => resolve(text),
    default: null,
    defaultShown: 'the built-in limits for large providers',
    allowed: 'path of a TOML file with `[default]` and `[[site]]`',
    description:
      'Limits of sites of direct delivery, which override the built-in ones: sessions, messages per session, minute and hour, recipients per transaction, TLS, ' +
      "and what a site's own replies mean. The file is read again when it changes. See [operations](operations.md#limits-of-large-providers).",
    example: '/etc/postroad/sites.toml',
  }),
  POSTROAD_MAX_UNRECORDED: setting({
    section: 'Delivery',
    field: 'maxUnrecorded',
    parse: parse.integerWithin(1, 10_000),
    default: '64',
    allowed: '1 to 10000',
    description:
      'Messages that a node may have transmitted to servers before their results are in the database. At most this many can be sent twice if the node ' +
      'is killed while the database does not answer. Servers that take more than a second to answer are counted separately: see ' +
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
      'Threads that compose, sign and speak SMTP. With 0, the main thread does this, which takes the least memory and, on two processors, keeps acceptance and delivery in step.',
    example: '4',
  }),
  POSTROAD_MEMORY: setting({
    section: 'Limits',
    field: 'memory',
    parse: parse.sizeWithin('300MB', '1TB'),
    default: '600MB',
    allowed:
      '300MB to 1TB; at least enough for one message of POSTROAD_MAX_MESSAGE_SIZE: about 150 MB plus six times its size',
    description:
      'Memory that the process may use. It sets the limits for everything that grows with load: connections, concurrent requests, their bodies, mail being delivered. Beyond a limit, work waits or is answered with 429 or 503 and `retry-after`. More memory lets more large messages be processed at once.',
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
      'Requests per second that one API key may make; further requests are answered with 429 and `retry-after`.',
    example: '100',
  }),
  POSTROAD_REQUEST_TIMEOUT: setting({
    section: 'Limits',
    field: 'requestTimeout',
    parse: parse.durationWithin('1s', '1h'),
    default: '60s',
    allowed: '1s to 1h',
    description: 'Longest time that a client may take to send one request.',
    example: '120s',
  }),
  POSTROAD_DATABASE_URL: setting({
    section: 'Storage and secrets',
    field: 'database',
    parse: databaseFrom,
    default: 'sqlite:./data/postroad.db',
    allowed:
      '`sqlite:<path>` (relative to the working directory) or `postgres://...`; TLS with `?sslmode=` `disable`, `require` (encrypted, any certificate), `verify-ca` or `verify-full`',
    description: 'Database that holds all data. The directory of an SQLite file is created if it is missing.',
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
      'Encrypts DKIM private keys and other secrets in the database. If it is not set, the first start creates a key and keeps it beside ' +
      'the database, readable by its owner only. Nodes that share a database need the same key. Keep a copy: without the key, these secrets are lost.',
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
  POSTROAD_RETENTION_API_LOG: setting({
    section: 'Storage and secrets',
    field: 'apiLogRetention',
    parse: parse.durationWithin('1m', '365d'),
    default: '7d',
    allowed: '1m to 365d',
    description:
      'How long API requests and their answers are kept, for the page "API requests" and `postroad request list`. ' +
      'Of each company at most the newest 20,000 refused and 20,000 other requests are kept.',
    example: '30d',
  }),
  POSTROAD_RETENTION_INBOUND: setting({
    section: 'Storage and secrets',
    field: 'inboundRetention',
    parse: parse.durationWithin('1m', '365d'),
    default: '30d',
    allowed: '1m to 365d',
    description:
      'How long returned mail (bounces, complaints, automatic replies) is kept, for the page "Returned mail" and `postroad bounce list`. Its ' +
      'events belong to the emails and stay. Of mail that changed nothing, at most the newest 2,000 of each outcome are kept.',
    example: '90d',
  }),
  POSTROAD_ROLES: setting({
    section: 'Nodes',
    field: 'roles',
    parse: parse.someOf(['api', 'delivery']),
    default: 'api,delivery',
    allowed: '`api`, `delivery`, or both, separated by a comma; with SQLite always both',
    description:
      'What this node does: `api` accepts mail over HTTP and SMTP, `delivery` delivers it. Several nodes can share a ' +
      'PostgreSQL database, each with its own roles. A node without `api` still serves `/health`, `/ready` and `/metrics`.',
    example: 'delivery',
  }),
  POSTROAD_NODE_NAME: setting({
    section: 'Nodes',
    field: 'nodeName',
    parse: parse.nameUpTo(100),
    default: null,
    defaultShown: "the host's name, with a number where several nodes run on it",
    allowed: '1 to 100 characters',
    description:
      'Name of this node in `postroad node list` and in the logs of other nodes. On PostgreSQL, a node that was killed and is started ' +
      'again on the same machine under the same name resumes its own work at once. Give each node its own name.',
    example: 'delivery-2',
  }),
  POSTROAD_NODE_DIRECTORY: setting({
    section: 'Nodes',
    field: 'nodeDirectory',
    parse: (text) => resolve(text),
    default: null,
    defaultShown: "`postroad-<user id>` in the system's temporary folder",
    allowed: 'path of a directory on a local file system of this machine; created if it is missing',
    description:
      'Where a node keeps the file that tells it, when it is started again, whether the previous process has ended. ' +
      'Set it if the temporary directory does not outlive the process (`PrivateTmp=` of systemd, a recreated container). ' +
      'No effect with SQLite.',
    example: '/var/lib/postroad/nodes',
  }),
  POSTROAD_NODE_TIMEOUT: setting({
    section: 'Nodes',
    field: 'nodeTimeout',
    parse: parse.durationWithin('1s', '10m'),
    default: '30s',
    allowed: '1s to 10m',
    description:
      'How long a node may be silent before other nodes take over its work. A node that cannot reach the database ' +
      'for this long stops sending slightly earlier. No effect with SQLite.',
    example: '10s',
  }),
  POSTROAD_LOG_LEVEL: setting({
    section: 'Running',
    field: 'logLevel',
    parse: parse.oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    allowed: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    description: 'Lowest level that is logged. Logs go to stdout, as JSON lines unless stdout is a terminal.',
    example: 'debug',
  }),
  POSTROAD_SHUTDOWN_TIMEOUT: setting({
    section: 'Running',
    field: 'shutdownTimeout',
    parse: parse.durationWithin('0s', '1h'),
    default: '30s',
    allowed: '0s to 1h',
    description:
      'Longest time that a stop waits for open SMTP transactions; deliveries that are not finished by then return to the queue.',
    example: '60s',
  }),
  POSTROAD_CONFIG: setting({
    section: 'Running',
    field: null,
    parse: (text) => text,
    default: null,
    allowed: 'path of a JSON file with one object, whose names are those of this page',
    description: 'File with further settings. The environment and `.env` take precedence over it.',
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

/** The value of each setting, by its field. */
export type SettingFields = {
  [N in SettingName as NonNullable<(typeof SETTINGS)[N]['field']>]: SettingValues[N]
}

/** Text of the default, null when there is none. */
export function defaultOf(name: SettingName): string | null {
  const value: Setting<unknown>['default'] = SETTINGS[name].default
  return typeof value === 'function' ? value() : value
}

/** The text of a value for display: secrets are masked. */
export function maskSecret(name: SettingName, text: string): string {
  const { secret }: Setting<unknown> = SETTINGS[name]
  if (secret === 'all') return '***'
  if (secret === 'url') return maskUrl(text)
  if (secret === undefined) return text
  // After a misplaced comma, the text up to an @ may be the rest of a password.
  const items = text.split(/,(?=\s*\[?[0-9a-f.:]+\]?\s*=)/i)
  return items.map((item) => (/^[^/]*@/.test(item) ? '***' : maskUrl(item))).join(',')
}

function maskUrl(text: string): string {
  if (!text.includes('//')) return text
  const [url = ''] = /\w+:\/\/.*$/s.exec(text) ?? []
  // A text that is not a URL may hold its password anywhere.
  if (!URL.canParse(url)) return text.replace(/\/\/.*$/s, '//***')
  // Masks up to the last @, because a password may contain an unescaped @.
  return text.replace(/\/\/.*@/s, '//***@').replace(/([?&]password=)[^&]*/gi, '$1***')
}

/** A listener that may be off, shared with the main one, or separate. */
function besideMain(text: string): 'off' | 'same' | HostPort {
  const word = text.toLowerCase()
  return word === 'off' || word === 'same' ? word : parse.parseHostPort(text)
}

/** The machine's name if it is valid in EHLO, otherwise `localhost`. */
function machineName(): string {
  const name = hostname().toLowerCase()
  try {
    return parse.parseHostName(name)
  } catch {
    return 'localhost'
  }
}

function databaseFrom(text: string): DatabaseSetting {
  const database = parse.parseDatabase(text)
  return database.engine === 'sqlite' ? { engine: 'sqlite', path: resolve(database.path) } : database
}

function deliveryThreads(): string {
  const processors = availableParallelism()
  return String(processors <= 2 ? 0 : Math.min(8, processors - 1))
}
