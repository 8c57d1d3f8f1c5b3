/** Webhooks of the JSON dialect, as the published clients call them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend, type WebhookEvent } from 'resend'
import { messageId, subjectOfMessage } from '../../../src/events/webhooks/message-id.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { type Received, Receiver } from '../../webhooks/receiver.ts'
import { Api, assertJsonError, call, type Reply } from '../requests.ts'

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/
const SECRET = /^whsec_[A-Za-z0-9+/]{32}$/
const NOWHERE = '019a9b2c-0000-7000-8000-ffffffffffff'
const EVENTS: WebhookEvent[] = ['email.delivered', 'email.bounced']
/** Every event that the newest client knows: a missing or additional name does not compile. Its CLI requests all. */
const DOCUMENTED: Record<WebhookEvent, 'sent' | 'unsent'> = {
  ...{ 'email.scheduled': 'sent', 'email.sent': 'sent', 'email.delivered': 'sent' },
  ...{ 'email.delivery_delayed': 'sent', 'email.bounced': 'sent', 'email.complained': 'sent' },
  ...{ 'email.opened': 'sent', 'email.clicked': 'sent', 'email.failed': 'sent', 'email.suppressed': 'sent' },
  ...{ 'domain.created': 'sent', 'domain.updated': 'sent', 'domain.deleted': 'sent' },
  'email.received': 'unsent',
  ...{ 'contact.created': 'unsent', 'contact.updated': 'unsent', 'contact.deleted': 'unsent' },
  'contact.topics.updated': 'unsent',
  ...{ 'suppression.added': 'unsent', 'suppression.removed': 'unsent' },
  ...{ 'topic.created': 'unsent', 'topic.updated': 'unsent', 'topic.deleted': 'unsent' },
  ...{ 'inbox.created': 'unsent', 'inbox.updated': 'unsent', 'inbox.deleted': 'unsent' },
  ...{ 'inbox.thread.created': 'unsent', 'inbox.thread.folder.updated': 'unsent' },
  ...{ 'inbox.thread.labels.updated': 'unsent', 'inbox.thread.assigned': 'unsent' },
  ...{ 'inbox.thread.unassigned': 'unsent', 'inbox.email.received': 'unsent', 'inbox.email.sent': 'unsent' },
  ...{ 'inbox.draft.created': 'unsent', 'inbox.draft.updated': 'unsent', 'inbox.draft.sent': 'unsent' },
  'inbox.draft.deleted': 'unsent',
}

let service: Service
let companyId: string
let domainId: string
let api: Api
let resend: Resend

before(async () => {
  service = await startService({ allowPrivateNetworks: true })
  const tenant = await service.tenant('first.test')
  companyId = tenant.company.id
  domainId = tenant.domain.id
  await service.domain(companyId, 'second.test')
  const { token } = await service.key(companyId, { scopes: ['sending', 'reading', 'management'] })
  api = new Api(service.url, token)
  resend = new Resend(token, { baseUrl: service.url })
})
after(() => service.close())

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

function send(from = 'a@first.test'): Promise<string> {
  return api.accepted({ from, to: 'b@x.test', subject: 's', text: 't' })
}

const idOf = ({ headers }: Received) => String(headers['svix-id'])

/** Fails for a message that was not signed with this secret. */
function verify({ headers, body }: Received, webhookSecret: string): void {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`svix-${name}`])
  resend.webhooks.verify({
    payload: body,
    headers: { id: String(id), timestamp: String(timestamp), signature: String(signature) },
    webhookSecret,
  })
}

describe('/webhooks', () => {
  test('a webhook is created, shown, listed, changed, rotated and removed with the newest client', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    const created = await resend.webhooks.create({ endpoint: receiver.url, events: EVENTS })
    const { id, ...made } = given(created)
    assert.match(id, UUID7)
    assert.deepEqual(Object.keys(made).sort(), ['object', 'signing_secret'])
    assert.equal(made.object, 'webhook')
    assert.match(made.signing_secret, SECRET)

    const { created_at, ...shown } = given(await resend.webhooks.get(id))
    assert.match(created_at, TIME)
    const facts = { id, endpoint: receiver.url, events: EVENTS, status: 'enabled' }
    assert.deepEqual(shown, { object: 'webhook', ...facts, signing_secret: made.signing_secret })
    const other = given(await resend.webhooks.create({ endpoint: 'https://x.test/', events: EVENTS }))
    const listed = given(await resend.webhooks.list())
    assert.deepEqual([listed.object, listed.has_more], ['list', false])
    assert.deepEqual(
      listed.data.map((each) => each.id),
      [other.id, id],
    )
    assert.deepEqual(listed.data[1], { ...facts, created_at })
    const page = given(await resend.webhooks.list({ limit: 1, after: other.id }))
    assert.deepEqual([page.data.map((each) => each.id), page.has_more], [[id], false])
    assert.deepEqual(given(await resend.webhooks.remove(other.id)), {
      ...{ object: 'webhook', id: other.id, deleted: true },
    })
    assert.equal((await resend.webhooks.get(other.id)).error?.message, 'Webhook not found')

    await send()
    const [first] = await receiver.until(({ length }) => length === 1)
    verify(first!, made.signing_secret)
    const rotated = given(await resend.webhooks.rotateSigningSecret(id))
    assert.deepEqual({ ...rotated, signing_secret: '' }, { object: 'webhook', id, signing_secret: '' })
    assert.match(rotated.signing_secret, SECRET)
    assert.notEqual(rotated.signing_secret, made.signing_secret)
    assert.equal(given(await resend.webhooks.get(id)).signing_secret, rotated.signing_secret)

    const changed = await resend.webhooks.update(id, { events: ['email.sent'], status: 'disabled' })
    assert.deepEqual(given(changed), { object: 'webhook', id })
    const disabled = given(await resend.webhooks.get(id))
    assert.deepEqual([disabled.events, disabled.status], [['email.sent'], 'disabled'])
    given(await resend.webhooks.update(id, { status: 'enabled', endpoint: `${receiver.url}/2` }))
    assert.equal(given(await resend.webhooks.get(id)).endpoint, `${receiver.url}/2`)
    await send()
    // The node that sends it learns of the change within a second, and uses the earlier settings until then.
    const changedOnes = (received: Received[]) => received.filter(({ path }) => path === '/hook/2')
    const [second] = changedOnes(await receiver.until((received) => changedOnes(received).length > 0))
    assert.equal(JSON.parse(second!.body).type, 'email.sent')
    // For a day both secrets sign.
    for (const secret of [made.signing_secret, rotated.signing_secret]) verify(second!, secret)
    given(await resend.webhooks.remove(id))
  })

  test('a webhook may name every documented event, and keeps the events that are never sent', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    const all = Object.keys(DOCUMENTED) as WebhookEvent[]
    const unsent = all.filter((name) => DOCUMENTED[name] === 'unsent')
    const create = (path: string, events: WebhookEvent[]) =>
      resend.webhooks.create({ endpoint: `${receiver.url}/${path}`, events: [...events, ...events] })
    const idle = given(await create('idle', unsent)).id
    const every = given(await create('every', all)).id
    assert.deepEqual(given(await resend.webhooks.get(every)).events, all)
    assert.deepEqual(given(await resend.webhooks.get(idle)).events, unsent)
    const listed = given(await resend.webhooks.list()).data.find(({ id }) => id === idle)
    assert.deepEqual(listed?.events, unsent)

    await send()
    const received = await receiver.until(({ length }) => length === 2)
    assert.deepEqual(received.map(({ path, body }) => [path, JSON.parse(body).type]).toSorted(), [
      ['/hook/every', 'email.delivered'],
      ['/hook/every', 'email.sent'],
    ])
    // From now on it gets events of emails.
    given(await resend.webhooks.update(idle, { events: ['email.delivered', 'contact.created'] }))
    given(await resend.webhooks.remove(every))
    await send()
    const later = await receiver.until((all) => all.some(({ path }) => path === '/hook/idle'))
    assert.equal(
      JSON.parse(later.findLast(({ path }) => path === '/hook/idle')!.body).type,
      'email.delivered',
    )
    given(await resend.webhooks.remove(idle))
  })

  test('with the oldest client, which has no methods for them but calls any path', async () => {
    process.env.RESEND_BASE_URL = service.url
    const { Resend: Old } = await import('resend-4')
    const old = new Old(api.token)
    const asked = { endpoint: 'https://x.test/', events: EVENTS }
    const { id } = given(await old.post<{ id: string }>('/webhooks', asked))
    const shown = given(await old.get<{ endpoint: string }>(`/webhooks/${id}`))
    assert.equal(shown.endpoint, asked.endpoint)
    given(await old.patch(`/webhooks/${id}`, { status: 'disabled' }))
    given(await old.post(`/webhooks/${id}/signing-secret/rotate`))
    assert.equal(given(await old.delete<{ deleted: boolean }>(`/webhooks/${id}`)).deleted, true)
  })

  test('its events, their attempts and their replays', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    receiver.answer = () => ({ status: 500, body: 'not today' })
    const { id: webhookId } = given(
      await resend.webhooks.create({ endpoint: receiver.url, events: ['email.delivered'] }),
    )
    t.after(() => resend.webhooks.remove(webhookId))
    const emailId = await send()
    const [received] = await receiver.until(({ length }) => length === 1)
    const eventId = idOf(received!)
    const event = async () => given(await resend.webhooks.events.get({ webhookId, eventId }))
    await until(async () => (await event()).status === 'attempting', 'the failed try')
    const { created_at, next_attempt_at, payload, ...shown } = await event()
    assert.deepEqual(shown, {
      ...{ object: 'webhook_event', id: eventId, type: 'email.delivered', status: 'attempting' },
    })
    assert.match(created_at, TIME)
    assert.match(next_attempt_at!, TIME)
    assert.ok(next_attempt_at! > created_at)
    assert.deepEqual(payload, JSON.parse(received!.body))
    assert.equal((payload.data as { email_id: string }).email_id, emailId)

    receiver.answer = () => ({ status: 200, body: 'thanks' })
    const replayed = given(await resend.webhooks.events.replay({ webhookId, eventId }))
    assert.deepEqual(replayed, { object: 'webhook_event', id: eventId })
    await receiver.until(({ length }) => length === 2)
    assert.equal(idOf(receiver.received[1]!), eventId)
    await until(async () => (await event()).status === 'success', 'the second try')
    assert.equal((await event()).next_attempt_at, null)
    const attempts = given(await resend.webhooks.events.attempts.list({ webhookId, eventId }))
    assert.deepEqual([attempts.object, attempts.has_more], ['list', false])
    assert.deepEqual(
      attempts.data.map(({ http_status_code, response }) => [http_status_code, response]),
      [
        [200, 'thanks'],
        [500, 'not today'],
      ],
    )
    assert.match(attempts.data[0]!.sent_at, TIME)
    const older = { webhookId, eventId, limit: 1, after: attempts.data[0]!.id }
    assert.deepEqual(given(await resend.webhooks.events.attempts.list(older)).data, attempts.data.slice(1))

    for (const count of [3, 4]) {
      await send()
      await receiver.until(({ length }) => length === count)
    }
    const list = async () => given(await resend.webhooks.events.list({ webhookId }))
    await until(async () => (await list()).data.length === 3, 'all events to be noted')
    const { data } = await list()
    const ids = receiver.received.slice(1).map(idOf)
    assert.deepEqual(
      data.map(({ id, type, status }) => [id, type, status]),
      ids.toReversed().map((id) => [id, 'email.delivered', 'success']),
    )
    const first = given(await resend.webhooks.events.list({ webhookId, limit: 1, after: data[0]!.id }))
    assert.deepEqual([first.data, first.has_more], [[data[1]], true])
    // A message of another webhook, about the same event, is none of these.
    const beside = given(await resend.webhooks.create({ endpoint: receiver.url, events: ['email.opened'] }))
    t.after(() => resend.webhooks.remove(beside.id))
    const events = await service.store.eventsAfter(
      subjectOfMessage(data[0]!.id)!.number - 1,
      { companyId },
      1,
    )
    const foreign = messageId(beside.id, events.events[0]!)
    const refused = await request('GET', `/webhooks/${webhookId}/events?after=${foreign}`)
    assertJsonError(refused, 422, 'validation_error', /not an event of this webhook/)
  })

  test('an event without an answer, and one that waits', async (t) => {
    const receiver = await Receiver.start()
    const { id } = given(
      await resend.webhooks.create({ endpoint: receiver.url, events: ['email.delivered'] }),
    )
    t.after(() => resend.webhooks.remove(id))
    await receiver[Symbol.asyncDispose]()
    await send()
    const events = async () => given(await resend.webhooks.events.list({ webhookId: id })).data
    await until(async () => (await events()).length === 1, 'the try')
    const [{ id: eventId, status } = { id: '', status: '' }] = await events()
    assert.equal(status, 'attempting')
    const [attempt] = given(await resend.webhooks.events.attempts.list({ webhookId: id, eventId })).data
    assert.equal(attempt!.http_status_code, 0)
    assert.match(attempt!.response, /refused/i)
  })

  test('invalid requests are refused, with the messages of the dialect', async () => {
    const create = (body: unknown) => request('POST', '/webhooks', body)
    const endpoint = 'https://x.test/hook'
    const missing = await create({ events: EVENTS })
    assertJsonError(missing, 422, 'missing_required_field', 'Missing `endpoint` field.')
    assertJsonError(await create({ endpoint }), 422, 'missing_required_field', 'Missing `events` field.')
    for (const [body, said] of [
      [{ endpoint, events: [] }, /`events`/],
      [
        { endpoint, events: ['contact.created', 'contact.sent'] },
        /no event "contact\.sent".*email\.delivered/,
      ],
      [{ endpoint: 'x.test', events: EVENTS }, /"x\.test"/],
      [{ endpoint: 'ftp://x.test', events: EVENTS }, /ftp:/],
    ] as const) {
      assertJsonError(await create(body), 422, 'validation_error', said)
    }
    const { id } = given(await resend.webhooks.create({ endpoint, events: EVENTS }))
    const of = (rest: string) => `/webhooks/${id}${rest}`
    const change = (body: unknown) => request('PATCH', of(''), body)
    assertJsonError(await change({ status: 'paused' }), 422, 'validation_error', /`status`/)
    assertJsonError(await change({ events: [] }), 422, 'validation_error', /`events`/)
    assert.equal((await change({ endpoint: null, status: null })).status, 200)
    for (const path of ['', '/events', '/events/x', '/events/x/attempts']) {
      for (const unknown of [NOWHERE, 'x', 'a%00b', '%ff']) {
        const reply = await request('GET', `/webhooks/${unknown}${path}`)
        assertJsonError(reply, 404, 'not_found', 'Webhook not found')
      }
    }
    const nothing = `msg_${'0'.repeat(27)}`
    for (const event of ['x', nothing, 'a%00b']) {
      for (const path of ['', '/attempts']) {
        const reply = await request('GET', of(`/events/${event}${path}`))
        assertJsonError(reply, 404, 'not_found', 'Webhook event not found')
      }
      const reply = await request('POST', of(`/events/${event}/replay`))
      assertJsonError(reply, 404, 'not_found', 'Webhook event not found')
    }
    for (const query of ['limit=0', 'after=x', `after=${nothing}`]) {
      assertJsonError(await request('GET', of(`/events?${query}`)), 422, 'validation_error')
    }
    assertJsonError(await request('PUT', of('')), 405, 'method_not_allowed')
    const old = await request('POST', of('/rotate'))
    assertJsonError(old, 404, 'not_found', 'The requested endpoint does not exist')
    given(await resend.webhooks.remove(id))
  })
})

describe('the owners of webhooks', () => {
  test('a key with only sending is refused, and another company finds nothing', async () => {
    const { id } = given(await resend.webhooks.create({ endpoint: 'https://x.test/', events: EVENTS }))
    const sending = (await service.key(companyId, { scopes: ['sending'] })).token
    const theirs = await service.tenant('others.test')
    const foreign = (await service.key(theirs.company.id, { scopes: ['management'] })).token
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/signing-secret/rotate'],
      ['GET', '/events'],
      ['GET', '/events/x'],
      ['GET', '/events/x/attempts'],
      ['POST', '/events/x/replay'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      const denied = await request(method, `/webhooks/${id}${path}`, body, sending)
      assertJsonError(denied, 403, 'restricted_api_key', /`management` scope/)
      const unknown = await request(method, `/webhooks/${id}${path}`, body, foreign)
      assertJsonError(unknown, 404, 'not_found', 'Webhook not found')
    }
    assertJsonError(await request('GET', '/webhooks', undefined, sending), 403, 'restricted_api_key')
    assertJsonError(await call(`${service.url}/webhooks`), 401, 'missing_api_key')
    assert.deepEqual((await request('GET', '/webhooks', undefined, foreign)).body.data, [])
    given(await resend.webhooks.remove(id))
  })

  test('a key for one domain has webhooks only for its mail, and sees no others', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    const { token } = await service.key(companyId, { scopes: ['management'], domainId })
    const bound = new Resend(token, { baseUrl: service.url })
    const all = given(await resend.webhooks.create({ endpoint: receiver.url, events: ['email.delivered'] }))
    const own = given(
      await bound.webhooks.create({ endpoint: `${receiver.url}/own`, events: ['email.delivered'] }),
    )
    t.after(async () => {
      for (const { id } of [all, own]) await resend.webhooks.remove(id)
    })
    assert.deepEqual(
      given(await bound.webhooks.list()).data.map(({ id }) => id),
      [own.id],
    )
    assert.equal((await bound.webhooks.get(all.id)).error?.message, 'Webhook not found')
    await send('a@second.test')
    await send('a@first.test')
    const received = await receiver.until(({ length }) => length === 3)
    const told = (path: string) => received.filter((each) => each.path === path)
    assert.equal(told('/hook/own').length, 1)
    assert.equal(JSON.parse(told('/hook/own')[0]!.body).data.from, 'a@first.test')
    // The event of the other domain, under the id that it would have had here.
    const other = told('/hook').find(({ body }) => JSON.parse(body).data.from === 'a@second.test')!
    const { messageId, subjectOfMessage } = await import('../../../src/events/webhooks/message-id.ts')
    const eventId = messageId(own.id, {
      number: subjectOfMessage(idOf(other))!.number,
      type: 'sent',
      emailId: JSON.parse(other.body).data.email_id,
    })
    const webhookId = own.id
    for (const { error } of [
      await bound.webhooks.events.get({ webhookId, eventId }),
      await bound.webhooks.events.attempts.list({ webhookId, eventId }),
      await bound.webhooks.events.replay({ webhookId, eventId }),
    ]) {
      assert.equal(error?.message, 'Webhook event not found')
    }
  })
})
