/** The zone of a domain and its DNS provider: with a DNS server that the test writes. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { dnsProviderOf } from '../../src/accounts/dns-providers.ts'
import { findDomainZone } from '../../src/operate/dns-provider.ts'
import { CheckedDomains } from './checked-domains.ts'

let rig: CheckedDomains
before(async () => {
  rig = await CheckedDomains.start({})
})
after(() => rig[Symbol.asyncDispose]())
beforeEach(() => rig.clear())

async function zoneOf(name: string) {
  const domain = await rig.service.domain(rig.company, name)
  rig.dns.queries.length = 0
  return await findDomainZone(await rig.operation(), { domain: domain.id })
}

test('the zone of a subdomain is found above it', async () => {
  rig.dns.zone['shop.example/NS'] = ['oxygen.ns.hetzner.com', 'Helium.NS.hetzner.de']
  const { zone, nameServers, provider } = await zoneOf('news.mail.shop.example')
  assert.deepEqual([zone, provider?.name], ['shop.example', 'Hetzner'])
  assert.deepEqual(nameServers, ['helium.ns.hetzner.de', 'oxygen.ns.hetzner.com'])
  rig.dns.zone['mail.shop.example/NS'] = ['ns1.elsewhere.test']
  const delegated = await findDomainZone(await rig.operation(), { domain: 'news.mail.shop.example' })
  assert.deepEqual([delegated.zone, delegated.provider], ['mail.shop.example', null])
})

test('the servers behind an alias are those of another zone', async () => {
  rig.dns.zone['shop.example/NS'] = ['a.ns.test']
  rig.dns.zone['mail.shop.example/NS'] = { values: ['ada.ns.cloudflare.com'], cname: 'target.other.test' }
  const { zone, provider } = await zoneOf('mail.shop.example')
  assert.deepEqual([zone, provider], ['shop.example', null])
})

test('without an answer or name servers of DNS the zone is unknown; a top-level domain is not queried', async () => {
  const unknown = { zone: null, nameServers: [], provider: null }
  assert.deepEqual(await zoneOf('a.b.c.d.e.example'), unknown)
  assert.deepEqual(rig.dns.queries, [
    'udp a.b.c.d.e.example/NS',
    'udp b.c.d.e.example/NS',
    'udp c.d.e.example/NS',
  ])
  rig.dns.zone['shop.example/NS'] = ['a.ns.test']
  rig.dns.zone['mail.shop.example/NS'] = { rcode: 'SERVFAIL' }
  assert.deepEqual(await zoneOf('mail.shop.example'), unknown)
  assert.ok(!rig.dns.queries.includes('udp shop.example/NS'))
  await zoneOf('none.example')
  assert.deepEqual(rig.dns.queries, ['udp none.example/NS'])
})

test('providers are known by whole names of their servers', () => {
  const known = {
    Cloudflare: 'ada.ns.cloudflare.com',
    'Amazon Route 53': 'ns-2048.awsdns-64.co.uk',
    Gandi: 'ns-12-a.gandi.net',
    Hetzner: 'hydrogen.ns.hetzner.com',
    OVHcloud: 'dns104.ovh.net',
    Namecheap: 'dns1.registrar-servers.com',
    GoDaddy: 'ns01.domaincontrol.com',
    IONOS: 'ns1045.ui-dns.biz',
  }
  for (const [name, server] of Object.entries(known)) {
    assert.equal(dnsProviderOf(['ns1.other.test', server])?.name, name)
    assert.equal(dnsProviderOf([`${server}.other.test`]), null)
    assert.equal(dnsProviderOf([`evil${server.slice(server.indexOf('.') + 1)}`]), null)
  }
})
