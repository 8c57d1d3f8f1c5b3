/** Settings of the section "Delivery": how mail leaves, and when it is tried again. */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseDelivery } from '../parse/delivery.ts'
import { parseNameServers } from '../parse/network.ts'
import {
  durationOrOff,
  integerWithin,
  parseCounts,
  parseDurations,
  parseFullMailbox,
} from '../parse/quantity.ts'
import { parseSourceAddresses } from '../parse/source-addresses.ts'
import { parseBoolean } from '../parse/word.ts'
import { setting } from '../setting.ts'

export const DELIVERY_SETTINGS = {
  POSTROAD_DELIVERY: setting({
    section: 'Delivery',
    field: 'delivery',
    parse: parseDelivery,
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
    parse: parseSourceAddresses,
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
    parse: parseCounts,
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
    parse: parseNameServers,
    default: null,
    defaultShown: "the system's",
    allowed: 'IP addresses separated by commas, each with :port if it is not 53',
    description: 'DNS servers to use.',
    example: '127.0.0.1,[::1]:5353',
  }),
  POSTROAD_DNS_VALIDATING: setting({
    section: 'Delivery',
    field: null,
    parse: parseNameServers,
    default: null,
    defaultShown: 'none',
    allowed: 'IP addresses separated by commas, each with :port if it is not 53',
    description:
      'DNS servers that validate answers with DNSSEC, and that nobody can impersonate on the way. DANE depends on them. ' +
      'DNS servers on a loopback address are trusted without being named. Where some are trusted, no others are asked. ' +
      'Each must be one of the servers in use, with the same port: if `POSTROAD_DNS_SERVERS` lacks it, the service does not start; if the system does, the log and `postroad doctor` say so.',
    example: '192.0.2.53',
  }),
  POSTROAD_SMTP_PORT: setting({
    section: 'Delivery',
    field: 'smtpPort',
    parse: integerWithin(1, 65_535),
    default: '25',
    allowed: '1 to 65535',
    description: 'Port that `direct` delivery connects to. Ports other than 25 are for tests only.',
    example: '2525',
  }),
  POSTROAD_RETRY_SCHEDULE: setting({
    section: 'Delivery',
    field: 'retrySchedule',
    parse: parseDurations,
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
    parse: durationOrOff('1m', '365d'),
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
    parse: parseFullMailbox,
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
    parse: parseBoolean,
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
    parse: parseBoolean,
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
    parse: integerWithin(1, 10_000),
    default: '200',
    allowed: '1 to 10000',
    description:
      'SMTP sessions open at once. Where companies wait for one, up to as many again replace those whose server does not answer a message.',
    example: '500',
  }),
  POSTROAD_SITE_CONCURRENCY: setting({
    section: 'Delivery',
    field: 'siteConcurrency',
    parse: integerWithin(1, 10_000),
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
    parse: integerWithin(1, 10_000),
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
    parse: integerWithin(0, 256),
    default: deliveryThreads,
    defaultShown: "one fewer than the machine's processors, at most 8; 0 on two processors",
    allowed: '0 to 256',
    description:
      'Threads that compose, sign and speak SMTP. With 0, the main thread does this, which takes the least memory and, on two processors, keeps acceptance and delivery in step.',
    example: '4',
  }),
}

function deliveryThreads(): string {
  const processors = availableParallelism()
  return String(processors <= 2 ? 0 : Math.min(8, processors - 1))
}
