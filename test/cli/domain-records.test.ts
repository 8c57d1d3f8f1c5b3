/** The records of a domain whose zone has records already: what the commands print may be published as it is. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { newWorkplace, type Workplace } from './postroad.ts'

interface Shown {
  status: string
  dns_records: {
    kind: string
    name: string
    value: string
    state: string
    found: string[]
    suggestion: string | null
  }[]
}

const SPF = 'v=spf1 include:a.test -all'
const OWN_SPF = 'v=spf1 a:mail.service.test include:a.test -all'
const DMARC = 'v=DMARC1; p=reject; rua=mailto:d@x.test'

let dns: FakeDns
let place: Workplace
before(async () => {
  dns = await startDns({})
  place = newWorkplace({ POSTROAD_DNS_SERVERS: dns.address })
  await place.json('company', 'create', 'Acme')
  await place.json('domain', 'add', 'x.test', '--company', 'Acme')
})
beforeEach(() => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  dns.zone['a.test/TXT'] = ['v=spf1 ip4:198.51.100.0/24 -all']
  dns.zone['x.test/TXT'] = ['another=1', SPF]
  dns.zone['_dmarc.x.test/TXT'] = [DMARC]
})
after(async () => {
  place.remove()
  await dns.close()
})

const show = (...options: string[]) => place.run('domain', 'show', 'x.test', ...options)
/** The lines that a name server reads. */
const loaded = (zone: string) => zone.split('\n').filter((line) => line !== '' && !line.startsWith(';'))

test('domain show prints each record beside what DNS has, and changes nothing', async () => {
  const { stdout } = await show()
  assert.match(stdout, /^ {2}Name: +x\.test\n {2}DNS: +different\n.*does not allow|does not name/m)
  assert.ok(stdout.includes(`  Value: ${OWN_SPF}\n`), stdout)
  assert.ok(stdout.includes(`  Found: ${SPF}\n`), stdout)
  assert.match(stdout, /^ {2}Name: +_dmarc\.x\.test\n {2}DNS: +right\n/m)
  assert.ok(stdout.includes(`  Found: ${DMARC}\n`), stdout)
  assert.ok(!stdout.includes('v=spf1 a:mail.service.test ~all'), stdout)
  assert.ok(!stdout.includes('v=DMARC1; p=none'), stdout)
  const { status, dns_records: records } = await place.json<Shown>('domain', 'show', 'x.test')
  assert.equal(status, 'pending')
  const of = (kind: string) => records.find((record) => record.kind === kind)!
  assert.deepEqual([of('dkim').state, of('dkim').found], ['missing', []])
  assert.deepEqual([of('spf').state, of('spf').suggestion], ['different', OWN_SPF])
  assert.deepEqual(of('spf').found, ['another=1', SPF])
  assert.deepEqual([of('dmarc').state, of('dmarc').found], ['right', [DMARC]])
})

test('--zone has lines only for names that lack the record; the others are comments', async () => {
  const { stdout } = await show('--zone')
  const lines = loaded(stdout)
  assert.equal(lines.length, 1, stdout)
  assert.match(lines[0]!, /^pr\d+\._domainkey\.x\.test\. IN TXT "v=DKIM1/)
  assert.ok(stdout.includes(`; Change by hand: x.test. IN TXT "${OWN_SPF}"\n`), stdout)
  assert.ok(stdout.includes(`; In DNS for _dmarc.x.test: ${DMARC}\n`), stdout)
  assert.ok(!/p=none|~all/.test(stdout), stdout)

  delete dns.zone['x.test/TXT']
  delete dns.zone['_dmarc.x.test/TXT']
  assert.equal(loaded((await show('--zone')).stdout).length, 3)
})

test('--zone has the addresses of EHLO names in the zone of the domain', async (t) => {
  const sending = newWorkplace({
    POSTROAD_DNS_SERVERS: dns.address,
    POSTROAD_DELIVERY: 'direct',
    POSTROAD_SOURCE_ADDRESSES: '192.0.2.1=mail.x.test,192.0.2.2=mail.other.test,[2001:db8::1]=mail6.x.test',
  })
  t.after(() => sending.remove())
  await sending.json('company', 'create', 'Acme')
  await sending.json('domain', 'add', 'x.test', '--company', 'Acme')
  dns.zone['mail.x.test/A'] = ['192.0.2.9']
  const { stdout } = await sending.run('domain', 'show', 'x.test', '--zone')
  assert.ok(stdout.includes('; Change by hand: mail.x.test. IN A 192.0.2.1\n'), stdout)
  assert.deepEqual(
    loaded(stdout).filter((line) => !line.includes('IN TXT')),
    ['mail6.x.test. IN AAAA 2001:db8::1'],
  )
  assert.ok(!stdout.includes('mail.other.test. IN A'), stdout)
})

test('domain add looks at the zone, too', async () => {
  dns.zone['_dmarc.new.test/TXT'] = ['v=DMARC1; p=quarantine']
  const { stdout } = await place.run('domain', 'add', 'new.test', '--company', 'Acme')
  assert.match(stdout, /^ {2}new\.test\. IN TXT "v=spf1 a:mail\.service\.test ~all"$/m)
  assert.match(stdout, /^ {2}; In DNS for _dmarc\.new\.test: v=DMARC1; p=quarantine$/m)
})

test('no record is printed as wanted where its fault has to be mended by hand', async () => {
  const many = Array.from({ length: 11 }, (_, index) => `include:s${index}.test`)
  for (const [index] of many.entries()) dns.zone[`s${index}.test/TXT`] = ['v=spf1 -all']
  dns.zone['x.test/TXT'] = [`v=spf1 ${many.join(' ')} -all`]
  dns.zone['_dmarc.x.test/TXT'] = ['v=DMARC1; p=reject', 'v=DMARC1; p=none']
  const verified = (await place.run('domain', 'verify', 'x.test')).stdout
  assert.match(verified, /needs 11 DNS look-ups/)
  assert.equal(verified.match(/expected:/g)?.length, 1, verified)
  assert.match(verified, /expected: v=DKIM1/)
  const { stdout } = await show()
  assert.match(
    stdout,
    /^ {2}DNS: +different\n {2}.*needs 11 DNS look-ups.* Also add a:mail\.service\.test\./m,
  )
  assert.equal(stdout.match(/^ {2}Value:/gm)?.length, 1, stdout)
  const zone = (await show('--zone')).stdout
  assert.equal(loaded(zone).length, 1, zone)
  assert.match(zone, /^; Change by hand: .*needs 11 DNS look-ups/m)
})

test('while DNS does not answer, nothing is to be published', async () => {
  dns.zone['x.test/TXT'] = { rcode: 'SERVFAIL' }
  dns.zone['_dmarc.x.test/TXT'] = { rcode: 'SERVFAIL' }
  const { stdout, code } = await show()
  assert.equal(code, 0)
  assert.match(stdout, /^ {2}DNS: +unknown\n {2}DNS did not answer for x\.test/m)
  const zone = (await show('--zone')).stdout
  assert.equal(loaded(zone).length, 1, zone)
  assert.match(zone, /^; DNS did not answer for x\.test/m)
  assert.match(zone, /^; Not checked: x\.test\. IN TXT "v=spf1 a:mail\.service\.test ~all"$/m)
})
