/** Sites of direct mail: domains that share servers, how long an answer is used, and that no domain waits for the name server of another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site } from '../../../src/delivery/path/path.ts'
import { SiteDirectory } from '../../../src/delivery/path/site-directory.ts'
import { openSiteTable } from '../../../src/delivery/sites/sites-file.ts'
import type { Lookup } from '../../../src/dns/lookup.ts'
import type { MxRecord } from '../../../src/dns/record.ts'
import type { MtaStsPolicy } from '../../../src/store/store.ts'

type Answer = string[] | 'absent' | 'failed' | Promise<unknown>

/** A directory over a zone of domains and their mail servers, best first; `=` before a name: no worse than the one before it. */
function directory(
  zone: Record<string, Answer>,
  {
    patience = 60_000,
    ownName = null as string | null,
    mtaSts = async (_domain: string): Promise<MtaStsPolicy | null> => null,
  } = {},
) {
  const clock = { now: 1_000_000 }
  const asked: string[] = []
  const resolver = {
    async mx(name: string): Promise<Lookup<MxRecord>> {
      asked.push(name)
      const answer = await zone[name]
      if (answer === 'failed') return { kind: 'failed', reason: 'SERVFAIL' }
      if (!Array.isArray(answer)) return { kind: 'absent', reason: 'NXDOMAIN' }
      if (answer.length === 0) return { kind: 'absent', reason: 'NODATA' }
      let preference = 0
      const records = answer.map((host) => {
        if (!host.startsWith('=')) preference += 10
        return { exchange: host.replace('=', ''), preference }
      })
      return { kind: 'found', records }
    },
  }
  const table = openSiteTable({ sites: null, siteConcurrency: 20 })
  const sites = new SiteDirectory<Site>({
    resolver,
    ownName,
    mtaSts,
    recognise: (domain, ranks) => table.recognise(domain, ranks),
    keep: (site) => site,
    now: () => clock.now,
    patience,
  })
  return { sites, clock, asked, zone }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('domains on the same servers are one site, whatever the order; others are not', async () => {
  const { sites } = directory({
    'a.test': ['mx1.mail.test', 'mx2.mail.test'],
    'b.test': ['mx2.mail.test', 'mx1.mail.test'],
    'c.test': ['mx1.mail.test', '=mx2.mail.test'],
    'd.test': ['mx1.mail.test'],
    'e.test': [],
    'f.test': ['e.test'],
  })
  const at = (domain: string) => sites.find(domain, 'company')
  const [a, b, c, d, e, f] = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => at(`${name}.test`)),
  )
  assert.equal(a!.key, b!.key)
  assert.equal(a!.key, c!.key)
  assert.notEqual(a!.key, d!.key)
  assert.equal(e!.key, f!.key, 'a domain without MX is its own server (RFC 5321 5.1)')
  assert.equal(a!.name, 'mx1.mail.test +1')
  assert.equal(d!.name, 'mx1.mail.test')
  assert.deepEqual(a!.servers?.hosts, { kind: 'hosts', ranks: [['mx1.mail.test'], ['mx2.mail.test']] })
})

test('a name from DNS cannot make one site look like another', async () => {
  const { sites } = directory({
    'a.test': ['mx1.mail.test', 'mx2.mail.test'],
    'b.test': ['mx1.mail.test,mx2.mail.test'],
    'c.test': ['simulator'],
    'd.test': ['domain:gone.test'],
    'gone.test': 'absent',
  })
  const at = async (domain: string) => (await sites.find(domain, 'company')).key
  assert.notEqual(await at('b.test'), await at('a.test'))
  assert.notEqual(await at('c.test'), 'simulator')
  assert.notEqual(await at('d.test'), await at('gone.test'))
})

test('very many servers, or ones with long names, have a short key all the same', async () => {
  const hosts = Array.from({ length: 50 }, (_, at) => `mx${at}.${'x'.repeat(60)}.test`)
  const { sites } = directory({ 'a.test': hosts, 'b.test': hosts.toReversed(), 'c.test': hosts.slice(1) })
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => sites.find(`${name}.test`, 'company')))
  assert.equal(a!.key, b!.key)
  assert.notEqual(a!.key, c!.key)
  assert.ok(a!.key.length <= 200)
})

test('a known answer is used at once; when it is older than a minute it is refreshed, and no mail waits for that', async () => {
  const { sites, clock, asked, zone } = directory({ 'x.test': ['old.test'] })
  assert.equal(sites.findCached('x.test', 'a'), null)
  const found = await sites.find('x.test', 'a')
  assert.equal(sites.findCached('x.test', 'a'), found)
  assert.deepEqual(asked, ['x.test'])
  zone['x.test'] = ['new.test']
  clock.now += 60_000
  assert.equal(sites.findCached('x.test', 'a')?.key, 'mx:old.test')
  assert.equal(sites.findCached('x.test', 'b')?.key, 'mx:old.test')
  await turn()
  assert.deepEqual(asked, ['x.test', 'x.test'], 'one question for all')
  assert.equal(sites.findCached('x.test', 'a')?.key, 'mx:new.test')
  clock.now += 3_600_000
  assert.equal(sites.findCached('x.test', 'a'), null, 'too old to be used')
})

test('a negative or failed answer is never used beyond its time', async () => {
  const { sites, clock, zone } = directory({ 'gone.test': 'absent', 'sick.test': 'failed' })
  const [gone, sick] = await Promise.all([sites.find('gone.test', 'a'), sites.find('sick.test', 'a')])
  assert.ok(gone.servers?.hosts.kind === 'none' && gone.servers.hosts.failure.enhancedCode === '5.1.2')
  assert.ok(sick.servers?.hosts.kind === 'none' && sick.servers.hosts.failure.enhancedCode === '4.4.3')
  assert.notEqual(gone.key, sick.key)
  assert.equal(sites.findCached('sick.test', 'a'), sick)
  clock.now += 5_000
  assert.equal(sites.findCached('sick.test', 'a'), null)
  clock.now += 25_000
  assert.equal(sites.findCached('gone.test', 'a'), null)
  zone['sick.test'] = ['mx.test']
  assert.equal((await sites.find('sick.test', 'a')).key, 'mx:mx.test')
})

test('a name server that is down does not change the site', async () => {
  const { sites, clock, asked, zone } = directory({ 'x.test': ['mx.test'] })
  const found = await sites.find('x.test', 'a')
  zone['x.test'] = 'failed'
  clock.now += 60_000
  for (let i = 0; i < 3; i++) {
    assert.equal(sites.findCached('x.test', 'a'), found)
    await turn()
  }
  assert.equal(asked.length, 2, 'it is not asked all the time either')
  clock.now += 5_000
  assert.equal(sites.findCached('x.test', 'a'), found)
  await turn()
  assert.equal(asked.length, 3)
})

test('mail does not wait for a silent name server, and its domain becomes a site of its own', async () => {
  const { sites } = directory({ 'silent.test': new Promise(() => {}) }, { patience: 5 })
  const alive = setInterval(() => {}, 1_000)
  const site = await sites.find('silent.test', 'a')
  clearInterval(alive)
  assert.equal(site.key, 'domain:silent.test')
  assert.ok(site.servers?.hosts.kind === 'none')
  assert.match(site.servers.hosts.failure.message, /MX lookup of silent\.test failed \(TIMEOUT\)/)
})

test('a domain whose mail server is this service is a loop', async () => {
  const { sites } = directory({ 'x.test': ['us.test'] }, { ownName: 'us.test' })
  const { servers } = await sites.find('x.test', 'a')
  assert.ok(servers?.hosts.kind === 'none' && servers.hosts.failure.enhancedCode === '5.4.6')
})

test('at most 64 look-ups are under way, companies take turns, and one with dead domains does not block others', async () => {
  const dead = Array.from({ length: 500 }, (_, at) => `dead${at}.test`)
  const silence = Promise.withResolvers<string[]>()
  const zone: Record<string, Answer> = { 'alive.test': ['mx.test'] }
  for (const name of dead) zone[name] = silence.promise
  const { sites, asked } = directory(zone)
  const noisy = dead.map((name, at) => sites.find(name, `noisy ${at % 3}`))
  // Also a domain for which a noisy company is already in line.
  const queued = sites.find('alive.test', 'noisy 0')
  await turn()
  assert.ok(asked.length >= 48 && asked.length < 64, `${asked.length} under way`)
  assert.equal((await sites.find('alive.test', 'quiet')).key, 'mx:mx.test')
  assert.equal((await queued).key, 'mx:mx.test')
  const more = Array.from({ length: 100 }, (_, at) => sites.find(`dead${at + 400}.test`, `other ${at}`))
  await turn()
  assert.equal(asked.length, 65, 'one of them is answered')
  silence.resolve(['mx.test'])
  await Promise.all([...noisy, ...more])
  assert.equal(new Set(asked).size, asked.length, 'each is asked once')
  assert.equal(asked.length, 501)
})

test('the domains of a site are known, and leave it when their servers change', async () => {
  const { sites, clock, zone } = directory({
    'a.test': ['mx.mail.test'],
    'b.test': ['mx.mail.test'],
    'c.test': ['alt1.aspmx.l.google.com'],
    'd.test': ['alt2.aspmx.l.google.com'],
  })
  const at = (domain: string) => sites.find(domain, 'company')
  const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => at(`${name}.test`)))
  assert.equal(a!.key, b!.key)
  assert.equal(c!.key, d!.key, 'other servers of the same provider')
  assert.deepEqual([...sites.domainsOf(a!.key)], ['a.test', 'b.test'])
  assert.deepEqual([...sites.domainsOf(c!.key)], ['c.test', 'd.test'])
  zone['b.test'] = ['mx.other.test']
  clock.now += 3_600_000
  const moved = await at('b.test')
  assert.deepEqual([...sites.domainsOf(a!.key)], ['a.test'])
  assert.deepEqual([...sites.domainsOf(moved.key)], ['b.test'])
  sites.recogniseAnew()
  assert.deepEqual([...sites.domainsOf(c!.key)].toSorted(), ['c.test', 'd.test'])
})

test('a site has the policy of its domain; mail waits while it is unknown whether there is one', async () => {
  const policy: MtaStsPolicy = { mode: 'enforce', mx: ['mx.a.test'], expiresAt: 1 }
  const { sites } = directory(
    { 'a.test': ['mx.a.test'], 'b.test': ['mx.a.test'], 'c.test': ['mx.a.test'] },
    {
      mtaSts: async (domain) => {
        if (domain === 'c.test') throw new Error('the database is away')
        return domain === 'a.test' ? policy : null
      },
    },
  )
  const [a, b, c] = await Promise.all(
    ['a.test', 'b.test', 'c.test'].map((domain) => sites.find(domain, 'co')),
  )
  assert.deepEqual(a!.mtaSts, policy)
  assert.equal('mtaSts' in b!, false)
  assert.equal(a!.key, b!.key)
  const { hosts } = c!.servers!
  assert.equal(hosts.kind === 'none' && hosts.failure.finding, 'server')
})
