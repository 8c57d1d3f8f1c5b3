import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryRoute } from '../../../src/config/settings.ts'
import { PathFinder } from '../../../src/delivery/path/path-finder.ts'
import { relayAt } from '../route/rig.ts'

const MAIL = { companyId: 'company', domainId: 'domain', testMode: false }

function finder(route: DeliveryRoute, asked: string[] = []): PathFinder {
  return new PathFinder({
    route,
    resolver: {
      mx: async (name) => {
        asked.push(name)
        return { kind: 'found', records: [{ exchange: `mx.${name}`, preference: 10 }] }
      },
    },
    hostname: 'out.acme.test',
    allowPrivateNetworks: true,
    siteConcurrency: 20,
    maxDeliveries: 2_000,
  })
}

test('where the route takes all mail the path is known, whoever it is for', async () => {
  const asked: string[] = []
  for (const route of [{ kind: 'capture' } as const, relayAt(25)]) {
    const paths = finder(route, asked)
    const path = paths.known(MAIL, 'x.test')
    assert.equal(path?.site.kind, route.kind)
    assert.equal(paths.known(MAIL, 'y.test'), path)
    assert.equal(await paths.find(MAIL, 'y.test'), path)
    assert.deepEqual(path?.limits, { sessions: 20, waiting: 2_000 })
  }
  assert.deepEqual(asked, [])
})

test('direct mail waits once for each domain, in whatever case it is written', async () => {
  const asked: string[] = []
  const paths = finder({ kind: 'direct' }, asked)
  assert.equal(paths.known(MAIL, 'x.test'), null)
  const path = await paths.find(MAIL, 'X.test')
  assert.equal(paths.known(MAIL, 'x.test'), path)
  assert.equal(path.site.name, 'mx.x.test')
  assert.deepEqual(asked, ['x.test'])
  assert.deepEqual(path.limits, { sessions: 20, waiting: 200 })
})

test('what is simulated takes a path of its own by every route, and asks nobody', async () => {
  const asked: string[] = []
  for (const route of [{ kind: 'capture' } as const, { kind: 'direct' } as const, relayAt(25)]) {
    const paths = finder(route, asked)
    assert.equal(paths.known(MAIL, 'Simulator.test')?.site.kind, 'simulator')
    const rehearsal = { ...MAIL, testMode: true }
    assert.equal(paths.known(rehearsal, 'x.test')?.site.kind, 'simulator')
    assert.equal((await paths.find(rehearsal, 'x.test')).site.kind, 'simulator')
  }
  assert.deepEqual(asked, [])
})

test('a relay that asks for a login gets one session first', () => {
  const first = (route: DeliveryRoute) => finder(route).known(MAIL, 'x.test')?.policy.firstAlone
  assert.equal(first(relayAt(25)), false)
  assert.equal(first(relayAt(25, { user: 'u', password: 'p' })), true)
})
