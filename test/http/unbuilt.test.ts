/**
 * Endpoints that the originals have and this service does not (scripts/compatibility-endpoints.ts): each is answered as
 * not found, in the format of its dialect, and its path is never taken for the id of an email.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import { MAILGUN, RESEND } from '../../scripts/compatibility-endpoints.ts'
import { type Service, startService } from '../support/service.ts'
import { allRoutes } from './all-routes.ts'
import { basic, call } from './requests.ts'

/** An id, or a domain. */
const NAMED = { json: '0198f0c0-0000-7000-8000-000000000000', form: 'unbuilt.test' }

describe('endpoints that do not exist', async () => {
  let service: Service
  let token: string
  const here = new Set(
    (await allRoutes()).map(
      ({ method, url }) => `${method} ${url.replaceAll(/:\w+/g, '{}').replace(/\*$/, '{*}')}`,
    ),
  )

  before(async () => {
    service = await startService()
    const { company } = await service.tenant(NAMED.form)
    token = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
  })
  after(() => service.close())

  for (const [dialect, list] of [
    ['json', RESEND],
    ['form', MAILGUN],
  ] as const) {
    for (const { endpoint } of list) {
      // Without a method it is all that is under the path.
      const [method, path] = endpoint.includes(' ') ? endpoint.split(' ') : ['GET', endpoint]
      if (here.has(`${method} ${path}`)) continue
      test(`${endpoint}: not found, or a method that is not allowed`, async () => {
        const { status, text, body } = await call(`${service.url}${path!.replaceAll('{}', NAMED[dialect])}`, {
          method: method!,
          headers: { authorization: dialect === 'json' ? `Bearer ${token}` : basic(token) },
        })
        assert.ok([404, 405].includes(status), text)
        assert.doesNotMatch(text, /Email|Domain|suppression|[Ww]ebhook not found/)
        if (dialect === 'json' && status === 404) {
          assert.equal(body.message, 'The requested endpoint does not exist')
        }
      })
    }
  }

  test('answer 404 to every client and method', async () => {
    const resend = new Resend(token, { baseUrl: service.url })
    const received = await resend.emails.receiving.list()
    assert.equal(received.error?.message, 'The requested endpoint does not exist')
    for (const [method, path] of [
      ['GET', '/emails/receiving/attachments'],
      ['GET', '/emails/batch'],
      ['PATCH', '/emails/receiving'],
      ['POST', '/emails/receiving/cancel'],
    ] as const) {
      const reply = await call(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'PATCH' && { body: '{"scheduled_at":"in 1 hour"}' }),
      })
      assert.deepEqual(reply.body, {
        statusCode: 404,
        message: 'The requested endpoint does not exist',
        name: 'not_found',
      })
    }
    const none = await call(`${service.url}/emails/none`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(none.body.message, 'Email not found')
  })
})
