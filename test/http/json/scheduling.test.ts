/** `PATCH /emails/{id}` and `POST /emails/{id}/cancel`: changes of a scheduled email by its sender. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, call, type Reply } from '../requests.ts'

const HOUR = 3_600_000

describe('a scheduled email', () => {
  let service: Service
  let api: Api
  let companyId: string
  const email = { from: 'ann@acme.example', to: 'bob@x.test', text: 'hello' }

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  const inAnHour = () => new Date(Date.now() + HOUR).toISOString()
  const scheduled = () => api.accepted({ ...email, scheduled_at: inAnHour() })
  const ask = (method: string, path: string, body: string | undefined, token = api.token): Promise<Reply> =>
    call(`${api.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
  const update = (id: string, body: object, token?: string) =>
    ask('PATCH', `/emails/${id}`, JSON.stringify(body), token)
  const cancel = (id: string, body?: string, token?: string) =>
    ask('POST', `/emails/${id}/cancel`, body, token)
  const shown = async (id: string) => (await api.get(`/emails/${id}`)).body

  test('gets another time', async () => {
    const id = await scheduled()
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 2 * HOUR).toISOString()
    // Clients repeat the id in the body, each in its own way.
    for (const body of [{ scheduled_at: at }, { id, scheduled_at: at }, { email_id: id, scheduled_at: at }]) {
      const reply = await update(id, body)
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(reply.body, { object: 'email', id })
    }
    const { scheduled_at, last_event } = await shown(id)
    assert.equal(Date.parse(String(scheduled_at)), Date.parse(at))
    assert.equal(last_event, 'scheduled')
  })

  test('gets a time as a phrase', async () => {
    const id = await scheduled()
    assert.equal((await update(id, { scheduled_at: 'in 3 hours' })).status, 200)
    const left = Date.parse(String((await shown(id)).scheduled_at)) - Date.now()
    assert.ok(Math.abs(left - 3 * HOUR) < 60_000, String(left))
  })

  test('goes out at its new time', async () => {
    const id = await scheduled()
    assert.equal((await update(id, { scheduled_at: 'now' })).status, 200)
    while ((await shown(id)).last_event !== 'delivered') await service.store.probe()
  })

  test('is canceled, whatever the body', async () => {
    for (const body of [undefined, '', '{}']) {
      const id = await scheduled()
      const reply = await cancel(id, body)
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(reply.body, { object: 'email', id })
      assert.equal((await shown(id)).last_event, 'canceled')
    }
  })

  test('that is canceled cannot be canceled again or rescheduled', async () => {
    const id = await scheduled()
    assert.equal((await cancel(id)).status, 200)
    assertJsonError(await cancel(id), 422, 'validation_error', /canceled already/)
    const again = await update(id, { scheduled_at: inAnHour() })
    assertJsonError(again, 422, 'validation_error', /is canceled and cannot be rescheduled/)
  })

  test('email that was not scheduled cannot be canceled or scheduled', async () => {
    const id = await api.accepted(email)
    assertJsonError(await cancel(id), 422, 'validation_error', /was not scheduled/)
    assertJsonError(
      await update(id, { scheduled_at: inAnHour() }),
      422,
      'validation_error',
      /was not scheduled/,
    )
  })

  test('does not accept an invalid time', async () => {
    const id = await scheduled()
    assertJsonError(await update(id, {}), 422, 'missing_required_field', 'Missing `scheduled_at` field.')
    assertJsonError(await update(id, { scheduled_at: 'someday' }), 422, 'validation_error', /`scheduled_at`/)
    assertJsonError(await update(id, { scheduled_at: 7 }), 422, 'validation_error', /`scheduled_at`/)
    assertJsonError(await update(id, { scheduled_at: 'in 40 days' }), 422, 'validation_error', /30 days/)
    assertJsonError(await ask('PATCH', `/emails/${id}`, '{'), 400, 'validation_error')
  })

  test('cannot be changed by a key of another company or without the right', async () => {
    const id = await scheduled()
    const stranger = (await service.tenant('other.example')).key.token
    const sender = (await service.key(companyId, { scopes: ['sending'] })).token
    const reader = (await service.key(companyId, { scopes: ['reading'] })).token
    for (const token of [stranger, sender]) {
      assertJsonError(await cancel(id, undefined, token), 404, 'not_found', 'Email not found')
      assertJsonError(await update(id, { scheduled_at: 'now' }, token), 404, 'not_found', 'Email not found')
    }
    assertJsonError(await cancel(id, undefined, reader), 403, 'restricted_api_key', /`sending`/)
    assertJsonError(await cancel('x'), 404, 'not_found', 'Email not found')
    assertJsonError(await cancel('0198f0c0-0000-7000-8000-000000000000'), 404, 'not_found')
    assert.equal((await shown(id)).last_event, 'scheduled')
    const manager = (await service.key(companyId, { scopes: ['management'] })).token
    assert.equal((await cancel(id, undefined, manager)).status, 200)
  })

  test('is canceled by the key that sent it, although that key reads nothing else', async () => {
    const sender = new Api(service.url, (await service.key(companyId, { scopes: ['sending'] })).token)
    const id = await sender.accepted({ ...email, scheduled_at: inAnHour() })
    assert.equal((await cancel(id, undefined, sender.token)).status, 200)
  })
})
