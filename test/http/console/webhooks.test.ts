/** Webhooks through the API of the console. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Receiver } from '../../webhooks/receiver.ts'
import { Api } from '../requests.ts'
import { ok, refused, Visitor } from './visitor.ts'

interface Shown {
  id: string
  url: string
  events: string[]
  everything: boolean
  status: string
  failingSince: string | null
  behindSince: string | null
}

interface Attempt {
  id: string
  message: string
  word: string
  email: string
  recipient: string | null
  status: number | null
  response: string
  succeeded: boolean
  attempt: number
  nextAt: string | null
}

describe('webhooks in the console', () => {
  let service: Service
  let receiver: Receiver
  let api: Api
  let developer: Visitor
  let viewer: Visitor
  let operator: Visitor
  let at: string
  let beta: string

  before(async () => {
    service = await startService({ allowPrivateNetworks: true })
    receiver = await Receiver.start()
    const acme = await service.tenant('acme.example')
    beta = (await service.tenant('beta.example')).company.id
    api = new Api(service.url, acme.key.token)
    at = `/companies/${acme.company.id}/webhooks`
    developer = await Visitor.signIn(service, [{ companyId: acme.company.id, role: 'developer' }])
    viewer = await Visitor.signIn(service, [{ companyId: acme.company.id, role: 'viewer' }])
    operator = await Visitor.signIn(service, 'operator')
  })
  after(async () => {
    await receiver?.[Symbol.asyncDispose]()
    await service?.close()
  })

  const made = async (more: object = {}): Promise<string> => {
    const input = { url: receiver.url, dialect: 'json', events: [], ...more }
    return ok<{ id: string }>(await developer.ask('POST', at, input), 201).id
  }
  const tries = async (id: string, query = ''): Promise<Attempt[]> =>
    ok<{ data: Attempt[] }>(await viewer.ask('GET', `${at}/${id}/attempts${query}`)).data
  const triesOnce = (id: string, query: string, isSo: (found: Attempt[]) => boolean): Promise<Attempt[]> =>
    until(async () => {
      const found = await tries(id, query)
      return isSo(found) && found
    }, 'tries')
  const mail = { from: 'a@acme.example', to: 'b@x.test', subject: 'Bonjour', text: 't' }

  test('a webhook is created, changed, switched off and on, and removed', async () => {
    const words = ok<Record<'json' | 'form', { word: string; types: string[] }[]>>(
      await viewer.ask('GET', '/webhook-words'),
    )
    assert.deepEqual(words.form.find(({ word }) => word === 'permanent_fail')!.types.sort(), [
      'bounced',
      'failed',
      'suppressed',
    ])
    const id = await made({ events: ['email.bounced'], domain: 'acme.example' })
    const one = `${at}/${id}`
    const shown = ok<Shown>(await developer.ask('GET', one))
    assert.deepEqual(
      [shown.url, shown.events, shown.everything, shown.status, shown.behindSince],
      [receiver.url, ['email.bounced'], false, 'enabled', null],
    )
    assert.equal(ok<Shown>(await developer.ask('PATCH', one, { events: [] })).everything, true)
    assert.equal(ok<Shown>(await developer.ask('PATCH', one, { enabled: false })).status, 'disabled')
    refused(
      await developer.ask('POST', `${one}/replay`, { since: '2020-01-01', what: 'failed' }),
      409,
      'conflict',
    )
    assert.equal(ok<Shown>(await developer.ask('PATCH', one, { enabled: true })).status, 'enabled')
    const { secret, own } = ok<{ secret: string; own: boolean }>(await developer.ask('GET', `${one}/secret`))
    assert.match(secret, /^whsec_/)
    assert.equal(own, true)
    assert.notEqual(ok<{ secret: string }>(await developer.ask('POST', `${one}/secret`)).secret, secret)
    ok(await developer.ask('DELETE', one))
    refused(await viewer.ask('GET', one), 404, 'not_found')
  })

  test('in the form dialect the secret is that of the company', async () => {
    const [one, other] = [await made({ dialect: 'form' }), await made({ dialect: 'form' })]
    const secret = async (id: string) =>
      ok<{ secret: string; own: boolean }>(await developer.ask('GET', `${at}/${id}/secret`))
    assert.deepEqual(await secret(one), await secret(other))
    assert.equal((await secret(one)).own, false)
    const before = await secret(one)
    ok(await developer.ask('POST', `${at}/${one}/secret`))
    assert.notEqual((await secret(other)).secret, before.secret)
    for (const id of [one, other]) ok(await developer.ask('DELETE', `${at}/${id}`))
  })

  test('an attempt names the recipient that its event is about', async () => {
    const id = await made({ events: ['email.delivered', 'email.sent'] })
    receiver.answer = () => 200
    await api.accepted({ ...mail, to: ['b@x.test', 'c@x.test'] })
    const found = await triesOnce(id, '', ({ length }) => length === 3)
    assert.deepEqual(found.map(({ word, recipient }) => `${word} ${recipient}`).toSorted(), [
      'email.delivered b@x.test',
      'email.delivered c@x.test',
      'email.sent null',
    ])
    ok(await developer.ask('DELETE', `${at}/${id}`))
  })

  test('a failed attempt is shown with its request and response, and its event is sent again', async () => {
    const id = await made({ events: ['email.sent'] })
    const one = `${at}/${id}`
    receiver.answer = () => ({ status: 500, body: 'out of order' })
    const email = await api.accepted(mail)
    const [failed] = await triesOnce(id, '?result=failed', (found) => found.length > 0)
    assert.deepEqual(
      [failed!.word, failed!.email, failed!.status, failed!.response, failed!.attempt],
      ['email.sent', email, 500, 'out of order', 1],
    )
    assert.notEqual(failed!.nextAt, null)
    assert.deepEqual(await tries(id, '?result=succeeded'), [])
    const told = ok<{ status: string; body: string }>(
      await viewer.ask('GET', `${one}/messages/${failed!.message}`),
    )
    assert.equal(told.status, 'attempting')
    assert.deepEqual(JSON.parse(told.body), JSON.parse(receiver.received.at(-1)!.body))
    assert.notEqual(ok<Shown>(await viewer.ask('GET', one)).failingSince, null)

    receiver.answer = () => 200
    ok(await developer.ask('POST', `${one}/messages/${failed!.message}/replay`))
    const of = `?message=${failed!.message}`
    const [taken] = await triesOnce(id, of, ([newest]) => newest?.succeeded === true)
    assert.equal(taken!.status, 200)
    // A page of one, then the next.
    const page = ok<{ data: Attempt[]; more: boolean }>(await viewer.ask('GET', `${one}/attempts?limit=1`))
    assert.equal(page.more, true)
    const rest = await tries(id, `?before=${page.data[0]!.id}`)
    assert.equal(
      rest.some((each) => each.id === page.data[0]!.id),
      false,
    )
    assert.equal(
      rest.some((each) => each.id === failed!.id),
      true,
    )
    ok(await developer.ask('DELETE', one))
  })

  test('events that were given up are sent again from a time on, and delivered ones are not', async () => {
    // 406 of the form dialect: do not try again.
    const id = await made({ dialect: 'form', events: ['accepted'] })
    const one = `${at}/${id}`
    receiver.answer = () => 406
    for (let nth = 0; nth < 3; nth++) await api.accepted(mail)
    await triesOnce(id, '', (found) => found.length === 3)
    receiver.answer = () => 200
    await api.accepted(mail)
    await triesOnce(id, '?result=succeeded', (found) => found.length === 1)
    const since = new Date(Date.now() - 60_000).toISOString()
    const later = new Date(Date.now() + 60_000).toISOString()
    const again = (body: object) => developer.ask('POST', `${one}/replay`, body)
    assert.deepEqual(ok(await again({ since: later, what: 'failed' })), { told: 0, next: null })
    assert.deepEqual(ok(await again({ since, what: 'failed' })), { told: 3, next: null })
    await triesOnce(id, '?result=succeeded', (found) => found.length === 4)
    assert.deepEqual(ok(await again({ since, what: 'failed' })), { told: 0, next: null })
    const received = receiver.received.length
    assert.deepEqual(ok(await again({ since, what: 'everything' })), { told: null, next: null })
    await receiver.until((all) => all.length === received + 4)
    refused(await again({ since: 'yesterday', what: 'failed' }), 422, 'invalid')
    ok(await developer.ask('DELETE', one))
  })

  test('a sample shows its answer at once', async () => {
    const id = await made()
    receiver.answer = () => ({ status: 418, body: '<b>teapot</b>' })
    const tested = ok<{ status: number; response: string; body: string; headers: { name: string }[] }>(
      await developer.ask('POST', `${at}/${id}/test`, { event: 'email.bounced' }),
    )
    assert.deepEqual([tested.status, tested.response], [418, '<b>teapot</b>'])
    assert.equal(JSON.parse(tested.body).type, 'email.bounced')
    assert.ok(tested.headers.some(({ name }) => name === 'svix-signature'))
    refused(await developer.ask('POST', `${at}/${id}/test`, { event: 'x' }), 422, 'invalid')
    ok(await developer.ask('DELETE', `${at}/${id}`))
  })

  test('a viewer sees no secret and changes nothing; webhooks of other companies are not found', async () => {
    const id = await made()
    const one = `${at}/${id}`
    const changes: [string, string, object?][] = [
      ['POST', at, { url: receiver.url, dialect: 'json', events: [] }],
      ['PATCH', one, { enabled: false }],
      ['DELETE', one],
      ['GET', `${one}/secret`],
      ['POST', `${one}/secret`],
      ['POST', `${one}/replay`, { since: '2020-01-01', what: 'failed' }],
      ['POST', `${one}/test`, { event: 'email.sent' }],
    ]
    for (const [method, path, body] of changes) {
      refused(await viewer.ask(method, path, body), 403, 'not_allowed')
    }
    // Under the path of another company it is not there, for operators either.
    refused(await operator.ask('GET', `/companies/${beta}/webhooks/${id}`), 404, 'not_found')
    ok(await operator.ask('GET', one))
    const all = ok<{ data: Shown[] }>(await operator.ask('GET', '/companies/all/webhooks'))
    assert.ok(all.data.some((each) => each.id === id))
    const stranger = await Visitor.signIn(service, [{ companyId: beta, role: 'owner' }])
    for (const path of [at, one, `${one}/attempts`])
      refused(await stranger.ask('GET', path), 404, 'not_found')
    refused(await stranger.ask('GET', `/companies/${beta}/webhooks/${id}`), 404, 'not_found')
    ok(await developer.ask('DELETE', one))
  })

  test('a viewer sees the origin of a URL, but not the secrets in its path and query', async () => {
    const origin = 'https://hooks.example:8443'
    const [plain, secret] = [
      await made({ url: `${origin}/` }),
      await made({ url: `${origin}/T0/B1?key=s3cret` }),
    ]
    const urlOf = async (visitor: Visitor, id: string) =>
      ok<Shown>(await visitor.ask('GET', `${at}/${id}`)).url
    assert.equal(await urlOf(developer, secret), `${origin}/T0/B1?key=s3cret`)
    assert.equal(await urlOf(viewer, plain), `${origin}/`)
    assert.equal(await urlOf(viewer, secret), `${origin}/…`)
    const listed = ok<{ data: Shown[] }>(await viewer.ask('GET', at))
    assert.ok(listed.data.some(({ id, url }) => id === secret && url === `${origin}/…`))
    assert.doesNotMatch(JSON.stringify(listed), /s3cret|\/T0/)
    for (const id of [plain, secret]) ok(await developer.ask('DELETE', `${at}/${id}`))
  })

  test('pages of a list', async () => {
    const ids: string[] = []
    for (let nth = 0; nth < 3; nth++) ids.unshift(await made({ url: `${receiver.url}/${nth}` }))
    const first = ok<{ data: Shown[]; more: boolean }>(await viewer.ask('GET', `${at}?limit=2`))
    assert.deepEqual([first.data.map(({ id }) => id), first.more], [ids.slice(0, 2), true])
    const rest = ok<{ data: Shown[]; more: boolean }>(
      await viewer.ask('GET', `${at}?limit=2&after=${ids[1]}`),
    )
    assert.deepEqual([rest.data.map(({ id }) => id), rest.more], [ids.slice(2), false])
    for (const id of ids) ok(await developer.ask('DELETE', `${at}/${id}`))
  })
})
