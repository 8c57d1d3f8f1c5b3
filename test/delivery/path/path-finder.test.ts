import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { CustomRoute } from '../../../src/accounts/account.ts'
import { RouteTable, sealCredentials } from '../../../src/accounts/routes.ts'
import { Seal } from '../../../src/accounts/seal.ts'
import type { DeliveryRoute } from '../../../src/config/settings.ts'
import { PathFinder } from '../../../src/delivery/path/path-finder.ts'
import { SourceChoice } from '../../../src/delivery/path/source-choice.ts'
import { openSiteTable } from '../../../src/delivery/sites/sites-file.ts'
import { relayAt } from '../route/rig.ts'

const MAIL = { id: 'email', companyId: 'company', domainId: 'domain', testMode: false, source: null }

const NO_RATE = { messagesPerMinute: null, messagesPerHour: null }

const seal = new Seal(randomBytes(32))

function finder(route: DeliveryRoute, asked: string[] = [], routes: CustomRoute[] = []): PathFinder {
  const table = new RouteTable(routes)
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
    sites: { table: openSiteTable({ sites: null, siteConcurrency: 20 }), listen() {} },
    siteConcurrency: 20,
    maxDeliveries: 2_000,
    sources: new SourceChoice({
      addresses: null,
      hostname: 'out.acme.test',
      pools: () => [],
      poolOf: () => null,
    }),
    ownRoute: (sender) => table.for(sender),
    seal,
  })
}

test('when one route takes all mail, the path is known for every recipient', async () => {
  const asked: string[] = []
  for (const route of [{ kind: 'capture' } as const, relayAt(25)]) {
    const paths = finder(route, asked)
    const path = paths.findCached(MAIL, 'x.test')
    assert.equal(path?.site.kind, route.kind)
    assert.equal(paths.findCached(MAIL, 'y.test'), path)
    assert.equal(await paths.find(MAIL, 'y.test'), path)
    assert.deepEqual(path?.limits, { sessions: 20, waiting: 2_000, ...NO_RATE })
  }
  assert.deepEqual(asked, [])
})

test('direct mail waits once for each domain, in any case of letters', async () => {
  const asked: string[] = []
  const paths = finder({ kind: 'direct' }, asked)
  assert.equal(paths.findCached(MAIL, 'x.test'), null)
  const path = await paths.find(MAIL, 'X.test')
  assert.equal(paths.findCached(MAIL, 'x.test'), path)
  assert.equal(path.site.name, 'mx.x.test')
  assert.deepEqual(asked, ['x.test'])
  assert.deepEqual(path.limits, { sessions: 20, waiting: 200, ...NO_RATE })
})

test('simulated mail takes its own path with every route, without a look-up', async () => {
  const asked: string[] = []
  for (const route of [{ kind: 'capture' } as const, { kind: 'direct' } as const, relayAt(25)]) {
    const paths = finder(route, asked)
    assert.equal(paths.findCached(MAIL, 'Simulator.test')?.site.kind, 'simulator')
    const rehearsal = { ...MAIL, testMode: true }
    assert.equal(paths.findCached(rehearsal, 'x.test')?.site.kind, 'simulator')
    assert.equal((await paths.find(rehearsal, 'x.test')).site.kind, 'simulator')
  }
  assert.deepEqual(asked, [])
})

test('a relay with a login gets one session first', () => {
  const first = (route: DeliveryRoute) => finder(route).findCached(MAIL, 'x.test')?.policy.firstAlone
  assert.equal(first(relayAt(25)), false)
  assert.equal(first(relayAt(25, { user: 'u', password: 'p' })), true)
})

function own(
  id: string,
  domainId: string | null,
  host: string,
  sealed: Uint8Array | null = null,
): CustomRoute {
  return { id, companyId: 'company', domainId, url: `smtp://${host}:587?tls=verified`, sealed, createdAt: 0 }
}

test('mail takes the route of its domain, else that of its company, else the default route', () => {
  const routes = [own('r1', 'domain', 'one.test'), own('r2', null, 'two.test')]
  for (const route of [{ kind: 'direct' } as const, relayAt(25)]) {
    const paths = finder(route, [], routes)
    const host = (mail: object) => paths.findCached({ ...MAIL, ...mail }, 'x.test')?.site.name
    assert.equal(host({}), 'one.test')
    assert.equal(host({ domainId: 'another' }), 'two.test')
    const foreign = { companyId: 'other', domainId: 'foreign' }
    assert.equal(host(foreign), route.kind === 'direct' ? undefined : '127.0.0.1')
    assert.equal(host({ testMode: true }), 'simulator')
  }
  const [one, two] = ['domain', 'another'].map((domainId) =>
    finder(relayAt(25), [], [own('r1', 'domain', 'same.test'), own('r2', null, 'same.test')]).findCached(
      { ...MAIL, domainId },
      'x.test',
    ),
  )
  assert.notEqual(one!.key, two!.key, 'each with its own login')
})

test('in capture mode, mail with a custom route is captured, too', () => {
  const paths = finder({ kind: 'capture' }, [], [own('r1', null, 'one.test')])
  assert.equal(paths.findCached(MAIL, 'x.test')?.site.kind, 'capture')
})

test('credentials are unsealed for the path; if that fails, nothing is sent', () => {
  const credentials = { user: 'a@b:c', password: 'p/ä %' }
  const sealed = sealCredentials(seal, 'r1', credentials)
  const path = finder(relayAt(25), [], [own('r1', null, 'one.test', sealed)]).findCached(MAIL, 'x.test')!
  assert.ok(path.policy.route.kind === 'relay' && path.policy.firstAlone)
  const { user, password, host, port, tls } = path.policy.route
  assert.deepEqual(
    { user, password, host, port, tls },
    { ...credentials, host: 'one.test', port: 587, tls: 'verified' },
  )
  // Sealed for another route.
  const broken = finder(relayAt(25), [], [own('r2', null, 'one.test', sealed)]).findCached(MAIL, 'x.test')!
  assert.ok(broken.site.servers?.hosts.kind === 'none')
  assert.match(broken.site.servers.hosts.failure.message, /cannot be used/)
})
