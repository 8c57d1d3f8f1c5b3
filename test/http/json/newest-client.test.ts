/** The newest resend client: methods that no other test calls, and missing features. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import { type Service, startService } from '../../support/service.ts'

describe('resend', () => {
  let service: Service
  let resend: Resend
  const letter = { from: 'a@newest.test', to: 'b@x.test', subject: 's', text: 't' }

  before(async () => {
    service = await startService()
    const { company } = await service.tenant('newest.test')
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    resend = new Resend(token, { baseUrl: service.url })
  })
  after(() => service.close())

  test('emails.create and batch.create, which are aliases of send', async () => {
    const one = await resend.emails.create(letter)
    assert.ok(one.data?.id, JSON.stringify(one.error))
    const both = await resend.batch.create([letter, letter])
    assert.equal(both.data?.data.length, 2)
    const { data: before } = await resend.emails.list({ limit: 10, before: one.data.id })
    assert.deepEqual(
      before?.data.map(({ id }) => id),
      both.data?.data.map(({ id }) => id).toReversed(),
    )
  })

  test('a missing feature is an error that it can read, and not an exception', async () => {
    const id = '0198f0c0-0000-7000-8000-000000000000'
    for (const [name, call] of Object.entries({
      'emails.share': () => resend.emails.share(id),
      'emails.receiving': () => resend.emails.receiving.list(),
      templates: () => resend.templates.list(),
      contacts: () => resend.contacts.list(),
      segments: () => resend.segments.list(),
      topics: () => resend.topics.list(),
      broadcasts: () => resend.broadcasts.list(),
      'domains.claim': () => resend.post('/domains/claim', { name: 'x.test' }),
      events: () => resend.post('/events/send', { event: 'x' }),
    })) {
      const { data, error } = await call()
      assert.equal(data, null, name)
      assert.deepEqual(Object.keys(error!).toSorted(), ['message', 'name', 'statusCode'], name)
      assert.ok(['not_found', 'method_not_allowed'].includes(error!.name), `${name}: ${error!.name}`)
    }
  })
})
