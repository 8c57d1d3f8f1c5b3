/** The stream of changes misses nothing, shows nothing of other companies, and ends when its reader loses the right to read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, inTime } from '../requests.ts'
import { type Changes, EventStream } from './event-stream.ts'
import { Visitor } from './visitor.ts'

interface Tenant {
  company: Company
  live: string
  send(subject?: string): Promise<string>
}

describe('the stream of changes', () => {
  let service: Service
  let acme: Tenant
  let other: Tenant
  let operator: Visitor

  async function tenant(name: string): Promise<Tenant> {
    const { company, key } = await service.tenant(name)
    const api = new Api(service.url, key.token)
    const send = (subject = 'Hello') =>
      api.accepted({ from: `a@${name}`, to: 'you@x.test', subject, text: 'Hi' })
    return { company, live: `${service.url}/console/api/companies/${company.id}/live`, send }
  }
  const member = (of: Tenant) => Visitor.signIn(service, [{ companyId: of.company.id, role: 'viewer' }])
  const idsOf = (told: Changes[]) => new Set(told.flatMap(({ emails }) => emails.map(({ id }) => id)))
  const delivered = (id: string) => (told: Changes[]) =>
    told.some(({ emails }) => emails.some((email) => email.id === id && email.lastEvent === 'delivered'))

  before(async () => {
    service = await startService({ metrics: 'same' })
    acme = await tenant('mine.test')
    other = await tenant('other.test')
    operator = await Visitor.signIn(service, 'operator')
  })
  after(() => service.close())

  test('sends the position in the log, then each email that changes, in its current state', async () => {
    const stream = await EventStream.open(await member(acme), acme.live)
    assert.equal(stream.response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(stream.response.headers.get('cache-control'), 'no-store')
    assert.equal(stream.response.headers.get('x-accel-buffering'), 'no')
    const begun = await stream.next()
    assert.deepEqual({ ...begun, cursor: 0 }, { cursor: 0, emails: [], more: false })
    const id = await acme.send('A subject')
    const told = await stream.until(delivered(id))
    const { emails } = told.at(-1)!
    assert.equal(emails.length, 1)
    const [{ createdAt, ...email }] = emails as [Changes['emails'][number]]
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000)
    assert.deepEqual(email, {
      ...{ id, company: acme.company.id, domain: 'mine.test', from: 'a@mine.test', to: 'you@x.test' },
      ...{
        subject: 'A subject',
        tags: [],
        tagCount: 0,
        scheduledAt: null,
        lastEvent: 'delivered',
        recipients: 1,
      },
      states: [{ state: 'captured', status: 'captured', count: 1 }],
    })
    assert.ok(told.at(-1)!.cursor > begun!.cursor)
    assert.equal(stream.lastId, String(told.at(-1)!.cursor))
    await stream.cut()
  })

  test('misses nothing after an interruption, with either way to name the position', async () => {
    const visitor = await member(acme)
    let stream = await EventStream.open(visitor, acme.live)
    await stream.next()
    const sent: string[] = []
    const seen = new Set<string>()
    for (let round = 0; round < 6; round++) {
      sent.push(await acme.send())
      // One change is sent, one may be sent or not, and one comes while no client listens.
      for (const id of idsOf(await stream.until(delivered(sent.at(-1)!)))) seen.add(id)
      sent.push(await acme.send())
      const { lastId } = stream
      await stream.cut()
      sent.push(await acme.send())
      stream =
        round % 2 === 0
          ? await EventStream.open(visitor, acme.live, { 'last-event-id': lastId })
          : await EventStream.open(visitor, `${acme.live}?after=${lastId}`)
      const missed = await stream.until((told) => idsOf(told).has(sent.at(-1)!))
      assert.ok(missed.every(({ more }) => !more))
      for (const id of idsOf(missed)) seen.add(id)
    }
    assert.deepEqual(
      sent.filter((id) => !seen.has(id)),
      [],
    )
    await stream.cut()
  })

  test('reports that there is more when there are too many changes', async () => {
    const visitor = await member(acme)
    const stream = await EventStream.open(visitor, acme.live)
    await stream.next()
    const { lastId } = stream
    await stream.cut()
    for (let n = 0; n < 60; n++) await acme.send()
    const again = await EventStream.open(visitor, acme.live, { 'last-event-id': lastId })
    const first = await again.next()
    assert.equal(first?.emails.length, 50)
    assert.equal(first.more, true)
    await again.cut()
    // A number of another database: the missed changes are unknown.
    const elsewhere = await EventStream.open(visitor, `${acme.live}?after=${Number.MAX_SAFE_INTEGER}`)
    const told = await elsewhere.next()
    assert.equal(told?.more, true)
    assert.ok(told.cursor < Number.MAX_SAFE_INTEGER)
    await elsewhere.cut()
  })

  test('shows a company no changes of another, and an operator those of all', async () => {
    const mine = await EventStream.open(await member(acme), acme.live)
    const theirs = await EventStream.open(await member(other), other.live)
    const all = await EventStream.open(operator, `${service.url}/console/api/companies/all/live`)
    for (const stream of [mine, theirs, all]) await stream.next()
    const [first, second] = [await other.send(), await acme.send()]
    assert.deepEqual(idsOf(await mine.until(delivered(second))), new Set([second]))
    assert.deepEqual(idsOf(await theirs.until(delivered(first))), new Set([first]))
    const both = await all.until((told) => delivered(first)(told) && delivered(second)(told))
    assert.deepEqual(idsOf(both), new Set([first, second]))
    for (const stream of [mine, theirs, all]) await stream.cut()

    const stranger = await member(other)
    for (const company of [acme.company.id, 'all', 'nobody']) {
      assert.equal((await stranger.ask('GET', `/companies/${company}/live`)).status, 404, company)
    }
    assert.equal((await fetch(acme.live)).status, 401)
    assert.equal((await stranger.ask('GET', `/companies/${other.company.id}/live?after=x`)).status, 422)
  })

  test('ends with the session, and when the person leaves the company', async () => {
    // The other membership does not keep the stream of this company open.
    const both = [acme, other].map(({ company: { id } }) => ({ companyId: id, role: 'viewer' as const }))
    const leaves = await Visitor.signIn(service, both)
    const signsOut = await member(acme)
    const stays = await member(acme)
    const streams = await Promise.all(
      [leaves, signsOut, stays].map((each) => EventStream.open(each, acme.live)),
    )
    for (const stream of streams) await stream.next()
    const elsewhere = await EventStream.open(leaves, other.live)
    await elsewhere.next()
    const [left, out, kept] = streams as [EventStream, EventStream, EventStream]
    await service.store.setMembership(leaves.person.id, acme.company.id, null)
    assert.equal((await signsOut.ask('DELETE', '/session')).status, 200)
    assert.equal(await inTime(left.next(), 'the end of a stream'), null)
    assert.equal(await inTime(out.next(), 'the end of a stream'), null)
    const id = await acme.send()
    await kept.until(delivered(id))
    await kept.cut()
    // Of the other company, where the person stays.
    await elsewhere.until(delivered(await other.send()))
    await elsewhere.cut()
  })

  test('does not count as a request under way, and is limited for each person', async () => {
    const visitor = await member(acme)
    const streams: EventStream[] = []
    for (let n = 0; n < 24; n++) streams.push(await EventStream.open(visitor, acme.live))
    const refused = await visitor.ask('GET', `/companies/${acme.company.id}/live`)
    assert.equal(refused.status, 429)
    assert.match(refused.text, /too_many_requests/)
    // Another person is not affected.
    const another = await EventStream.open(await member(acme), acme.live)
    await another.cut()
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /^postroad_http_requests_under_way\{state="all"\} 0$/m)
    for (const stream of streams) await stream.cut()
    await until(async () => {
      const response = await fetch(acme.live, { headers: { cookie: visitor.cookie } })
      await response.body!.cancel()
      return response.status === 200
    }, 'a place for another stream')
  })
})

test('streams end at once when the service stops', async () => {
  await using service = await startService()
  const visitor = await Visitor.signIn(service, 'operator')
  const stream = await EventStream.open(visitor, `${service.url}/console/api/companies/all/live`)
  await stream.next()
  const stopped = service.stop()
  assert.equal(await stream.next(), null)
  await stopped
})
