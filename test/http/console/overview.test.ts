/** The console's figures of mail and of the installation, over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type {
  BacklogJson,
  Installation,
  LatencySeriesJson,
  VolumeSeriesJson,
  VolumesJson,
} from '../../../src/http/console/contract/overview.ts'
import type { WaitingSiteItem } from '../../../src/http/console/contract/queue.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import type { Reply } from '../requests.ts'
import { ok, Visitor } from './visitor.ts'

let service: Service
let acme: string
let beta: string
let viewer: Visitor
let operator: Visitor
let token: string

before(async () => {
  service = await startService()
  const [tenant, other] = [await service.tenant('acme.example'), await service.tenant('beta.example')]
  acme = tenant.company.id
  beta = other.company.id
  viewer = await Visitor.signIn(service, [{ companyId: acme, role: 'viewer' }])
  operator = await Visitor.signIn(service, 'operator')
  token = tenant.key.token
  await send(tenant.key.token, 'a@acme.example', 'ada@one.example')
  await send(tenant.key.token, 'a@acme.example', 'bounced@simulator.test')
  await send(other.key.token, 'b@beta.example', 'bea@two.example')
  await until(async () => (await volume(operator, 'all')).totals.delivered === 2, 'the counts')
})
after(() => service.close())

async function send(by: string, from: string, to: string, change: object = {}): Promise<void> {
  const response = await fetch(`${service.url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from, to, subject: 's', text: 't', ...change }),
  })
  assert.equal(response.status, 200)
}

async function volume(who: Visitor, company: string, query = 'span=hour'): Promise<VolumeSeriesJson> {
  return ok(await who.ask('GET', `/companies/${company}/overview/volume?${query}`))
}

describe('overview', () => {
  test('figures by time: of a company, of one of its domains, and of all companies together', async () => {
    const own = await volume(viewer, acme)
    assert.deepEqual([own.totals.accepted, own.totals.delivered, own.totals.bounced], [2, 1, 1])
    assert.equal(own.series.delivered?.length, (own.until - own.since) / own.step)
    assert.equal(
      own.series.delivered?.reduce((sum, n) => sum + n, 0),
      1,
    )
    assert.equal((await volume(viewer, acme, 'span=day&domain=acme.example')).totals.accepted, 2)
    assert.equal((await volume(operator, 'all', 'span=year')).totals.accepted, 3)
  })

  test('figures of one recipient domain by the hour', async () => {
    const there = await volume(viewer, acme, 'span=hour&to=Simulator.test')
    assert.deepEqual(there.totals, { accepted: 1, bounced: 1 })
    assert.equal(there.series.bounced?.length, 2)
    const both = await viewer.ask(
      'GET',
      `/companies/${acme}/overview/volume?span=day&to=x.test&domain=acme.example`,
    )
    assert.equal(both.status, 422, both.text)
    assert.deepEqual((await volume(viewer, acme, 'span=hour&to=two.example')).totals, {})
    assert.equal((await volume(operator, 'all', 'span=day&to=two.example')).totals.delivered, 1)
  })

  test('by destination, by sending domain, by latency', async () => {
    const { busiest, failing } = ok<{ busiest: VolumesJson; failing: VolumesJson }>(
      await viewer.ask('GET', `/companies/${acme}/overview/destinations?span=hour`),
    )
    assert.deepEqual(busiest.map(({ name }) => name).sort(), ['one.example', 'simulator.test'])
    assert.deepEqual(
      failing.map(({ name, volume: { bounced } }) => [name, bounced]),
      [['simulator.test', 1]],
    )
    const domains = ok<{ volumes: VolumesJson }>(
      await viewer.ask('GET', `/companies/${acme}/overview/domains?span=hour`),
    )
    assert.deepEqual(
      domains.volumes.map(({ name }) => name),
      ['acme.example'],
    )
    const { reasons } = ok<{ reasons: object[] }>(
      await viewer.ask('GET', `/companies/${acme}/overview/reasons?span=hour`),
    )
    assert.deepEqual(reasons, [{ category: 'address_unknown', provider: '', failures: 1, delays: 0 }])
    const { p50, whole } = ok<LatencySeriesJson>(
      await viewer.ask('GET', `/companies/${acme}/overview/latency?span=hour`),
    )
    assert.deepEqual(
      p50.filter((ms) => ms !== null),
      [whole?.p50],
    )
  })

  test('waiting mail with its reason: a pause shows at its destination', async () => {
    assert.deepEqual(
      ok(await operator.ask('POST', '/installation/pauses', { company: acme, domain: 'slow.example' })),
      {},
    )
    await send(token, 'a@acme.example', 'x@slow.example', {
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const backlog = ok<BacklogJson>(await viewer.ask('GET', `/companies/${acme}/overview/backlog`))
    assert.equal(backlog.waiting, 1)
    assert.match(backlog.oldest?.id ?? '', /^[0-9a-f-]{36}$/)
    type Sums<Sum> = { sums: Sum[]; count: number }
    type Waiting = Pick<WaitingSiteItem, 'waiting' | 'paused' | 'pausedAlone' | 'oldestAt' | 'lastMessage'>
    const own = ok<Sums<Waiting & { domain: string }>>(
      await viewer.ask('GET', `/companies/${acme}/queue/domains`),
    )
    assert.deepEqual(
      own.sums.map(({ domain, waiting, paused, pausedAlone }) => [domain, waiting, paused, pausedAlone]),
      [['slow.example', 1, true, true]],
    )
    assert.equal(own.sums[0]?.oldestAt, backlog.oldest?.at)
    // All of it is paused, and yet no pause is of all companies.
    const all = ok<Sums<Waiting & { domain: string }>>(
      await operator.ask('GET', '/companies/all/queue/domains'),
    )
    assert.deepEqual(
      all.sums.map(({ domain, paused, pausedAlone }) => [domain, paused, pausedAlone]),
      [['slow.example', true, false]],
    )
    const companies = ok<Sums<Waiting & { company: { id: string } }>>(
      await operator.ask('GET', '/installation/queue/companies'),
    )
    assert.deepEqual(
      companies.sums.map(({ company, waiting, pausedAlone, oldestAt }) => [
        company.id,
        waiting,
        pausedAlone,
        oldestAt,
      ]),
      [[acme, 1, false, backlog.oldest?.at]],
    )
    assert.equal(companies.count, 1)
    const next = ok<Sums<Waiting>>(await operator.ask('GET', '/installation/queue/companies?page=2'))
    assert.deepEqual([next.sums, next.count], [[], 1])
    const retried = { retried: 0, scheduled: 0, paused: 1, held: 0, delivering: true }
    const retry = `/companies/${acme}/overview/backlog/retry`
    assert.deepEqual(ok(await operator.ask('POST', retry, { domain: 'slow.example' })), retried)
    assert.deepEqual(ok(await operator.ask('POST', retry, { domain: null })), retried)
    assert.equal((await viewer.ask('POST', retry, { domain: null })).status, 403)
    assert.equal((await operator.ask('POST', retry, { domain: 'no domain' })).status, 422)
    const shown = ok<Installation>(await operator.ask('GET', '/installation'))
    assert.deepEqual(
      shown.pauses.map(({ company, domain }) => [company?.id, domain]),
      [[acme, 'slow.example']],
    )
    assert.deepEqual(
      shown.nodes.map(({ roles }) => roles),
      [['api', 'delivery']],
    )
    assert.ok(shown.storage.database > 0)
    // By site as well, for operators: here all mail goes to one place.
    const { sums: sites, count } = ok<Sums<WaitingSiteItem>>(
      await operator.ask('GET', '/installation/queue/sites'),
    )
    assert.equal(count, 1)
    const [site] = sites
    assert.deepEqual(
      [site?.name, site?.domain, site?.domains, site?.domainCount, site?.waiting, site?.sessions],
      ['capture', null, ['slow.example'], 1, 1, 0],
    )
    assert.deepEqual([site?.paused, site?.pausedAlone], [true, false])
    assert.ok(Date.parse(site?.oldestAt ?? '') <= Date.now())
    assert.equal((await viewer.ask('GET', '/installation/queue/sites')).status, 403)
    ok(await operator.ask('POST', '/installation/pauses/end', { company: acme, domain: 'slow.example' }))
    assert.equal(
      (await operator.ask('POST', '/installation/pauses/end', { company: acme, domain: null })).status,
      404,
    )
  })

  test('an invalid request, or one about another company, is refused', async () => {
    const status = async (who: Visitor, path: string) => (await who.ask('GET', path)).status
    assert.equal(await status(viewer, `/companies/${acme}/overview/volume`), 422)
    assert.equal(await status(viewer, `/companies/${acme}/overview/volume?span=century`), 422)
    assert.equal(
      await status(viewer, `/companies/${acme}/overview/volume?span=hour&domain=beta.example`),
      404,
    )
    assert.equal(await status(operator, '/companies/all/overview/domains?span=hour'), 422)
    for (const path of ['volume?span=hour', 'latency?span=hour', 'backlog']) {
      assert.equal(await status(viewer, `/companies/${beta}/overview/${path}`), 404)
      assert.equal(await status(viewer, `/companies/all/overview/${path}`), 404)
    }
    assert.equal(await status(viewer, '/installation'), 403)
    assert.equal(await status(viewer, '/installation/companies?span=hour'), 403)
    assert.equal((await viewer.ask('POST', '/installation/companies', { name: 'Mine' })).status, 403)
  })

  test('companies, and a new one', async () => {
    const { volumes } = ok<{ volumes: VolumesJson }>(
      await operator.ask('GET', '/installation/companies?span=month'),
    )
    assert.deepEqual(volumes.map(({ key }) => key).sort(), [acme, beta].sort())
    const { id, name } = ok<{ id: string; name: string }>(
      await operator.ask('POST', '/installation/companies', { name: ' Gamma ' }),
    )
    assert.equal(name, 'Gamma')
    const me = ok<{ companies: { id: string }[] }>(await operator.ask('GET', '/session'))
    assert.ok(me.companies.some((company) => company.id === id))
    assert.equal((await operator.ask('POST', '/installation/companies', { name: 'Gamma' })).status, 409)
    assert.equal((await operator.ask('POST', '/installation/companies', { name: '' })).status, 422)
  })
})

describe('the first steps', () => {
  test('a message written in the console is sent like one of an application, and shows its author', async () => {
    const owner = await Visitor.signIn(service, [{ companyId: acme, role: 'owner' }])
    const { domains } = ok<{ domains: string[] }>(await owner.ask('GET', `/companies/${acme}/senders`))
    assert.deepEqual(domains, ['acme.example'])
    const message = {
      from: 'Acme <a@acme.example>',
      to: 'you@example.test',
      subject: 'Hello',
      html: '<p>Hi</p>',
    }
    const { id } = ok<{ id: string }>(await owner.ask('POST', `/companies/${acme}/messages`, message))
    await until(async () => (await service.store.readEmail(id))?.lastEvent === 'delivered', 'its delivery')
    assert.equal((await service.store.emailOrigin(id))?.keyId, `person:${owner.person.id}`)
    const step = ok<{ state: string; found: string }>(
      await owner.ask('GET', `/companies/${acme}/steps/message`),
    )
    assert.deepEqual([step.state, step.found], ['done', 'The latest email is "Hello", to you@example.test.'])
    ok(await owner.ask('POST', `/companies/${acme}/messages`, { ...message, subject: 'long '.repeat(50) }))
    const { found } = ok<{ found: string }>(await owner.ask('GET', `/companies/${acme}/steps/message`))
    assert.equal(found, `The latest email is "${'long '.repeat(20)}…", to you@example.test.`)
  })

  test('an error is reported at its field; a viewer sends nothing, and no person sends for another company', async () => {
    const owner = await Visitor.signIn(service, [{ companyId: acme, role: 'owner' }])
    const send = (who: Visitor, company: string, change: object) => {
      const message = { from: 'a@acme.example', to: 'you@example.test', subject: 'x', text: 't', ...change }
      return who.ask('POST', `/companies/${company}/messages`, message)
    }
    const errorOf = ({ status, body }: Reply) => [status, (body.error as { field?: string }).field]
    assert.deepEqual(errorOf(await send(owner, acme, { to: 'nobody' })), [422, 'to'])
    assert.deepEqual(errorOf(await send(owner, acme, { from: 'b@beta.example' })), [422, 'from'])
    assert.equal((await send(viewer, acme, {})).status, 403)
    assert.equal((await send(owner, beta, {})).status, 404)
    assert.equal((await send(operator, 'all', {})).status, 422)
  })

  test('steps of the installation are for operators', async () => {
    assert.equal((await viewer.ask('GET', '/installation/steps/route')).status, 403)
    const route = ok<{ state: string }>(await operator.ask('GET', '/installation/steps/route'))
    assert.equal(route.state, 'open')
    assert.equal((await operator.ask('GET', '/installation/steps/nonsense')).status, 422)
    assert.equal((await operator.ask('GET', `/companies/${acme}/steps/backup`)).status, 404)
  })
})
