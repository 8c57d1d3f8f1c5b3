/** `GET /emails`: pages in both directions, and filters. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, type Reply } from '../requests.ts'

describe('GET /emails', () => {
  let service: Service
  let api: Api
  let companyId: string
  let domainId: string
  /** Newest first, as they are listed. */
  const ids: string[] = []

  before(async () => {
    service = await startService()
    const { company, domain, key } = await service.tenant('acme.example')
    companyId = company.id
    domainId = domain.id
    api = new Api(service.url, key.token)
    await service.domain(company.id, 'second.example')
    const email = { from: 'Ann <ann@acme.example>', to: 'bob@x.test', subject: 'Hello', text: 'hi' }
    for (const more of [
      {},
      { to: ['cee@x.test', 'Dee <dee@y.test>'], cc: 'bob@x.test', bcc: 'bee@x.test' },
      { subject: 'Your invoice 4711', tags: [{ name: 'kind', value: 'invoice' }] },
      { tags: [{ name: 'kind', value: 'letter' }], reply_to: 'replies@acme.example' },
      { scheduled_at: 'in 1 hour' },
      { from: 'Shop <shop@second.example>' },
    ]) {
      ids.unshift(await api.accepted({ ...email, ...more }))
    }
    const other = await service.tenant('other.example')
    const foreign = new Api(service.url, other.key.token)
    await foreign.accepted({ ...email, from: 'eve@other.example' })
  })
  after(() => service.close())

  const listed = ({ body, text, status }: Reply): string[] => {
    assert.equal(status, 200, text)
    return (body.data as { id: string }[]).map(({ id }) => id)
  }
  const list = async (query = '') => listed(await api.get(`/emails${query}`))
  /** By how they were accepted, from 0. */
  const nth = (...places: number[]) => places.map((place) => ids[ids.length - 1 - place])

  test('lists all emails of the company, newest first', async () => {
    const reply = await api.get('/emails')
    assert.deepEqual(listed(reply), ids)
    assert.deepEqual(Object.keys(reply.body), ['object', 'has_more', 'data'])
    assert.deepEqual([reply.body.object, reply.body.has_more], ['list', false])
  })

  test('shows the fields of an email that clients know in a list', async () => {
    const { body } = await api.get('/emails?tag=kind:letter')
    const [shown] = body.data as Record<string, unknown>[]
    const { created_at, message_id, last_event, ...rest } = shown!
    assert.match(String(created_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
    assert.match(String(message_id), /^<.+@acme\.example>$/)
    assert.ok(['sent', 'delivered'].includes(String(last_event)))
    assert.deepEqual(rest, {
      id: nth(3)[0],
      from: 'Ann <ann@acme.example>',
      to: ['bob@x.test'],
      cc: [],
      bcc: [],
      reply_to: ['replies@acme.example'],
      subject: 'Hello',
      scheduled_at: null,
      tags: [{ name: 'kind', value: 'letter' }],
    })
  })

  test('in pages, forward and back', async () => {
    const page = async (query: string) => {
      const reply = await api.get(`/emails?limit=2&${query}`)
      return [listed(reply), reply.body.has_more]
    }
    assert.deepEqual(await page(''), [ids.slice(0, 2), true])
    assert.deepEqual(await page(`after=${ids[1]}`), [ids.slice(2, 4), true])
    assert.deepEqual(await page(`after=${ids[3]}`), [ids.slice(4, 6), false])
    assert.deepEqual(await page(`after=${ids[5]}`), [[], false])
    assert.deepEqual(await page(`before=${ids[5]}`), [ids.slice(3, 5), true])
    assert.deepEqual(await page(`before=${ids[2]}`), [ids.slice(0, 2), false])
    const { body } = await api.get('/emails?limit=2')
    assert.equal(body.next, ids[1])
  })

  const minute = (offset: number) => encodeURIComponent(new Date(Date.now() + offset).toISOString())
  const filters: [query: string, places: number[]][] = [
    ['to=dee@y.test', [1]],
    ['to=BEE@x.test', [1]],
    ['to=nobody@x.test', []],
    ['from=second.example', [5]],
    ['from=ann', [4, 3, 2, 1, 0]],
    ['subject=INVOICE', [2]],
    ['subject=4711&tag=kind', [2]],
    ['tag=kind', [3, 2]],
    ['tag=kind:invoice', [2]],
    ['tag=invoice', [2]],
    ['tag=voice', []],
    ['event=scheduled', [4]],
    ['event=scheduled,canceled', [4]],
    ['event=email.scheduled', [4]],
    ['event=bounced', []],
    ['domain=second.example', [5]],
    [`since=${minute(-60_000)}`, [5, 4, 3, 2, 1, 0]],
    [`since=${minute(60_000)}`, []],
    [`until=${minute(-60_000)}`, []],
    ['since=2020-01-01', [5, 4, 3, 2, 1, 0]],
    ['until=2020-01-01T00:00:00+01:00', []],
    ['to=bob@x.test&limit=1', [5]],
  ]
  for (const [query, places] of filters) {
    test(`filters by ${query.replace(/=.*Z$/, '=a minute from now')}`, async () => {
      assert.deepEqual(await list(`?${query}`), nth(...places))
    })
  }

  test('an invalid value is refused', async () => {
    for (const [query, message] of [
      ['limit=0', /`limit`/],
      ['limit=x', /`limit`/],
      [`after=${ids[0]}&before=${ids[1]}`, /together with `after`/],
      ['after=x', /`after`.* id of an email/],
      ['event=gone', /`event`.* scheduled/],
      ['since=yesterday', /`since`.* ISO 8601/],
      ['domain=other.example', /`domain`.* no such sending domain/],
      ['domain=..', /`domain`/],
    ] as const) {
      assertJsonError(await api.get(`/emails?${query}`), 422, 'validation_error', message)
    }
  })

  test('keys see only emails that they may read', async () => {
    const sender = new Api(service.url, (await service.key(companyId, { scopes: ['sending'] })).token)
    assertJsonError(await sender.get('/emails'), 403, 'restricted_api_key', /`reading`/)
    const ofDomain = new Api(service.url, (await service.key(companyId, { domainId })).token)
    assert.deepEqual(listed(await ofDomain.get('/emails')), nth(4, 3, 2, 1, 0))
    assertJsonError(await ofDomain.get('/emails?domain=second.example'), 422, 'validation_error')
  })
})
