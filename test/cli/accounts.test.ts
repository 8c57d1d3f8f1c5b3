import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { hashToken, isToken } from '../../src/accounts/token.ts'
import { openStore } from '../../src/store/open.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'
import { newWorkplace, type Workplace } from './postroad.ts'

interface Company {
  id: string
  name: string
  created_at: string
}
interface Domain {
  id: string
  name: string
  company_id: string
  status: string
  sending: string
  speaks_for: string[]
  verified: boolean
  dns_records: { kind: string; name: string; value: string; required: boolean; state?: string }[]
}
interface Key {
  networks: string[]
  expires_at: string | null
  id: string
  token: string
  name: string
  scopes: string[]
  domain: string | null
  revoked_at: string | null
}

let dns: FakeDns
let place: Workplace
before(async () => {
  dns = await startDns({})
  place = newWorkplace({ POSTROAD_DNS_SERVERS: dns.address })
})
after(async () => {
  place.remove()
  await dns.close()
})

async function accounts() {
  const store = await openStore(
    { engine: 'sqlite', path: `${place.folder}/data/postroad.db` },
    { exclusive: false },
  )
  try {
    return await store.accounts()
  } finally {
    await store.close()
  }
}

describe('the commands about accounts', () => {
  test('say that there is no database, except the commands that create one', async () => {
    const { code, stdout, stderr } = await place.run('company', 'list')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /no database at .*data\/postroad\.db/)
  })

  const root = process.getuid?.() === 0
  test('say that it may not be looked at, when it belongs to another user', {
    skip: root && 'root may look at everything',
  }, async () => {
    const data = join(place.folder, 'data')
    mkdirSync(data, { mode: 0 })
    try {
      assert.match((await place.run('company', 'list')).stderr, /this user may not read .*data\/postroad\.db/)
    } finally {
      rmSync(data, { recursive: true, force: true })
    }
  })

  test('create and list companies', async () => {
    const acme = await place.json<Company>('company', 'create', 'Acme')
    assert.match(acme.id, /^[0-9a-f-]{36}$/)
    assert.equal(acme.name, 'Acme')
    const text = await place.run('company', 'create', 'Other Ltd')
    assert.match(text.stdout, /Created the company Other Ltd \(id /)
    assert.deepEqual(
      (await place.json<Company[]>('company', 'list')).map(({ name }) => name),
      ['Acme', 'Other Ltd'],
    )
    const table = await place.run('company', 'list')
    assert.match(table.stdout, /^ID +NAME +CREATED\n/)
    assert.ok(table.stdout.includes(acme.id))
  })

  test('refuse a second company of the same name, and invalid names', async () => {
    const twice = await place.run('company', 'create', 'Acme')
    assert.equal(twice.code, 1)
    assert.match(twice.stderr, /^postroad: .*Acme/)
    for (const name of ['', '  ', 'x'.repeat(201), 'a\nb']) {
      assert.equal((await place.run('company', 'create', name)).code, 2, JSON.stringify(name))
    }
  })

  test('add a domain with its records, under its name in punycode', async () => {
    const domain = await place.json<Domain>(
      'domain',
      'add',
      'Bücher.example',
      '--company',
      'acme',
      '--ed25519',
    )
    assert.deepEqual(
      [domain.name, domain.status, domain.sending],
      ['xn--bcher-kva.example', 'pending', 'inactive'],
    )
    assert.deepEqual(
      domain.dns_records.map(({ kind, required }) => [kind, required]),
      [
        ['dkim', true],
        ['dkim', true],
        ['spf', false],
        ['dmarc', false],
      ],
    )
    assert.equal(domain.dns_records[2]!.value, 'v=spf1 a:mail.service.test ~all')

    const again = await place.run('domain', 'add', 'bücher.example', '--company', 'Other Ltd')
    assert.equal(again.code, 1)
    assert.match(again.stderr, /already a sending domain of Acme/)
    const nobody = await place.run('domain', 'add', 'x.test', '--company', 'Nobody')
    assert.match(nobody.stderr, /no company with the name or id "Nobody"/)
    const noDomain = await place.run('domain', 'add', 'not a domain', '--company', 'Acme')
    assert.deepEqual([noDomain.code, noDomain.stdout], [2, ''])
    assert.match(noDomain.stderr, /not a domain/)
  })

  test('verify a domain against DNS, and activate it only when its keys are there', async () => {
    const missing = await place.run('domain', 'verify', 'bücher.example')
    assert.equal(missing.code, 1)
    assert.match(missing.stdout, /^missing +TXT pr\d+\._domainkey\.xn--bcher-kva\.example/)
    assert.match(missing.stderr, /is not verified/)

    const { domains } = await accounts()
    for (const record of dnsRecords(domains[0]!, SERVICE_NAMES)) {
      if (record.required) dns.zone[`${record.name}/TXT`] = [record.value]
    }
    const verified = await place.json<Domain>('domain', 'verify', 'bücher.example')
    assert.deepEqual([verified.verified, verified.status, verified.sending], [true, 'verified', 'active'])
    assert.deepEqual(
      verified.dns_records.map(({ state }) => state),
      ['right', 'right', 'missing', 'missing'],
    )
    assert.deepEqual(
      (await accounts()).domains.map(({ status, sending }) => [status, sending]),
      [['verified', 'active']],
    )
  })

  test('change nothing when DNS does not answer', async () => {
    const names = Object.keys(dns.zone)
    const kept = names.map((name) => [name, dns.zone[name]!] as const)
    for (const name of names) dns.zone[name] = { rcode: 'SERVFAIL' }
    const { code, stderr } = await place.run('domain', 'verify', 'bücher.example')
    Object.assign(dns.zone, Object.fromEntries(kept))
    assert.equal(code, 1)
    assert.match(stderr, /did not answer.*nothing was changed/)
    assert.equal((await accounts()).domains[0]!.status, 'verified')
  })

  test('let a domain speak for others of its company', async () => {
    const added = await place.json<Domain>(
      ...['domain', 'add', 'mg.bücher.example', '--company', 'Acme', '--from', 'bücher.example'],
    )
    assert.deepEqual(added.speaks_for, ['xn--bcher-kva.example'])
    const shown = await place.run('domain', 'show', 'mg.bücher.example')
    assert.match(shown.stdout, /^From: +mg\.xn--bcher-kva\.example, xn--bcher-kva\.example$/m)
    const none = await place.run('domain', 'update', added.name, '--no-from')
    assert.equal(none.stdout, `Mail for ${added.name} may use these domains in From: ${added.name}.\n`)
    const again = await place.run('domain', 'update', 'bücher.example', '--from', added.name)
    assert.match(again.stdout, /inactive: no mail leaves until you run `postroad domain verify mg\./)
    const nothing = await place.run('domain', 'update', added.name)
    assert.deepEqual([nothing.code, nothing.stdout], [2, ''])
    assert.match(nothing.stderr, /--from/)
  })

  test('suspend a domain, which verification does not undo and activation does', async () => {
    const suspended = await place.json<Domain>('domain', 'suspend', 'bücher.example')
    assert.equal(suspended.sending, 'suspended')
    const verified = await place.json<Domain>('domain', 'verify', 'bücher.example')
    assert.deepEqual([verified.verified, verified.sending], [true, 'suspended'])
    assert.equal((await place.json<Domain>('domain', 'activate', verified.id)).sending, 'active')
    const shown = await place.json<Domain>('domain', 'show', 'bücher.example')
    assert.equal(shown.sending, 'active')
    const zone = await place.run('domain', 'show', 'bücher.example', '--zone')
    assert.equal(zone.stdout.match(/^\S+\. IN TXT "/gm)?.length, 2, 'DNS has the DKIM keys')
    assert.match((await place.run('domain', 'list')).stdout, /xn--bcher-kva\.example +Acme +verified +active/)
    const unknown = await place.run('domain', 'show', 'unknown.test')
    assert.match(unknown.stderr, /no sending domain "unknown\.test"/)
  })

  test('rotate the DKIM keys of a domain: its record is shown, and waits for DNS', async () => {
    const rotate = (...options: string[]) => place.run('domain', 'rotate', 'bücher.example', ...options)
    const begun = await rotate()
    assert.equal(begun.code, 0, begun.stderr)
    assert.match(begun.stdout, /^Publish this record of xn--bcher-kva\.example:$/m)
    const names = begun.stdout.match(/^ {2}Name: +(\S+)$/gm)
    assert.equal(names?.length, 2, 'one for each algorithm')
    assert.match(begun.stdout, /Until DNS has it, mail is signed with pr\d+ and pr\d+e\./)
    const shown = (await place.run('domain', 'show', 'bücher.example')).stdout
    assert.match(shown, /^DKIM key: +pr\d+, signs mail \(in DNS: right\)$/m)
    assert.match(shown, /^DKIM key: +pr\d+-\w+, waits for its record in DNS since .* \(not checked yet\)$/m)
    assert.match(shown, /^DNS: +verified, checked /m)
    const again = await rotate()
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, /already waiting .*cancel the rotation; see: postroad domain show/)
    assert.match((await rotate('--cancel')).stdout, /^Cancelled\. Mail from .* is signed with pr\d+ and pr/)
    assert.match((await rotate('--cancel')).stderr, /no rotation .*: postroad domain rotate xn--bcher/)

    await rotate()
    assert.match((await rotate('--finish')).stderr, /DNS .*To do it all the same, add --force/)
    const finished = await rotate('--finish', '--force')
    assert.match(finished.stdout, /is now signed with pr\d+-\w+ and pr\d+e-\w+\.$/m)
    assert.match(finished.stdout, /retiring; keep its record in DNS until /)
  })

  test('make a key whose token is shown once and whose hash alone is kept', async () => {
    const key = await place.json<Key>('key', 'create', '--company', 'Acme', '--name', 'site')
    assert.ok(isToken(key.token))
    assert.deepEqual([key.scopes, key.domain], [['sending', 'reading'], null])
    const { keys } = await accounts()
    assert.deepEqual(Buffer.from(keys[0]!.tokenHash), Buffer.from(hashToken(key.token)))
    for (const args of [
      ['key', 'list'],
      ['key', 'list', '--json'],
    ]) {
      const { stdout } = await place.run(...args)
      assert.ok(stdout.includes(key.id))
      assert.ok(stdout.includes(key.token.slice(0, 7)))
      assert.ok(!stdout.includes(key.token.slice(0, 8)))
      assert.ok(!stdout.includes(Buffer.from(keys[0]!.tokenHash).toString('hex')))
    }
    const text = await place.run('key', 'create', '--company', 'Acme', '--name', 'other')
    assert.match(text.stdout, /^Token: +pr_[0-9A-Za-z]{32}$/m)
    assert.match(text.stdout, /cannot be shown again/)
  })

  test('make keys with scopes and for one domain of the company', async () => {
    const args = ['key', 'create', '--company', 'Acme', '--name', 'k']
    const key = await place.json<Key>(
      ...args,
      '--scope',
      'reading',
      '--scope',
      'management',
      '--domain',
      'bücher.example',
    )
    assert.deepEqual([key.scopes, key.domain], [['reading', 'management'], 'xn--bcher-kva.example'])
    const scope = await place.run(...args, '--scope', 'everything')
    assert.equal(scope.code, 2)
    assert.match(scope.stderr, /'everything' is invalid\. Allowed choices are sending, reading, management/)
    const foreign = await place.run(
      'key',
      'create',
      '--company',
      'Other Ltd',
      '--name',
      'k',
      '--domain',
      'bücher.example',
    )
    assert.match(foreign.stderr, /not a domain of Other Ltd/)
  })

  test('rotate a key: another token with the same bounds, and an end for the old key', async () => {
    const args = ['key', 'create', '--company', 'Acme', '--name', 'turning', '--scope', 'sending']
    const made = await place.json<Key>(...args)
    const rotated = await place.json<Key & { old: Key }>(
      ...['key', 'rotate', made.id, '--old-expires', '2100-01-01'],
    )
    assert.deepEqual([rotated.name, rotated.scopes, rotated.expires_at], ['turning', ['sending'], null])
    assert.ok(isToken(rotated.token) && rotated.token !== made.token)
    assert.deepEqual([rotated.old.id, rotated.old.expires_at], [made.id, '2100-01-01T00:00:00.000Z'])
    const { stdout } = await place.run('key', 'rotate', rotated.id)
    assert.match(stdout, /^Token: +pr_/m)
    assert.match(stdout, new RegExp(`The old key \\(id ${rotated.id}\\) works until \\d{4}-`))
    for (const id of [made.id, rotated.id]) await place.run('key', 'revoke', id)
  })

  test('make keys with an end and source networks', async () => {
    const args = ['key', 'create', '--company', 'Acme', '--name', 'bound']
    const key = await place.json<Key>(
      ...[...args, '--expires', '2100-01-01', '--from', '10.0.0.0/8', '--from', '::ffff:192.0.2.7'],
      ...['--from', '2001:DB8::/32', '--from', '192.0.2.7'],
    )
    assert.equal(key.expires_at, '2100-01-01T00:00:00.000Z')
    assert.deepEqual(key.networks, ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'])
    const listed = (await place.json<Key[]>('key', 'list')).find(({ id }) => id === key.id)
    assert.deepEqual([listed?.expires_at, listed?.networks], [key.expires_at, key.networks])
    const { stdout } = await place.run('key', 'list')
    assert.match(stdout, /10\.0\.0\.0\/8,192\.0\.2\.7\/32,2001:db8::\/32 +\S+ \S+ +- +2100-01-01 00:00:00Z/)
    const text = await place.run(...args, '--expires', '30d')
    assert.match(text.stdout, /^From: +anywhere$/m)
    assert.match(text.stdout, /^Expires: +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/m)
  })

  for (const [option, text, complaint] of [
    ['--expires', '2020-01-01', /past/],
    ['--expires', '2101-02-30', /does not exist/],
    ['--expires', '2101-01-01T25:00:00Z', /does not exist/],
    ['--expires', '2101-01-01T12:00', /must be a date/],
    ['--expires', 'tomorrow', /must be a date/],
    ['--expires', '99999999d', /too far/],
    ['--from', '10.1.2.3/8', /did you mean 10\.0\.0\.0\/8\?/],
    ['--from', '10.0.0.0/33', /a prefix of 33 bits; an IPv4 address has 32/],
    ['--from', '010.0.0.1', /not an IP address/],
    ['--from', 'example.com', /not an IP address/],
    ['--from', 'fe80::1%eth0', /not an IP address/],
    ['--from', '', /not an IP address/],
  ] as const) {
    test(`make no key with ${option} ${JSON.stringify(text)}`, async () => {
      const before = (await accounts()).keys.length
      const made = await place.run('key', 'create', '--company', 'Acme', '--name', 'n', option, text)
      assert.equal(made.code, 2)
      assert.match(made.stderr, complaint)
      assert.equal((await accounts()).keys.length, before)
    })
  }

  test('show a company with its domains and keys', async () => {
    const shown = await place.json<{ name: string; domains: Domain[]; keys: Key[] }>(
      'company',
      'show',
      'acme',
    )
    assert.equal(shown.name, 'Acme')
    assert.deepEqual(
      shown.domains.map(({ name }) => name),
      ['xn--bcher-kva.example', 'mg.xn--bcher-kva.example'],
    )
    const { keys } = await accounts()
    assert.equal(shown.keys.length, keys.length)
    const { stdout } = await place.run('company', 'show', 'Acme')
    assert.match(
      stdout,
      /^Domains: +xn--bcher-kva\.example \(active\), mg\.xn--bcher-kva\.example \(inactive\)$/m,
    )
    assert.match(stdout, /^Keys: +site, other, /m)
  })

  test('show the signing key of a company, and make another', async () => {
    const shown = async (...command: string[]) => (await place.run('company', ...command)).stdout
    const first = await shown('show', 'Acme', '--signing-key')
    assert.match(first, /^\S{16,}\n$/)
    assert.equal(await shown('show', 'Acme', '--signing-key'), first)
    const second = await shown('rotate-signing-key', 'Acme')
    assert.notEqual(second, first)
    const json = await place.json<{ name: string; signing_key: string }>(
      ...['company', 'show', 'Acme', '--signing-key'],
    )
    assert.deepEqual([json.name, `${json.signing_key}\n`], ['Acme', second])
  })

  test('revoke a key once', async () => {
    const [key] = await place.json<Key[]>('key', 'list', '--company', 'Acme')
    const revoked = await place.json<Key>('key', 'revoke', key!.id)
    assert.ok(revoked.revoked_at)
    const again = await place.run('key', 'revoke', key!.id)
    assert.equal(again.code, 1)
    assert.match(again.stderr, /already revoked/)
    assert.match((await place.run('key', 'revoke', 'nothing')).stderr, /no API key with the id "nothing"/)
  })

  test('do not run with the wrong secret key', async () => {
    const other = newWorkplace({
      POSTROAD_DATABASE_URL: `sqlite:${place.folder}/data/postroad.db`,
      POSTROAD_SECRET_KEY: 'ab'.repeat(32),
    })
    const { code, stderr } = await other.run('domain', 'add', 'x.test', '--company', 'Acme')
    other.remove()
    assert.equal(code, 1)
    assert.match(stderr, /^postroad: POSTROAD_SECRET_KEY is not the key .*\n$/)
  })
})
