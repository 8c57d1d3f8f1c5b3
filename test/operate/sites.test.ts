/** One site, where the reports of the nodes have no place for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDns } from '../../harness/dns.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { showSite } from '../../src/operate/sites.ts'
import { shareClosedPaths } from './closed-paths.ts'
import { World } from './world.ts'

test('a site that no report has shows the closures that nodes share, by its server or a recipient domain', async () => {
  await using world = await World.make()
  const dns = await startDns({ 'far.test/MX': ['10 mx.far.test'], 'mx.far.test/A': ['192.0.2.1'] })
  const op = await world.operation('operator')
  const resolver = new Resolver({ servers: [dns.address], timeout: 300, tries: 1 })
  const show = async (site: string) => await showSite({ ...op, hosts: () => resolver }, { site })
  assert.equal((await show('far.test')).closed, null)
  const companyId = world.acme.company.id
  await shareClosedPaths(
    world.store,
    { site: 'mx:mx.far.test' },
    { site: 'mx:mx.far.test', companyId, source: 'x' },
  )
  for (const name of ['far.test', 'mx.far.test']) {
    const { closed, others } = await show(name)
    assert.deepEqual([closed!.reason, closed!.companyId, others?.length], ['no', null, 1], name)
  }
  await dns.close()
})
