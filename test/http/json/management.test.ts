/** Sending domains and API keys of the JSON dialect, as the published clients call them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import { type FakeDns, startDns } from '../../../harness/dns.ts'
import { idAt } from '../../../src/email/suppression.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertJsonError, call, type Reply } from '../requests.ts'

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/
const NOWHERE = '019a9b2c-0000-7000-8000-ffffffffffff'

let dns: FakeDns
let service: Service
let companyId: string
let api: Api
let resend: Resend
/** The oldest client that is tried. */
let old: InstanceType<typeof import('resend-4')['Resend']>

before(async () => {
  dns = await startDns({})
  service = await startService({ dnsServers: [dns.address] })
  const tenant = await service.tenant('first.test')
  companyId = tenant.company.id
  const { token } = await service.key(companyId, { scopes: ['sending', 'reading', 'management'] })
  api = new Api(service.url, token)
  resend = new Resend(token, { baseUrl: service.url })
  process.env.RESEND_BASE_URL = service.url
  const { Resend: Old } = await import('resend-4')
  old = new Old(token)
})
after(async () => {
  await service.close()
  await dns.close()
})

function request(method: string, path: string, body?: unknown, token = api.token): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return call(`${service.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** The data in the answer to a client; fails with the error in its place. */
function given<Data>({ data, error }: { data: Data | null; error: unknown }): Data {
  assert.equal(error, null, JSON.stringify(error))
  return data!
}

describe('/domains', () => {
  test('a domain is created, shown, listed, changed, verified and removed with the newest client', async () => {
    const made = given(await resend.domains.create({ name: 'Shop.Example.test', openTracking: true }))
    assert.match(made.id, UUID7)
    assert.match(made.created_at, TIME)
    assert.deepEqual(
      [made.name, made.status, made.region, made.open_tracking, made.click_tracking],
      ['shop.example.test', 'not_started', 'us-east-1', true, false],
    )
    // It is a setting: whether the records were seen is the status.
    assert.deepEqual(made.capabilities, { sending: 'enabled', receiving: 'disabled' })
    const dkim = made.records.find(({ record }) => record === 'DKIM')!
    assert.deepEqual([dkim.type, dkim.ttl, dkim.status], ['TXT', 'Auto', 'not_started'])
    assert.match(dkim.name, /^pr\d{8}\._domainkey\.shop\.example\.test$/)
    assert.deepEqual(
      made.records.map(({ record }) => record),
      ['DKIM', 'SPF'],
    )

    const shown = given(await resend.domains.get(made.id))
    assert.deepEqual(shown, { object: 'domain', ...made })
    const listed = given(await resend.domains.list())
    assert.deepEqual([listed.object, listed.has_more], ['list', false])
    assert.deepEqual(
      listed.data.map(({ name }) => name),
      ['shop.example.test', 'first.test'],
    )
    assert.ok(!('records' in listed.data[0]!))
    assert.deepEqual(
      given(await resend.domains.update({ id: made.id, openTracking: false, clickTracking: true })),
      {
        object: 'domain',
        id: made.id,
      },
    )

    dns.zone[`${dkim.name}/TXT`] = ['v=DKIM1; k=rsa; p=']
    assert.deepEqual(given(await resend.domains.verify(made.id)), { object: 'domain', id: made.id })
    const wrong = given(await resend.domains.get(made.id))
    assert.deepEqual([wrong.status, wrong.open_tracking, wrong.click_tracking], ['failed', false, true])
    assert.deepEqual(
      wrong.records.map(({ status }) => status),
      ['failed', 'pending'],
    )
    dns.zone[`${dkim.name}/TXT`] = [dkim.value]
    given(await resend.domains.verify(made.id))
    const right = given(await resend.domains.get(made.id))
    assert.deepEqual([right.status, right.capabilities.sending], ['verified', 'enabled'])
    assert.deepEqual(
      right.records.map(({ status }) => status),
      ['verified', 'pending'],
    )
    // What is verified may send at once.
    const email = { from: 'a@shop.example.test', to: 'b@x.test', text: 't' }
    await api.accepted(email)

    given(await resend.domains.update({ id: made.id, capabilities: { sending: 'disabled' } }))
    const off = given(await resend.domains.get(made.id))
    assert.deepEqual([off.status, off.capabilities.sending], ['verified', 'disabled'])
    const disabled = /`shop\.example\.test` domain may not send: sending is disabled in its settings/
    assertJsonError(await api.send(email), 403, 'validation_error', disabled)
    given(await resend.domains.update({ id: made.id, capabilities: { sending: 'enabled' } }))
    await api.accepted(email)

    const gone = given(await resend.domains.remove(made.id))
    assert.deepEqual(gone, { object: 'domain', id: made.id, deleted: true })
    assertJsonError(await request('GET', `/domains/${made.id}`), 404, 'not_found', 'Domain not found')
    const denied = await api.send(email)
    assertJsonError(denied, 403, 'validation_error', /not verified/)
  })

  test('with the oldest client', async () => {
    const made = given(await old.domains.create({ name: 'old.test', region: 'eu-west-1' }))
    assert.equal(made.name, 'old.test')
    assert.equal(given(await old.domains.get(made.id)).id, made.id)
    assert.ok(given(await old.domains.list()).data.some(({ id }) => id === made.id))
    given(await old.domains.update({ id: made.id, clickTracking: true }))
    given(await old.domains.verify(made.id))
    assert.equal(given(await old.domains.remove(made.id)).deleted, true)
  })

  test('scheduled mail fails with the reason when its domain was removed', async () => {
    const { id: domainId } = given(await resend.domains.create({ name: 'leaving.test' }))
    await service.store.updateDomain(domainId, { sending: 'active' })
    await service.app.refreshAccounts()
    const email = { from: 'a@leaving.test', to: 'b@x.test', text: 't' }
    const at = new Date(Date.now() + 86_400_000).toISOString()
    const id = await api.accepted({ ...email, scheduled_at: at })
    given(await resend.domains.remove(domainId))
    await service.store.retry({ companyId: null, domains: null, emailId: id, now: Date.now() })
    const history = async () => (await service.store.readHistory(id))!
    await until(async () => (await history()).recipients[0]!.state === 'failed', 'the email to fail')
    const { recipients, events, attempts } = await history()
    assert.match(String(recipients[0]!.lastMessage), /sending domain was removed/)
    assert.deepEqual([recipients[0]!.attempts, attempts.length], [0, 0])
    assert.match(String(events.at(-1)!.detail.message), /sending domain was removed/)
    assert.equal((await api.get(`/emails/${id}`)).body.last_event, 'failed')
    // Its name is free again.
    given(await resend.domains.create({ name: 'leaving.test' }))
  })

  test('invalid requests are refused, with the messages of the dialect', async () => {
    await service.tenant('theirs.test')
    const create = (body: unknown) => request('POST', '/domains', body)
    assertJsonError(await create({}), 422, 'missing_required_field', 'Missing `name` field.')
    assertJsonError(await create({ name: 'no domain' }), 422, 'validation_error')
    const taken = 'The `first.test` domain has been registered already.'
    assertJsonError(await create({ name: 'first.test' }), 403, 'validation_error', taken)
    // A company learns nothing about the holder of a name before it has proven the name.
    assert.equal((await create({ name: 'theirs.test' })).status, 201)
    const options = [
      [{ capabilities: { receiving: 'enabled' } }, /`capabilities\.receiving` is not supported/],
      [{ custom_return_path: 'refused.test' }, /must be another host/],
      [{ custom_return_path: 'no host' }, /no host/],
      [{ tracking_subdomain: 'links' }, /`tracking_subdomain` is not supported/],
      [{ region: 'mars' }, /`region`/],
      [{ open_tracking: 'yes' }, /`open_tracking`/],
    ] as const
    for (const [option, said] of options) {
      assertJsonError(await create({ name: 'refused.test', ...option }), 422, 'validation_error', said)
    }
    // Values without an effect, omitted values, and unknown ones.
    const nothing = {
      tls: 'opportunistic',
      custom_return_path: 'send',
      capabilities: null,
      region: null,
      shape: 1,
    }
    assert.equal((await create({ name: 'allowed.test', ...nothing })).status, 201)
    for (const id of [NOWHERE, 'x', '%ff']) {
      const missing = await request('GET', `/domains/${id}`)
      assertJsonError(missing, 404, 'not_found', 'Domain not found')
    }
    assertJsonError(await request('PUT', '/domains'), 405, 'method_not_allowed')
  })

  test('a domain has the return path that the request names, and then needs its records', async () => {
    const created = await request('POST', '/domains', { name: 'back.test', custom_return_path: 'outbound' })
    const records = created.body.records as {
      record: string
      type: string
      name: string
      priority?: number
    }[]
    assert.deepEqual(
      records.slice(2).map(({ record, type, name, priority }) => [record, type, name, priority]),
      [
        ['SPF', 'MX', 'outbound.back.test', 10],
        ['SPF', 'TXT', 'outbound.back.test', undefined],
      ],
    )
    const path = `/domains/${created.body.id}`
    assert.equal((await request('PATCH', path, { custom_return_path: 'bounce.other.test' })).status, 200)
    const changed = (await request('GET', path)).body.records as typeof records
    assert.deepEqual(
      changed.slice(2).map(({ name }) => name),
      ['bounce.other.test', 'bounce.other.test', '_postroad.bounce.other.test'],
    )
    await request('PATCH', path, { custom_return_path: 'send' })
    const without = (await request('GET', path)).body.records as typeof records
    assert.equal(without.length, 2, 'nothing gets the bounces here')
  })

  test('a domain may demand TLS for mail that is accepted from then on', async () => {
    const path = `/domains/${(await service.domain(companyId, 'secret.test')).id}`
    const demanded = async () => {
      const id = await api.accepted({ from: 'a@secret.test', to: 'b@x.test', subject: 'Hi', text: 'Hi' })
      return (await service.store.readEmail(id))?.tls
    }
    assert.equal(await demanded(), null)
    for (const [tls, stored] of [
      ['enforced', 'required'],
      ['opportunistic', null],
    ] as const) {
      assert.equal((await request('PATCH', path, { tls })).status, 200)
      assert.equal((await request('GET', path)).body.tls, tls)
      assert.equal(await demanded(), stored)
    }
  })

  test('pages go both ways', async () => {
    for (const name of ['p1.test', 'p2.test', 'p3.test']) given(await resend.domains.create({ name }))
    const all = given(await resend.domains.list()).data.map(({ id }) => id)
    const first = given(await resend.domains.list({ limit: 2 }))
    assert.deepEqual([first.data.map(({ id }) => id), first.has_more], [all.slice(0, 2), true])
    const second = given(await resend.domains.list({ limit: 2, after: all[1]! }))
    assert.deepEqual(
      second.data.map(({ id }) => id),
      all.slice(2, 4),
    )
    const back = given(await resend.domains.list({ limit: 2, before: all[3]! }))
    assert.deepEqual([back.data.map(({ id }) => id), back.has_more], [all.slice(1, 3), true])
    const last = given(await resend.domains.list({ after: all.at(-1)! }))
    assert.deepEqual([last.data, last.has_more], [[], false])
    for (const query of [`after=${NOWHERE}`, `after=${all[0]}&before=${all[1]}`, 'limit=0']) {
      assertJsonError(await request('GET', `/domains?${query}`), 422, 'validation_error')
    }
  })
})

describe('/api-keys', () => {
  test('a key is created, used, listed, renamed and revoked with both clients', async () => {
    for (const client of [resend, old]) {
      const made = given(await client.apiKeys.create({ name: 'shop' }))
      assert.deepEqual(Object.keys(made).sort(), ['id', 'token'])
      const own = new Api(service.url, made.token)
      assert.equal((await own.get('/domains')).status, 200, 'without a permission it has what its maker has')
      // The types of the old client say otherwise.
      const listed = (await client.apiKeys.list()).data as { data: { id: string; name: string }[] } | null
      assert.equal(listed?.data.find(({ id }) => id === made.id)?.name, 'shop')
      given(await client.apiKeys.remove(made.id))
      assertJsonError(await own.get('/domains'), 401, 'invalid_api_key', 'API key is invalid')
      const again = await request('DELETE', `/api-keys/${made.id}`)
      assertJsonError(again, 404, 'not_found', 'API key not found')
    }
    const { id } = given(await resend.apiKeys.create({ name: 'before' }))
    assert.deepEqual(given(await resend.apiKeys.update(id, { name: 'behind' })), { object: 'api_key', id })
    const { data } = given(await resend.apiKeys.list())
    const shown = data.find((key) => key.id === id)!
    assert.deepEqual([shown.name, shown.last_used_at], ['behind', null])
    assert.match(shown.created_at, TIME)
    assert.deepEqual(given(await resend.apiKeys.remove(id)), { object: 'api_key', id, deleted: true })
    assert.ok(!given(await resend.apiKeys.list()).data.some((key) => key.id === id))
  })

  test('a key with sending access sends only from its domain, and manages nothing', async () => {
    const domain = given(await resend.domains.list()).data.find(({ name }) => name === 'first.test')!
    const { token } = given(
      await resend.apiKeys.create({ name: 'k', permission: 'sending_access', domain_id: domain.id }),
    )
    const own = new Api(service.url, token)
    await own.accepted({ from: 'a@first.test', to: 'b@x.test', text: 't' })
    const other = await own.send({ from: 'a@elsewhere.test', to: 'b@x.test', text: 't' })
    assertJsonError(other, 403, 'restricted_api_key', /first\.test/)
    for (const path of ['/domains', '/api-keys', '/suppressions']) {
      assertJsonError(await own.get(path), 403, 'restricted_api_key', /`management` scope/)
    }
    assertJsonError(await call(`${service.url}/domains`), 401, 'missing_api_key')
  })

  test('a key cannot give another key more rights than its own, and a key for one domain creates none', async () => {
    const narrow = await service.key(companyId, { scopes: ['management'] })
    const full = { name: 'k', permission: 'full_access' }
    const refused = await request('POST', '/api-keys', full, narrow.token)
    assertJsonError(refused, 403, 'restricted_api_key', /lacks the scope sending/)
    assert.equal((await request('POST', '/api-keys', { name: 'k' }, narrow.token)).status, 201)
    assert.equal((await request('GET', '/domains', undefined, narrow.token)).status, 200)
    const { domains } = await service.store.accounts()
    const { id } = domains.find(({ name }) => name === 'first.test')!
    const bound = await service.key(companyId, { scopes: ['management', 'sending'], domainId: id })
    const denied = await request(
      'POST',
      '/api-keys',
      { name: 'k', permission: 'sending_access' },
      bound.token,
    )
    assertJsonError(denied, 403, 'restricted_api_key', /one domain only/)
    assertJsonError(
      await request('DELETE', `/domains/${id}`, undefined, bound.token),
      403,
      'restricted_api_key',
    )
    const seen = await request('GET', '/domains', undefined, bound.token)
    assert.deepEqual(
      (seen.body.data as { id: string }[]).map((each) => each.id),
      [id],
    )
  })

  test('invalid requests are refused', async () => {
    const create = (body: unknown) => request('POST', '/api-keys', body)
    assertJsonError(await create({}), 422, 'missing_required_field', 'Missing `name` field.')
    assertJsonError(await create({ name: '' }), 422, 'validation_error')
    assertJsonError(await create({ name: 'k', permission: 'all' }), 422, 'validation_error', /`permission`/)
    assertJsonError(await create({ name: 'k', domain_id: NOWHERE }), 404, 'not_found', 'Domain not found')
    assertJsonError(
      await request('PATCH', `/api-keys/${NOWHERE}`, { name: 'k' }),
      404,
      'not_found',
      'API key not found',
    )
    const theirs = await service.tenant('others.test')
    const foreign = await request('DELETE', `/api-keys/${theirs.key.id}`)
    assertJsonError(foreign, 404, 'not_found', 'API key not found')
  })
})

describe('/suppressions', () => {
  test('a suppression is added, shown, listed and removed with the newest client', async () => {
    const one = given(await resend.suppressions.add({ email: 'Gone@X.test' }))
    assert.match(one.id, UUID7)
    assert.deepEqual(given(await resend.suppressions.add({ email: 'gone@x.test' })), one, 'it keeps its id')
    for (const named of [one.id, 'gone@x.test']) {
      const { created_at, ...shown } = given(await resend.suppressions.get(named))
      assert.match(created_at, TIME)
      assert.deepEqual(shown, {
        ...{ object: 'suppression', id: one.id, email: 'Gone@x.test', origin: 'manual', source_id: null },
      })
    }
    // Mail to the address is stopped, and the event says so.
    const stopped = await api.accepted({ from: 'a@first.test', to: 'gone@x.test', text: 't' })
    await until(
      async () => (await api.get(`/emails/${stopped}`)).body.last_event === 'suppressed',
      'the stop',
    )

    const emails = Array.from({ length: 5 }, (_, index) => `many${index}@x.test`)
    const many = given(await resend.suppressions.batch.add({ emails: [...emails, 'gone@x.test'] })).data
    assert.deepEqual(
      many.map(({ object }) => object),
      Array(6).fill('suppression'),
    )
    assert.equal(many[5]!.id, one.id)
    const listed = given(await resend.suppressions.list())
    assert.deepEqual([listed.object, listed.has_more, listed.data.length], ['list', false, 6])
    assert.deepEqual(new Set(listed.data.map(({ id }) => id)), new Set(many.map(({ id }) => id)))
    const ids = listed.data.map(({ id }) => id)
    const first = given(await resend.suppressions.list({ limit: 4 }))
    assert.deepEqual([first.data.map(({ id }) => id), first.has_more], [ids.slice(0, 4), true])
    const rest = given(await resend.suppressions.list({ limit: 4, after: ids[3]! }))
    assert.deepEqual([rest.data.map(({ id }) => id), rest.has_more], [ids.slice(4), false])
    const back = given(await resend.suppressions.list({ limit: 2, before: ids[4]! }))
    assert.deepEqual([back.data.map(({ id }) => id), back.has_more], [ids.slice(2, 4), true])

    const gone = given(await resend.suppressions.batch.remove({ emails: ['many0@x.test', 'nobody@x.test'] }))
    assert.deepEqual(gone.data, [{ object: 'suppression', id: many[0]!.id, deleted: true }])
    const byId = given(await resend.suppressions.batch.remove({ ids: [many[1]!.id, NOWHERE] }))
    assert.deepEqual(byId.data, [{ object: 'suppression', id: many[1]!.id, deleted: true }])
    for (const [named, id] of [
      ['many2@x.test', many[2]!.id],
      [many[3]!.id, many[3]!.id],
    ] as const) {
      assert.deepEqual(given(await resend.suppressions.remove(named)), {
        object: 'suppression',
        id,
        deleted: true,
      })
      assert.equal((await resend.suppressions.get(named)).error?.message, 'Suppression not found')
    }
  })

  test('each kind shows its origin, and is removed by its id alone or with its address', async () => {
    const at = Date.now()
    const entry = {
      companyId,
      tags: null,
      reason: 'r',
      code: null,
      emailId: NOWHERE,
      domainId: null,
      createdAt: at,
    }
    const types = ['bounce', 'complaint', 'unsubscribe'] as const
    await service.store.addSuppressions(
      types.map((type) => ({ ...entry, id: idAt(at), address: 'kinds@x.test', type })),
    )
    const origins = async () => {
      const { data } = given(await resend.suppressions.list())
      return data.filter(({ email }) => email === 'kinds@x.test').map(({ origin }) => origin)
    }
    assert.deepEqual((await origins()).sort(), ['bounce', 'complaint', 'manual'])
    for (const origin of ['bounce', 'complaint'] as const) {
      const { data } = given(await resend.suppressions.list({ origin }))
      assert.deepEqual(
        data.map((each) => [each.email, each.origin, each.source_id]),
        [['kinds@x.test', origin, NOWHERE]],
      )
    }
    given(
      await resend.suppressions.remove(
        given(await resend.suppressions.list({ origin: 'complaint' })).data[0]!.id,
      ),
    )
    assert.deepEqual((await origins()).sort(), ['bounce', 'manual'])
    given(await resend.suppressions.remove('kinds@x.test'))
    assert.deepEqual(await origins(), [])
  })

  test('invalid requests are refused', async () => {
    const add = (body: unknown) => request('POST', '/suppressions', body)
    assertJsonError(await add({}), 422, 'missing_required_field', 'Missing `email` field.')
    assertJsonError(await add({ email: 'nobody' }), 422, 'validation_error')
    const batch = (what: string, body: unknown) => request('POST', `/suppressions/batch/${what}`, body)
    const before = given(await resend.suppressions.list()).data.length
    assertJsonError(await batch('add', { emails: ['fine@x.test', 'nobody'] }), 422, 'validation_error')
    const tooMany = Array.from({ length: 101 }, (_, index) => `m${index}@x.test`)
    assertJsonError(await batch('add', { emails: tooMany }), 422, 'validation_error', /`emails`/)
    assert.equal(given(await resend.suppressions.list()).data.length, before, 'nothing was added')
    assertJsonError(await batch('remove', {}), 422, 'validation_error')
    assertJsonError(await batch('remove', { emails: ['a@x.test'], ids: [NOWHERE] }), 422, 'validation_error')
    for (const query of ['origin=spam', 'after=x', 'limit=0']) {
      assertJsonError(await request('GET', `/suppressions?${query}`), 422, 'validation_error')
    }
    const theirs = await service.tenant('neighbour.test')
    const { id } = given(await resend.suppressions.add({ email: 'mine@x.test' }))
    const neighbour = await service.key(theirs.company.id, { scopes: ['management'] })
    for (const named of [id, 'mine@x.test']) {
      for (const method of ['GET', 'DELETE']) {
        const reply = await request(method, `/suppressions/${named}`, undefined, neighbour.token)
        assertJsonError(reply, 404, 'not_found', 'Suppression not found')
      }
    }
    const { token } = await service.key(companyId)
    assertJsonError(await request('GET', '/suppressions', undefined, token), 403, 'restricted_api_key')
  })
})
