/** A webhook that could never get an event is refused when it is made, in every interface. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newWorkplaceOnEngine, type Serving, serve, type Workplace } from '../cli/postroad.ts'
import { assertFormError, assertJsonError, basic, call } from '../http/requests.ts'

const NEVER: [url: string, why: RegExp][] = [
  ['http://127.0.0.1/hook', /127\.0\.0\.1 is not a public address \(loopback\)/],
  ['http://0x7f.1/hook', /127\.0\.0\.1 is not a public address/],
  ['https://10.1.2.3/', /10\.1\.2\.3 is not a public address \(private\)/],
  ['https://[::1]:8443/', /::1 is not a public address/],
  ['https://[::ffff:10.0.0.1]/', /is not a public address/],
  ['http://169.254.169.254/latest', /169\.254\.169\.254 is not a public address/],
  ['http://localhost:3000/', /localhost is this machine itself/],
  ['http://api.localhost./', /api\.localhost\. is this machine itself/],
]
const SETTING = /POSTROAD_ALLOW_PRIVATE_NETWORKS=true allows it/

describe('a webhook at a forbidden address is refused', () => {
  let place: Workplace
  let service: Serving
  let token = ''

  before(async () => {
    // With a public URL: others reach the service.
    place = await newWorkplaceOnEngine({
      POSTROAD_LOG_LEVEL: 'warn',
      POSTROAD_PUBLIC_URL: 'https://post.example',
    })
    service = await serve(place, ['--json'], /\}\}\n/)
    const args = ['key', 'create', '--company', 'Acme', '--name', 'manage', '--scope', 'management']
    token = (await place.json<{ token: string }>(...args)).token
  })
  after(() => place.remove())

  const json = (method: string, path: string, body: object) =>
    call(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const form = (method: string, path: string, fields: [string, string][]) =>
    call(`${service.url}${path}`, {
      method,
      headers: { authorization: basic(token) },
      body: new URLSearchParams(fields),
    })

  test('on the command line, with the name of the setting', async () => {
    const { code, stderr } = await place.run('webhook', 'add', '--company', 'Acme', '--url', NEVER[0]![0])
    assert.equal(code, 2)
    assert.match(stderr, NEVER[0]![1])
    assert.match(stderr, SETTING)
  })

  test('by both APIs, and nothing is left of it', async () => {
    for (const [endpoint, why] of NEVER) {
      const made = await json('POST', '/webhooks', { endpoint, events: ['email.sent'] })
      assertJsonError(made, 422, 'validation_error', why)
      assert.match(made.text, SETTING)
      const byUrl: [string, string][] = [
        ['url', endpoint],
        ['event_types', 'delivered'],
      ]
      assertFormError(await form('POST', '/v4/domains/acme.test/webhooks', byUrl), 400, why)
      // The first URL alone would be allowed.
      const byWord: [string, string][] = [
        ['id', 'delivered'],
        ['url', 'https://x.test/'],
        ['url', endpoint],
      ]
      assertFormError(await form('POST', '/v3/domains/acme.test/webhooks', byWord), 400, why)
    }
    assert.deepEqual(await place.json('webhook', 'list'), [])
  })

  test('when it is changed as well', async () => {
    const { id } = await place.json<{ id: string }>(
      ...['webhook', 'add', '--company', 'Acme', '--url', 'https://x.test/'],
    )
    const changed = await json('PATCH', `/webhooks/${id}`, { endpoint: NEVER[2]![0] })
    assertJsonError(changed, 422, 'validation_error', NEVER[2]![1])
    const [shown] = await place.json<{ url: string }[]>('webhook', 'list')
    assert.equal(shown?.url, 'https://x.test/')
  })
})
