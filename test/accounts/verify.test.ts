import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type FakeDns, startDns, type Zone } from '../../harness/dns.ts'
import type { SendingDomain } from '../../src/accounts/account.ts'
import { dnsRecords } from '../../src/accounts/dns-records.ts'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { Seal } from '../../src/accounts/seal.ts'
import { verifyDomain } from '../../src/accounts/verify.ts'
import { zoneLine } from '../../src/accounts/zone-file.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { SERVICE_NAMES } from '../support/service-names.ts'

const HOST = 'mail.service.test'
let domain: SendingDomain
before(async () => {
  domain = await newDomain({ companyId: 'c', name: 'x.test', seal: new Seal(randomBytes(32)), ed25519: true })
})

describe('the records to publish', () => {
  test('are a DKIM key each, required, and SPF and DMARC as advice', () => {
    assert.deepEqual(
      dnsRecords(domain, SERVICE_NAMES).map(({ kind, name, required }) => [kind, name, required]),
      [
        ['dkim', `${domain.dkim[0]!.selector}._domainkey.x.test`, true],
        ['dkim', `${domain.dkim[1]!.selector}._domainkey.x.test`, true],
        ['spf', 'x.test', false],
        ['dmarc', '_dmarc.x.test', false],
      ],
    )
  })

  test('are split for a zone file into strings of at most 255 octets that join to the value', () => {
    for (const record of dnsRecords(domain, SERVICE_NAMES)) {
      const line = zoneLine(record)
      assert.ok(line.startsWith(`${record.name}. IN TXT "`))
      const strings = [...line.matchAll(/"([^"]*)"/g)].map((match) => match[1]!)
      assert.equal(strings.join(''), record.value)
      for (const text of strings) assert.ok(text.length <= 255 && text.length > 0)
    }
    assert.match(
      zoneLine({ name: 'a.test', type: 'TXT', value: 'say "x\\y"', preference: null }),
      /"say \\"x\\\\y\\""$/,
    )
  })
})

describe('the records for reports', () => {
  const names = { ...SERVICE_NAMES, bounceHost: HOST }
  const reportRecords = (returnPath?: string) => {
    const settings = returnPath === undefined ? domain.settings : { ...domain.settings, returnPath }
    return dnsRecords({ ...domain, settings }, names).filter(({ kind }) => kind.endsWith('_report'))
  }

  test('of TLS are advised where this service reads reports', () => {
    const [tls, ...others] = reportRecords()
    assert.deepEqual(others, [])
    assert.deepEqual(
      [tls!.name, tls!.value, tls!.required],
      ['_smtp._tls.x.test', 'v=TLSRPTv1; rua=mailto:reports@bounces.x.test', false],
    )
    assert.deepEqual(
      dnsRecords(domain, SERVICE_NAMES).filter(({ kind }) => kind.endsWith('_report')),
      [],
    )
  })

  test('permit DMARC reports at the host of another organization', () => {
    const [permission] = reportRecords('bounces.other.example')
    assert.deepEqual(
      [permission!.kind, permission!.name, permission!.value, permission!.required],
      ['dmarc_report', 'x.test._report._dmarc.bounces.other.example', 'v=DMARC1', false],
    )
  })
})

describe('verification', () => {
  let dns: FakeDns
  before(async () => {
    dns = await startDns({})
  })
  after(() => dns.close())

  function rightZone(): Zone {
    const zone: Zone = {}
    for (const { name, value } of dnsRecords(domain, SERVICE_NAMES)) zone[`${name}/TXT`] = [value]
    return zone
  }
  async function verify(change: (zone: Zone, selector: string) => void, names = SERVICE_NAMES) {
    for (const name of Object.keys(dns.zone)) delete dns.zone[name]
    Object.assign(dns.zone, rightZone())
    change(dns.zone, `${domain.dkim[0]!.selector}._domainkey.x.test/TXT`)
    const resolver = new Resolver({ servers: [dns.address], timeout: 2_000, tries: 1 })
    const result = await verifyDomain(domain, names, resolver)
    return {
      ...result,
      states: result.records.map((record) => record.state),
      advice: result.records[0]!.advice ?? '',
    }
  }

  test('succeeds when all is published', async () => {
    const { verified, uncertain, states } = await verify(() => {})
    assert.deepEqual([verified, uncertain, states], [true, false, ['right', 'right', 'right', 'right']])
  })

  test('does not need SPF and DMARC', async () => {
    const { verified, states } = await verify((zone) => {
      delete zone['_dmarc.x.test/TXT']
      zone['x.test/TXT'] = ['v=spf1 include:relay.test -all', 'some-site-verification=1']
    })
    assert.deepEqual([verified, states.slice(2)], [true, ['different', 'missing']])
  })

  test('does not count two SPF or DMARC records as one', async () => {
    const { states } = await verify((zone) => {
      zone['_dmarc.x.test/TXT'] = ['v=DMARC1; p=none', 'v=DMARC1; p=reject']
      zone['x.test/TXT'] = [`v=spf1 a:${HOST} ~all`, 'v=spf1 -all']
    })
    assert.deepEqual(states.slice(2), ['different', 'different'])
  })

  const spfs: [string, string[], string | null, RegExp | null][] = [
    ['that ends hard', [`v=spf1 a:${HOST} -all`], null, /should refuse mail/],
    ['that lets everybody send', [`v=spf1 +a:${HOST} +all`], null, /anyone send/],
    ['of another service', ['v=spf1 include:a.test -all'], `v=spf1 a:${HOST} include:a.test -all`, null],
    ['that goes on elsewhere', ['v=spf1 redirect=a.test'], `v=spf1 a:${HOST} redirect=a.test`, null],
    [
      'beside another',
      ['v=spf1 mx include:a.test ~all', `v=spf1 mx a:${HOST} -all`],
      `v=spf1 mx include:a.test a:${HOST} -all`,
      null,
    ],
    [
      'that goes on elsewhere, beside another',
      ['v=spf1 mx redirect=a.test', `v=spf1 a:${HOST} -all`],
      `v=spf1 mx include:a.test a:${HOST} -all`,
      null,
    ],
    [
      'that ends before it goes on elsewhere',
      ['v=spf1 mx -all redirect=a.test'],
      `v=spf1 a:${HOST} mx -all`,
      null,
    ],
  ]
  for (const [name, values, suggestion, explanation] of spfs) {
    test(`explains an SPF record ${name}, or suggests another record to publish`, async () => {
      const { records } = await verify((zone) => {
        zone['x.test/TXT'] = values
        zone['a.test/TXT'] = ['v=spf1 ip4:198.51.100.1 -all']
      })
      const spf = records.find(({ kind }) => kind === 'spf')!
      assert.equal(spf.suggestion, suggestion)
      if (explanation === null) assert.equal(spf.explanation, null)
      else assert.match(spf.explanation!, explanation)
    })
  }

  test('finds the address of this service through the includes of the SPF record, and counts the DNS lookups', async () => {
    const spf = async (value: string, zone: Zone) => {
      const { records } = await verify((all) => {
        Object.assign(all, { [`${HOST}/A`]: ['192.0.2.1'], 'x.test/TXT': [value] }, zone)
      })
      return records.find(({ kind }) => kind === 'spf')!
    }
    const included = await spf('v=spf1 include:a.test ~all', {
      'a.test/TXT': ['v=spf1 ip4:192.0.2.0/24 -all'],
    })
    assert.equal(included.state, 'right')
    assert.match(included.explanation!, /^include:a\.test allows mail\.service\.test\. It ends with ~all/)
    const other = await spf('v=spf1 include:a.test -all', { 'a.test/TXT': ['v=spf1 ip4:198.51.100.1 -all'] })
    assert.equal(other.state, 'different')
    assert.match(
      other.advice!,
      /does not allow 192\.0\.2\.1, from which mail of this domain leaves\. Add a:mail\.service\.test/,
    )
    const silent = await spf('v=spf1 include:a.test -all', { 'a.test/TXT': { rcode: 'SERVFAIL' } })
    assert.deepEqual([silent.state, /for a\.test/.test(silent.advice!)], ['unknown', true])
    const many = Array.from({ length: 10 }, (_, n) => `a:h${n}.x.test`).join(' ')
    const over = await spf(`v=spf1 a:${HOST} ${many} -all`, {})
    assert.deepEqual([over.state, /needs 11 DNS look-ups/.test(over.advice!)], ['different', true])
    const broken = await spf('v=spf1 include:none.test ~all', {})
    assert.deepEqual([broken.state, broken.suggestion], ['different', null])
    assert.match(broken.advice!, /no SPF record.* Also add a:mail\.service\.test\.$/)
  })

  describe('with several hosts that send mail', () => {
    const sendingHosts = [
      { name: 'mail1.service.test', addresses: ['192.0.2.1'] },
      { name: 'mail2.service.test', addresses: ['192.0.2.2', '2001:db8::2'] },
    ]
    const spfOf = async (value: string) => {
      const names = { ...SERVICE_NAMES, sendingHosts }
      const { records } = await verify((all) => Object.assign(all, { 'x.test/TXT': [value] }), names)
      return records.find(({ kind }) => kind === 'spf')!
    }

    test('wants all of them in SPF, and judges every address', async () => {
      const one = await spfOf('v=spf1 a:mail1.service.test ip4:192.0.2.1 ~all')
      assert.equal(one.value, 'v=spf1 a:mail1.service.test a:mail2.service.test ~all')
      assert.equal(one.state, 'different')
      assert.match(
        one.advice!,
        /does not allow 192\.0\.2\.2 and 2001:db8::2, .* Add a:mail2\.service\.test\.$/,
      )
      assert.equal(one.suggestion, 'v=spf1 a:mail2.service.test a:mail1.service.test ip4:192.0.2.1 ~all')
      assert.equal((await spfOf(one.suggestion!)).state, 'right')
      assert.equal((await spfOf('v=spf1 ip4:192.0.2.0/30 ip6:2001:db8::/64 -all')).state, 'right')
    })

    test('names the addresses of many hosts, because receivers do ten look-ups at most', () => {
      const many = Array.from({ length: 9 }, (_, n) => ({
        name: `m${n}.service.test`,
        addresses: [`192.0.2.${n}`],
      }))
      const spf = dnsRecords(domain, { ...SERVICE_NAMES, sendingHosts: many }).find(
        ({ kind }) => kind === 'spf',
      )!
      assert.equal(spf.value, `v=spf1 ${many.map(({ addresses }) => `ip4:${addresses[0]}`).join(' ')} ~all`)
    })
  })

  test('knows the DMARC record above the domain', async () => {
    const mail = await newDomain({
      ...{ companyId: 'c', name: 'mail.x.test', seal: new Seal(randomBytes(32)), ed25519: false },
    })
    for (const name of Object.keys(dns.zone)) delete dns.zone[name]
    dns.zone['_dmarc.x.test/TXT'] = ['v=DMARC1; p=reject; sp=quarantine']
    const resolver = new Resolver({ servers: [dns.address], timeout: 2_000, tries: 1 })
    const { records } = await verifyDomain(mail, SERVICE_NAMES, resolver)
    const dmarc = records.find(({ kind }) => kind === 'dmarc')!
    assert.equal(dmarc.state, 'right')
    assert.match(dmarc.explanation!, /^The record of x\.test holds for this domain as well\. p=quarantine/)
  })

  test('advises to send the reports here as well, and shows the record with our address', async () => {
    const names = { ...SERVICE_NAMES, bounceHost: HOST }
    const URI = 'mailto:reports@bounces.x.test'
    const check = async (name: string, value: string, kind: string, of = domain) => {
      for (const known of Object.keys(dns.zone)) delete dns.zone[known]
      dns.zone[`${name}/TXT`] = [value]
      const resolver = new Resolver({ servers: [dns.address], timeout: 2_000, tries: 1 })
      const { records } = await verifyDomain(of, names, resolver)
      const { state, advice, suggestion } = records.find((record) => record.kind === kind)!
      assert.equal(state, 'right')
      return { advice, suggestion }
    }
    const dmarc = async (value: string) => await check('_dmarc.x.test', value, 'dmarc')
    const elsewhere = await dmarc('v=DMARC1; p=reject; rua=mailto:a@b.test!10m ; pct=50')
    assert.match(elsewhere.advice!, /do not come here: add mailto:reports@bounces\.x\.test to its rua=/)
    assert.equal(elsewhere.suggestion, `v=DMARC1; p=reject; rua=mailto:a@b.test!10m,${URI}; pct=50`)
    assert.equal((await dmarc('v=DMARC1; p=reject;')).suggestion, `v=DMARC1; p=reject; rua=${URI}`)
    for (const rua of [URI, `mailto:a@b.test, ${URI.replace('bounces.x', 'BOUNCES.X')}!5m`])
      assert.deepEqual(await dmarc(`v=DMARC1;p=none;rua=${rua}`), { advice: null, suggestion: null })

    const tls = await check('_smtp._tls.x.test', 'v=TLSRPTv1;rua=https://a.test/r', 'tls_report')
    assert.equal(tls.suggestion, `v=TLSRPTv1;rua=https://a.test/r,${URI}`)
    const own = await check('_smtp._tls.x.test', 'v=TLSRPTv1; rua=https://a.test/tls-reports/t', 'tls_report')
    assert.equal(own.advice, null)

    const mail = await newDomain({
      ...{ companyId: 'c', name: 'mail.x.test', seal: new Seal(randomBytes(32)), ed25519: false },
    })
    const above = await check('_dmarc.x.test', 'v=DMARC1; p=reject', 'dmarc', mail)
    assert.match(
      above.advice!,
      /add mailto:reports@bounces\.mail\.x\.test to rua= of the record at _dmarc\.x\.test/,
    )
    assert.equal(above.suggestion, null)
  })

  test('judges the permission for reports, and several records for TLS reports', async () => {
    for (const known of Object.keys(dns.zone)) delete dns.zone[known]
    const resolver = new Resolver({ servers: [dns.address], timeout: 2_000, tries: 1 })
    const chosen = { ...domain, settings: { ...domain.settings, returnPath: 'bounces.other.example' } }
    dns.zone['x.test._report._dmarc.bounces.other.example/TXT'] = ['v=DMARC1;']
    dns.zone['_smtp._tls.x.test/TXT'] = ['v=TLSRPTv1; rua=mailto:a@b.test', 'v=TLSRPTv1; rua=mailto:c@b.test']
    const { records } = await verifyDomain(chosen, { ...SERVICE_NAMES, bounceHost: HOST }, resolver)
    const stateOf = (kind: string) => records.find((record) => record.kind === kind)!.state
    assert.deepEqual([stateOf('dmarc_report'), stateOf('tls_report')], ['right', 'different'])
  })

  test('explains the policy of a DMARC record, and rejects a record without a valid policy', async () => {
    const dmarc = async (value: string) => {
      const { records } = await verify((zone) => {
        zone['_dmarc.x.test/TXT'] = [value]
      })
      return records.find(({ kind }) => kind === 'dmarc')!
    }
    assert.match((await dmarc('v=DMARC1; p=none')).explanation!, /as before/)
    assert.match((await dmarc('v=DMARC1;p=Quarantine; pct=50')).explanation!, /spam folder/)
    assert.match((await dmarc('v=DMARC1; sp=none; p = reject')).explanation!, /refused/)
    for (const value of ['v=DMARC1', 'v=DMARC1; sp=none', 'v=DMARC1; p=sometimes']) {
      const { state, advice } = await dmarc(value)
      assert.equal(state, 'different', value)
      assert.match(advice!, /no policy/)
    }
  })

  test('finds a record whose name got the zone appended by the DNS provider', async () => {
    const { states, advice } = await verify((zone, name) => {
      zone[name.replace('/TXT', '.x.test/TXT')] = zone[name]!
      delete zone[name]
    })
    assert.equal(states[0], 'missing')
    assert.match(advice, /is at pr\d+\._domainkey\.x\.test\.x\.test: your DNS provider appends x\.test/)
  })

  test('does not take an MX record that names no host for one at the wrong name', async () => {
    const { records } = await verify(
      (zone) => {
        zone['bounces.x.test.x.test/MX'] = ['10 no/host']
      },
      { ...SERVICE_NAMES, bounceHost: HOST },
    )
    const { state, advice } = records.find(({ kind }) => kind === 'return_path_mx')!
    assert.deepEqual([state, advice], ['missing', 'There is no MX record at bounces.x.test.'])
  })

  test('looks up a return path outside the domain under its own name only', async () => {
    const asked: string[] = []
    const absent = async () => ({ kind: 'absent' as const, reason: 'NXDOMAIN' })
    const mx = async (name: string) => {
      asked.push(name)
      return await absent()
    }
    const settings = { ...domain.settings, returnPath: 'bounces.other.example' }
    const chosen = { ...domain, name: 'mail.x.test', settings }
    const { records } = await verifyDomain(chosen, SERVICE_NAMES, {
      txt: absent,
      mx,
      cname: absent,
      addresses: absent,
    })
    assert.deepEqual(asked, ['bounces.other.example'])
    const { advice } = records.find(({ kind }) => kind === 'return_path_mx')!
    assert.equal(advice, 'There is no MX record at bounces.other.example.')
  })

  test('reads a key in other words', async () => {
    const { verified } = await verify((zone, name) => {
      zone[name] = [`k=rsa; t=s; h=sha1:sha256; p= ${domain.dkim[0]!.publicKey} ;`]
    })
    assert.equal(verified, true)
  })

  const wrongs: [string, (publicKey: string) => string[], RegExp][] = [
    ['another key', () => [`v=DKIM1; k=rsa; p=${randomBytes(294).toString('base64')}`], /a different key/],
    ['a key that was cut off', (key) => [`v=DKIM1; k=rsa; p=${key.slice(0, 240)}`], /cut off/],
    ['a revoked key', () => ['v=DKIM1; p='], /revokes/],
    ['a key of another type', (key) => [`v=DKIM1; k=ed25519; p=${key}`], /ed25519/],
    ['a key for other hashes', (key) => [`v=DKIM1; h=sha1; p=${key}`], /sha256/],
    ['something else', () => ['hello'], /tag=value/],
    ['two records', (key) => [`v=DKIM1; p=${key}`, 'v=DKIM1; p='], /2 TXT records/],
  ]
  for (const [name, values, advice] of wrongs) {
    test(`reports ${name}`, async () => {
      const result = await verify((zone, at) => {
        zone[at] = values(domain.dkim[0]!.publicKey)
      })
      assert.deepEqual([result.verified, result.uncertain, result.states[0]], [false, false, 'different'])
      assert.match(result.advice, advice)
    })
  }

  test('reports a missing record', async () => {
    const { verified, uncertain, states } = await verify((zone, name) => {
      delete zone[name]
    })
    assert.deepEqual([verified, uncertain, states[0]], [false, false, 'missing'])
  })

  test('does not mistake a failure of DNS for a missing record', async () => {
    for (const answer of [{ rcode: 'SERVFAIL' as const }, { silent: true as const }]) {
      const { verified, uncertain, states } = await verify((zone, name) => {
        zone[name] = answer
      })
      assert.deepEqual([verified, uncertain, states[0]], [false, true, 'unknown'])
    }
  })
})
