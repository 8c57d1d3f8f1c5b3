import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { configurationPage } from '../../scripts/configuration-page.ts'
import { type Environment, effectiveSettings, loadSettings } from '../../src/config/load.ts'
import { SETTING_NAMES } from '../../src/config/schema.ts'
import { SettingsError } from '../../src/config/settings-error.ts'

const load = (env: Environment) => loadSettings(env, { envFile: null })

const WITH_LOGIN = { withoutLogin: false, optional: false }
const capturing = (host: string, port: number) => {
  const listener = { host, port, implicitTls: false, clearLogin: false, proxied: false }
  return { ...listener, withoutLogin: true, optional: true }
}

function refusal(env: Environment): string {
  try {
    load(env)
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error))
    return error.message
  }
  return assert.fail(`${JSON.stringify(env)} was taken`)
}

describe('settings', () => {
  test('all have a default that is allowed', () => {
    const settings = load({})
    assert.deepEqual(settings.listen, { host: '127.0.0.1', port: 8587 })
    assert.deepEqual(settings.database, { engine: 'sqlite', path: resolve('data/postroad.db') })
    assert.deepEqual(settings.delivery, { kind: 'capture' })
    assert.equal(settings.maxMessageSize, 40 * 1024 * 1024)
    assert.equal(settings.maxRecipients, 1000)
    assert.equal(settings.rateLimit, null)
    assert.equal(settings.metrics, 'off')
    assert.equal(settings.tls, null)
    assert.equal(settings.secretKey, null)
    assert.equal(settings.requestTimeout, 60_000)
    assert.equal(settings.shutdownTimeout, 30_000)
    assert.equal(settings.contentRetention, 30 * 86_400_000)
    assert.equal(settings.emailRetention, 90 * 86_400_000)
    assert.deepEqual([settings.concurrency, settings.siteConcurrency], [200, 20])
    assert.deepEqual(settings.dnsServers, [])
    assert.deepEqual(
      settings.retrySchedule.map((wait) => wait / 60_000),
      [2, 5, 15, 60, 120, 240, 480, 720, 960, 1200, 1440, 1440],
    )
  })

  const taken: [Environment, string, unknown][] = [
    [{ POSTROAD_LISTEN: '[::1]:80' }, 'listen', { host: '::1', port: 80 }],
    [{ POSTROAD_LISTEN: ':0' }, 'listen', { host: '::', port: 0 }],
    [{ POSTROAD_LISTEN: 'localhost:9' }, 'listen', { host: 'localhost', port: 9 }],
    [{ POSTROAD_LISTEN: '' }, 'listen', { host: '127.0.0.1', port: 8587 }],
    [
      {
        POSTROAD_SOURCE_ADDRESSES:
          '192.0.2.1=Mail1.test, [2001:DB8::1]=mail1.test via socks5://u%40:p%2C@10.0.0.5,192.0.2.2=mail2.test via PROXY://[fd00::5]:2525',
      },
      'sourceAddresses',
      [
        { address: '192.0.2.1', helo: 'mail1.test' },
        {
          address: '2001:db8::1',
          helo: 'mail1.test',
          proxy: { protocol: 'socks5', host: '10.0.0.5', port: 1080, user: 'u@', password: 'p,' },
        },
        {
          address: '192.0.2.2',
          helo: 'mail2.test',
          proxy: { protocol: 'proxy', host: 'fd00::5', port: 2525, user: null, password: null },
        },
      ],
    ],
    [{ POSTROAD_PUBLIC_URL: 'HTTPS://Mail.example.com/' }, 'publicUrl', 'https://mail.example.com'],
    [{ POSTROAD_PUBLIC_URL: 'http://h.test:8080/mail/' }, 'publicUrl', 'http://h.test:8080/mail'],
    [{ POSTROAD_DATABASE_URL: 'sqlite:/a/b c.db' }, 'database', { engine: 'sqlite', path: '/a/b c.db' }],
    [{ POSTROAD_DATABASE_URL: 'sqlite:///a/b.db' }, 'database', { engine: 'sqlite', path: '/a/b.db' }],
    [
      { POSTROAD_DATABASE_URL: 'postgres://u:p@h/d' },
      'database',
      { engine: 'postgres', url: 'postgres://u:p@h/d' },
    ],
    [
      { POSTROAD_DATABASE_URL: 'postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/ca.pem' },
      'database',
      { engine: 'postgres', url: 'postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/ca.pem' },
    ],
    [
      // Of these only libpq knows; another program may use the same URL.
      { POSTROAD_DATABASE_URL: 'postgres://h/d?connect_timeout=5&target_session_attrs=read-write' },
      'database',
      { engine: 'postgres', url: 'postgres://h/d?connect_timeout=5&target_session_attrs=read-write' },
    ],
    [
      // As libpq understands it: encrypted, whatever the certificate.
      { POSTROAD_DATABASE_URL: 'postgres://u:p@h/d?sslmode=require' },
      'database',
      { engine: 'postgres', url: 'postgres://u:p@h/d?sslmode=require&uselibpqcompat=true' },
    ],
    [{ POSTROAD_DELIVERY: 'Direct', POSTROAD_HOSTNAME: 'mail.example.com' }, 'delivery', { kind: 'direct' }],
    [{ POSTROAD_RETRY_SCHEDULE: '30s, 1.5h' }, 'retrySchedule', [30_000, 5_400_000]],
    [
      { POSTROAD_MAILBOX_FULL_REPORTS: '5 in 30d' },
      'fullMailbox',
      { refusals: 5, withinMs: 30 * 86_400_000 },
    ],
    [{ POSTROAD_MAILBOX_FULL_REPORTS: 'off' }, 'fullMailbox', null],
    [{}, 'fullMailbox', { refusals: 3, withinMs: 14 * 86_400_000 }],
    [{ POSTROAD_DNS_SERVERS: '127.0.0.1:5353,::1,[::1]:53' }, 'dnsServers', ['127.0.0.1:5353', '::1', '::1']],
    [
      {
        POSTROAD_DNS_SERVERS: '192.0.2.53:53,[2001:DB8:0::53]:5300,fe80::1%eth0',
        POSTROAD_DNS_VALIDATING: '192.0.2.53,[2001:db8::53]:5300,fe80::1%eth0',
      },
      'dnsValidating',
      ['192.0.2.53', '[2001:db8::53]:5300', 'fe80::1%eth0'],
    ],
    [{ POSTROAD_DNS_VALIDATING: '192.0.2.53' }, 'dnsValidating', ['192.0.2.53']],
    [{ POSTROAD_SECRET_KEY: 'ab'.repeat(32) }, 'secretKey', Buffer.alloc(32, 0xab)],
    [{ POSTROAD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }, 'secretKey', Buffer.alloc(32, 7)],
    [{ POSTROAD_ALLOW_PRIVATE_NETWORKS: 'yes' }, 'allowPrivateNetworks', true],
    [{ POSTROAD_RATE_LIMIT: '5' }, 'rateLimit', 5],
    [{ POSTROAD_MAX_MESSAGE_SIZE: '1.5mb' }, 'maxMessageSize', 1_572_864],
    [{ POSTROAD_METRICS_LISTEN: '127.0.0.1:1' }, 'metrics', { host: '127.0.0.1', port: 1 }],
    [{}, 'submission', [capturing('127.0.0.1', 1_025), capturing('127.0.0.1', 2_525)]],
    [{ POSTROAD_LISTEN: '[::1]:80' }, 'submission', [capturing('::1', 1_025), capturing('::1', 2_525)]],
    [{ POSTROAD_LISTEN: '0.0.0.0:80', POSTROAD_SUBMISSION_LISTEN: 'AUTO' }, 'submission', []],
    [{ POSTROAD_DELIVERY: 'smtp://relay.test' }, 'submission', []],
    [
      { POSTROAD_LISTEN: '0.0.0.0:80', POSTROAD_SUBMISSION_LISTEN: 'smtp://0.0.0.0:1026?login=off' },
      'submission',
      [{ ...capturing('0.0.0.0', 1_026), optional: false }],
    ],
    [{ POSTROAD_SUBMISSION_LISTEN: 'OFF' }, 'submission', []],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1', POSTROAD_LISTEN: '0.0.0.0:80' },
      'submission',
      [
        {
          host: '127.0.0.1',
          port: 587,
          implicitTls: false,
          clearLogin: false,
          proxied: false,
          ...WITH_LOGIN,
        },
      ],
    ],
    [
      {
        POSTROAD_SUBMISSION_LISTEN: 'smtps://:465, SMTP://[::1]:2525/?tls=required,smtps://mail.test',
        POSTROAD_TLS_CERT: '/c.pem',
        POSTROAD_TLS_KEY: '/k.pem',
      },
      'submission',
      [
        { host: '::', port: 465, implicitTls: true, clearLogin: false, proxied: false, ...WITH_LOGIN },
        { host: '::1', port: 2525, implicitTls: false, clearLogin: false, proxied: false, ...WITH_LOGIN },
        { host: 'mail.test', port: 465, implicitTls: true, clearLogin: false, proxied: false, ...WITH_LOGIN },
      ],
    ],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://10.0.0.5:25?tls=opportunistic' },
      'submission',
      [{ host: '10.0.0.5', port: 25, implicitTls: false, clearLogin: true, proxied: false, ...WITH_LOGIN }],
    ],
    [
      {
        POSTROAD_SUBMISSION_LISTEN: 'smtp://10.0.0.5:25?tls=opportunistic&proxy=on',
        POSTROAD_TRUSTED_PROXIES: '10.0.0.1',
      },
      'submission',
      [{ host: '10.0.0.5', port: 25, implicitTls: false, clearLogin: true, proxied: true, ...WITH_LOGIN }],
    ],
    [{ POSTROAD_DELIVERY_THREADS: '0' }, 'deliveryThreads', 0],
    [{ POSTROAD_HOSTNAME: 'Mail.Example.COM' }, 'hostname', 'mail.example.com'],
    [
      { POSTROAD_TLS_CERT: '/c.pem', POSTROAD_TLS_KEY: '/k.pem' },
      'tls',
      { certPath: '/c.pem', keyPath: '/k.pem' },
    ],
  ]
  for (const [env, field, value] of taken) {
    test(`take ${JSON.stringify(env)}`, () => {
      assert.deepEqual(load(env)[field as keyof ReturnType<typeof load>], value)
    })
  }

  const mailboxes: [string, Record<string, unknown>][] = [
    ['imaps://user:secret@mail.test', { port: 993, implicitTls: true, folder: 'INBOX' }],
    ['imaps://user:secret@mail.test:1993/INBOX', { port: 1993, folder: 'INBOX' }],
    ['imaps://us%40er:p%3Aa%25ss@mail.test/Bounces/Zur%C3%BCck', { user: 'us@er', password: 'p:a%ss' }],
    ['imaps://user:secret@mail.test/Bounces/Zur%C3%BCck', { folder: 'Bounces/Zurück' }],
    ['imap://user:secret@127.0.0.1', { host: '127.0.0.1', port: 143, implicitTls: false }],
    ['imap://user:secret@[::1]:1143/', { host: '::1', port: 1143, folder: 'INBOX' }],
    ['IMAP://user:secret@localhost', { host: 'localhost' }],
  ]
  for (const [text, expected] of mailboxes) {
    test(`take the mailbox ${text}`, () => {
      const { bounceMailbox } = load({ POSTROAD_BOUNCE_MAILBOX: text })
      assert.deepEqual({ ...bounceMailbox, ...expected }, bounceMailbox)
    })
  }

  const noMailboxes: [string, RegExp][] = [
    ['imap://user:secret@mail.test', /imap:\/\/ is not encrypted/],
    ['pop3s://user:secret@mail.test', /read over IMAP, not over POP3/],
    ['imaps://mail.test/INBOX', /needs user:password@/],
    ['imaps://user@mail.test/INBOX', /needs user:password@/],
    ['imaps://user:sec?ret@mail.test/INBOX', /not a valid URL|must end with the folder|needs user/],
    ['imaps://user:sec#ret@mail.test/INBOX', /not a valid URL|must end with the folder|needs user/],
    ['imaps://user:secret@/INBOX', /not a valid URL|host of the mailbox/],
  ]
  for (const [text, words] of noMailboxes) {
    test(`refuse the mailbox ${text}, and do not show its password`, () => {
      const sentence = refusal({ POSTROAD_BOUNCE_MAILBOX: text })
      assert.match(sentence, words)
      assert.doesNotMatch(sentence, /secret|sec\Wret/)
    })
  }

  const relays: [string, Record<string, unknown>][] = [
    [
      'smtp://relay.test',
      { port: 25, implicitTls: false, tls: 'opportunistic', user: null, password: null, auth: null },
    ],
    ['smtps://relay.test', { port: 465, implicitTls: true, tls: 'verified' }],
    ['smtps://relay.test/?tls=required', { port: 465, implicitTls: true, tls: 'required' }],
    [
      'smtp://us%40er:p%3Aa%25ss@relay.test:587?tls=verified&auth=cram-md5',
      { port: 587, tls: 'verified', user: 'us@er', password: 'p:a%ss', auth: 'cram-md5' },
    ],
    ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
  ]
  for (const [text, expected] of relays) {
    test(`take the relay ${text}`, () => {
      const { delivery } = load({ POSTROAD_DELIVERY: text })
      assert.deepEqual({ ...delivery, ...expected }, delivery)
      assert.equal(delivery.kind, 'relay')
    })
  }

  const refused: [Environment, RegExp][] = [
    [{ POSTROAD_LISTEN: '8587' }, /POSTROAD_LISTEN is "8587".*host:port/],
    [{ POSTROAD_LISTEN: '127.0.0.1:70000' }, /port 70000 is not between/],
    [{ POSTROAD_LISTEN: '[1.2.3.4]:80' }, /not an IPv6 address/],
    [{ POSTROAD_DATABASE_URL: 'mysql://x' }, /sqlite:.*postgres:/],
    [{ POSTROAD_DATABASE_URL: 'sqlite:' }, /path of the file is missing/],
    [{ POSTROAD_DATABASE_URL: 'postgres://h/d?sslmode=prefer' }, /disable, require, verify-ca, verify-full/],
    [{ POSTROAD_DATABASE_URL: 'postgres://h/d?sslmode=verify-ca' }, /sslrootcert/],
    [{ POSTROAD_DATABASE_URL: 'postgres://h/d?port=70000' }, /port 70000 is not between/],
    [{ POSTROAD_DATABASE_URL: 'postgres://h/d?foo=1' }, /"\?foo=" is not an option of a PostgreSQL URL/],
    [{ POSTROAD_DATABASE_URL: 'postgres://h/d?port=5432&SSLMODE=require' }, /"\?SSLMODE=" is not/],
    [{ POSTROAD_DATABASE_URL: 'postgres://u:p%q@h/d' }, /percent sign as %25/],
    [{ POSTROAD_DELIVERY: 'smtp' }, /POSTROAD_DELIVERY is "smtp"/],
    [{ POSTROAD_DELIVERY: 'smtp://r.test?tls=maybe' }, /off, opportunistic, required, verified/],
    [{ POSTROAD_DELIVERY: 'smtps://r.test?tls=off' }, /contradicts/],
    [{ POSTROAD_DELIVERY: 'smtp://r.test?auth=plain' }, /no user:password/],
    [{ POSTROAD_DELIVERY: 'smtp://r.test/path' }, /has no path/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1' }, /"192\.0\.2\.1" must be an IP address with its name/],
    [
      { POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via' },
      /the proxy of 192\.0\.2\.1 must be a URL like socks5:/,
    ],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via http://h:1' }, /must be a URL like socks5:/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via proxy://h' }, /needs a port/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via proxy://u:p@h:1' }, /PROXY protocol cannot carry/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via socks5://u@h' }, /both a user and a password/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via socks5://h/x' }, /must end with its host or port/],
    [{ POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=a.test via socks5://h via socks5://i' }, /not a valid URL/],
    [{ POSTROAD_RETRY_SCHEDULE: '5' }, /number and a unit/],
    [{ POSTROAD_RETRY_SCHEDULE: '5m,,1h' }, /empty items/],
    [{ POSTROAD_RETRY_SCHEDULE: '31d' }, /at most 30d/],
    [{ POSTROAD_RETRY_SCHEDULE: '0s' }, /at least 1s/],
    [{ POSTROAD_MAX_MESSAGE_SIZE: '40' }, /number and a unit/],
    [{ POSTROAD_MAX_RECIPIENTS: '0' }, /from 1 to 100000/],
    [{ POSTROAD_MAX_RECIPIENTS: '1e3' }, /whole number/],
    [{ POSTROAD_ALLOW_PRIVATE_NETWORKS: 'maybe' }, /true or false/],
    [{ POSTROAD_LOG_LEVEL: 'loud' }, /fatal, error, warn/],
    [{ POSTROAD_DNS_SERVERS: 'dns.example.com' }, /not an IP address/],
    [
      {
        POSTROAD_DNS_SERVERS: '192.0.2.53,192.0.2.54',
        POSTROAD_DNS_VALIDATING: '192.0.2.54, 192.0.2.53:5353',
      },
      /^POSTROAD_DNS_VALIDATING names 192\.0\.2\.53:5353, which is not in POSTROAD_DNS_SERVERS/,
    ],
    [{ POSTROAD_HOSTNAME: 'my_host' }, /must be a host name/],
    ...['mailhost', 'localhost.localdomain', '192.0.2.1'].map((name): [Environment, RegExp] => [
      { POSTROAD_DELIVERY: 'direct', POSTROAD_HOSTNAME: name },
      /^POSTROAD_HOSTNAME is ".*", which is not a fully qualified name\..*: set POSTROAD_HOSTNAME to/,
    ]),
    [
      { POSTROAD_SUBMISSION_LISTEN: '0.0.0.0:587' },
      /"0\.0\.0\.0:587" must be smtps:\/\/host:port .* or smtp:/,
    ],
    [{ POSTROAD_SUBMISSION_LISTEN: 'smtp://user:password@127.0.0.1' }, /must be smtps:\/\/host:port/],
    [{ POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1,' }, /empty items/],
    [{ POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1:70000' }, /port 70000/],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1?tls=off' },
      /"\?tls=" must be one of required, opportunistic/,
    ],
    [{ POSTROAD_SUBMISSION_LISTEN: 'smtps://x?tls=opportunistic' }, /smtps:\/\/ is always encrypted/],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtps://127.0.0.1' },
      /no certificate: set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY/,
    ],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://:587' },
      /smtp:\/\/\[::\]:587, where other machines cannot log in/,
    ],
    [{ POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1?prxy=on' }, /"\?prxy=" is not an option/],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1?login=off', POSTROAD_DELIVERY: 'smtp://relay.test' },
      /\?login=off for 127\.0\.0\.1:587, which is for capture mode: .*Remove \?login=off/,
    ],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtps://127.0.0.1?login=off' },
      /"\?login=off" goes with smtp:\/\/ and without "\?tls="/,
    ],
    [
      { POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1?proxy=on' },
      /\?proxy=on for 127\.0\.0\.1:587, .*: name them in POSTROAD_TRUSTED_PROXIES/,
    ],
    [
      {
        POSTROAD_SUBMISSION_LISTEN: 'smtp://127.0.0.1?proxy=on',
        POSTROAD_TRUSTED_PROXIES: '127.0.0.1',
      },
      /smtp:\/\/127\.0\.0\.1:587, where other machines cannot log in/,
    ],
    [{ POSTROAD_PUBLIC_URL: 'https://mail.example.com/?' }, /must end with its host, port or path/],
    [{ POSTROAD_TLS_CERT: '/c.pem' }, /POSTROAD_TLS_CERT is set, but POSTROAD_TLS_KEY is not/],
    [{ POSTROAD_TLS_KEY: '/k.pem' }, /POSTROAD_TLS_KEY is set, but POSTROAD_TLS_CERT is not/],
    [{ POSTROAD_RETENTION_CONTENT: '10d', POSTROAD_RETENTION_EMAILS: '9d' }, /9d.*10d/],
    [{ POSTROAD_CONFIG: '/nowhere/x.json' }, /POSTROAD_CONFIG names .*does not exist/],
    [{ POSTROAD_LISTENN: 'x' }, /POSTROAD_LISTENN in the environment.*Did you mean POSTROAD_LISTEN\?/],
    [{ POSTROAD_DATABASE: 'x' }, /Did you mean POSTROAD_DATABASE_URL\?/],
    [{ POSTROAD_QQQQQQQQQQQ: 'x' }, /POSTROAD_QQQQQQQQQQQ in the environment is not a setting\. All/],
    [{ postroad_listen: 'x' }, /Did you mean POSTROAD_LISTEN\?/],
  ]
  for (const [env, message] of refused) {
    test(`refuse ${JSON.stringify(env)}`, () => {
      const text = refusal(env)
      assert.match(text, message)
      assert.ok(!text.includes('\n'), 'one line')
    })
  }

  test('never quote a secret, however wrong it is written', () => {
    const secret = 'hunter2'
    const wrong: Environment[] = [
      { POSTROAD_SECRET_KEY: secret },
      { POSTROAD_SECRET_KEY: secret.repeat(40) },
      ...[
        `smtp://user:${secret}@`,
        `smtp://user:${secret}`,
        `smtp://user:${secret}@host:99999`,
        `smtp://user:p/${secret}@host`,
        `smtp://user:p@${secret}@host?x=y`,
        `smtp://user:p?${secret}@host`,
        `smtp://user:p#${secret}@host:1`,
        `smtp://user:%zz${secret}@host`,
        `smtp://user:1/${secret}@host`,
        `smtps://user:${secret}@host?tls=off`,
        `http://user:${secret}@host`,
      ].map((text) => ({ POSTROAD_DELIVERY: text })),
      ...[
        `192.0.2.1=a.test via socks5://user:${secret}@`,
        `192.0.2.1=a.test via socks5://user:${secret}@host:99999`,
        `192.0.2.1=a.test via socks5://user:${secret}@host/x, 192.0.2.2=b.test`,
        `192.0.2.1=a.test via socks5://user:x,${secret}@host, 192.0.2.2=b.test`,
        `192.0.2.1=a.test via socks5://user:x,${secret},y@host`,
        `192.0.2.1=a.test via socks5://user:x,1=${secret}@host`,
        `192.0.2.1=a.test via socks5://user:p//${secret}@host`,
        `192.0.2.1=a.test socks5://user:${secret}@host`,
        `192.0.2.1 via socks5://user:${secret}@host`,
        `192.0.2.1=a.test via proxy://user:${secret}@host:1`,
      ].map((text) => ({ POSTROAD_SOURCE_ADDRESSES: text })),
      { POSTROAD_DATABASE_URL: `mysql://user:${secret}@host/db` },
      { POSTROAD_DATABASE_URL: `postgres://user:${secret}@host:x/db` },
      { POSTROAD_DATABASE_URL: `postgres://user:p@${secret}#x@host/db` },
      { POSTROAD_DATABASE_URL: `postgres://user:1?${secret}@host/db` },
      { POSTROAD_DATABASE_URL: `postgres://user:1?${secret}=2@host/db` },
      { POSTROAD_DATABASE_URL: `postgres://user:%zz${secret}@host/db` },
    ]
    for (const env of wrong) {
      const text = refusal(env)
      assert.ok(!text.includes(secret), `${JSON.stringify(env)}: ${text}`)
    }
  })

  test('in the query of a database URL are blotted out if they are secret', () => {
    const names = ['password', 'sslpassword', 'oauth_client_secret', 'scram_client_key', 'scram_server_key']
    const env = {
      POSTROAD_DATABASE_URL: `postgres://h/db?sslmode=require&${names.map((name) => `${name}=hunter2`).join('&')}`,
    }
    const shown = effectiveSettings(env, { envFile: null }).find(
      ({ name }) => name === 'POSTROAD_DATABASE_URL',
    )
    assert.equal(
      shown?.value,
      `postgres://h/db?sslmode=require&${names.map((name) => `${name}=***`).join('&')}`,
    )
  })

  test('in effect are shown with their secrets blotted out', () => {
    const env = {
      POSTROAD_SECRET_KEY: 'ab'.repeat(32),
      POSTROAD_DELIVERY: 'smtp://user:hunter2@host:25?tls=off',
      POSTROAD_DATABASE_URL: 'postgres://host/db?user=x&password=hunter2&sslmode=require',
      POSTROAD_SOURCE_ADDRESSES:
        '192.0.2.1=a.test via socks5://user:hunter2@host,192.0.2.2=b.test, 192.0.2.3=c.test via proxy://host:1',
    }
    const shown = new Map(effectiveSettings(env, { envFile: null }).map((each) => [each.name, each]))
    assert.equal(shown.size, SETTING_NAMES.length)
    assert.equal(shown.get('POSTROAD_SECRET_KEY')?.value, '***')
    assert.equal(shown.get('POSTROAD_DELIVERY')?.value, 'smtp://***@host:25?tls=off')
    assert.equal(
      shown.get('POSTROAD_DATABASE_URL')?.value,
      'postgres://host/db?user=x&password=***&sslmode=require',
    )
    assert.equal(
      shown.get('POSTROAD_SOURCE_ADDRESSES')?.value,
      '192.0.2.1=a.test via socks5://***@host,192.0.2.2=b.test, 192.0.2.3=c.test via proxy://host:1',
    )
    assert.deepEqual(shown.get('POSTROAD_LISTEN'), {
      name: 'POSTROAD_LISTEN',
      value: '127.0.0.1:8587',
      source: 'default',
    })
  })
})

describe('where settings come from', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postroad-settings-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  function file(name: string, content: string): string {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  test('the environment wins over .env, and .env over the config file', () => {
    const configFile = file(
      'a.json',
      JSON.stringify({
        POSTROAD_LISTEN: 'config:1',
        POSTROAD_HOSTNAME: 'config.test',
        POSTROAD_LOG_LEVEL: 'debug',
        POSTROAD_MAX_RECIPIENTS: 7,
        POSTROAD_ALLOW_PRIVATE_NETWORKS: true,
        POSTROAD_RETRY_SCHEDULE: ['1m', '2m'],
        POSTROAD_RATE_LIMIT: null,
      }),
    )
    const envFile = file(
      'a.env',
      `# a comment\nPOSTROAD_LISTEN='env-file:2'\nexport POSTROAD_HOSTNAME=env-file.test\nOTHER=x\nPOSTROAD_CONFIG=${configFile}\n`,
    )
    const settings = loadSettings({ POSTROAD_LISTEN: 'environment:3', PATH: '/bin' }, { envFile })
    assert.equal(settings.listen.host, 'environment')
    assert.equal(settings.hostname, 'env-file.test')
    assert.equal(settings.logLevel, 'debug')
    assert.equal(settings.maxRecipients, 7)
    assert.equal(settings.allowPrivateNetworks, true)
    assert.deepEqual(settings.retrySchedule, [60_000, 120_000])
  })

  test('an error in a file names the file', () => {
    const envFile = file('b.env', 'POSTROAD_LISTEN=x\n')
    assert.throws(() => loadSettings({}, { envFile }), /POSTROAD_LISTEN is "x" \(from .*b\.env\)/)
    const unknown = file('c.env', 'POSTROAD_LISTNE=x\n')
    assert.throws(
      () => loadSettings({}, { envFile: unknown }),
      /POSTROAD_LISTNE in .*c\.env .*POSTROAD_LISTEN\?/,
    )
    for (const [content, message] of [
      ['{', /not valid JSON/],
      ['[]', /one JSON object/],
      ['{"listen": "x"}', /listen in .* is not a setting/],
      ['{"POSTROAD_LISTEN": {}}', /POSTROAD_LISTEN in .* must be a string/],
    ] as const) {
      const configFile = file('b.json', content)
      assert.throws(() => load({ POSTROAD_CONFIG: configFile }), message)
    }
  })

  test('a missing .env is no mistake', () => {
    loadSettings({}, { envFile: join(folder, 'none.env') })
  })
})

test('docs/configuration.md matches the table of settings', () => {
  const path = new URL('../../docs/configuration.md', import.meta.url)
  assert.equal(readFileSync(path, 'utf8'), configurationPage(), 'run: node scripts/configuration-page.ts')
})

test('.env.example names real settings only', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const names = [...text.matchAll(/^#?(POSTROAD_\w+)=/gm)].map((match) => match[1]!)
  assert.ok(names.length > 0)
  for (const name of names) assert.ok((SETTING_NAMES as string[]).includes(name), name)
})
