/** A declared route in each dialect, with a path parameter, a query, a body, a scope and a list: one small file each. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { FormDialect } from '../../src/http/form/routes.ts'
import { JsonDialect } from '../../src/http/json/routes.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { Workers } from '../../src/workers/workers.ts'
import { type Service, startService } from '../support/service.ts'
import { formNotes } from './form/notes.ts'
import { jsonNotes } from './json/notes.ts'
import { assertFormError, assertJsonError, basic, call, type Reply } from './requests.ts'
import { serveApis } from './serve.ts'

class JsonNotes extends JsonDialect {
  override readonly prefixes = ['/emails', '/email', '/inbound/mail', '/topics']
  override readonly endpoints: readonly Endpoint[] = jsonNotes
}

class FormNotes extends FormDialect {
  override readonly endpoints: readonly Endpoint[] = formNotes
}

describe('a declared route of a dialect', () => {
  let service: Service
  let server: HttpServer | undefined
  let workers: Workers
  let url: string
  let manager: string
  let reader: string
  let stranger: string

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('notes.test')
    reader = key.token
    manager = (await service.key(company.id, { scopes: ['management', 'reading'] })).token
    stranger = (await service.tenant('stranger.test')).key.token
    workers = new Workers({ memory: 64, onDeath: assert.fail })
    server = await serveApis(service, workers, [JsonNotes, FormNotes])
    url = (await server.listen()).url
  })
  after(async () => {
    await server?.close()
    await workers?.close()
    await service.close()
  })

  describe('JSON', () => {
    const asked = (path: string, token = manager, init: RequestInit = {}): Promise<Reply> =>
      call(`${url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
      })
    const add = (body: string, query = '', token = manager, headers: Record<string, string> = {}) =>
      asked(`/topics/a%20b/notes${query}`, token, { method: 'POST', body, headers })
    const texts = ({ body }: Reply) => (body.data as { text: string }[]).map(({ text }) => text)

    test('reads a path parameter, a query and a body, and answers with the fields of the schema', async () => {
      const reply = await add('{"text":"one"}', '?stars=5')
      assert.equal(reply.status, 201, reply.text)
      assert.deepEqual(reply.body, { id: 'n1', text: 'one', stars: 5 })
      assert.deepEqual((await add('{"text":"two"}')).body, { id: 'n2', text: 'two', stars: 1 })
    })

    test('a list in pages, for each company its own', async () => {
      assert.equal((await add('{"text":"three"}')).status, 201)
      const first = await asked('/topics/a%20b/notes?limit=2', reader)
      assert.deepEqual(
        [texts(first), first.body.has_more, first.body.object],
        [['three', 'two'], true, 'list'],
      )
      const last = await asked('/topics/a%20b/notes?limit=2&after=n2', reader)
      assert.deepEqual([texts(last), last.body.has_more], [['one'], false])
      const back = await asked('/topics/a%20b/notes?limit=1&before=n1', reader)
      assert.deepEqual([texts(back), back.body.has_more], [['two'], true])
      assert.deepEqual(texts(await asked('/topics/a%20b/notes', stranger)), [])
    })

    test('refusals have the messages of the dialect', async () => {
      assertJsonError(await add('{', '', ''), 401, 'invalid_api_key')
      assertJsonError(await add('{', '', reader), 403, 'restricted_api_key', /`management` scope/)
      assertJsonError(await add('{'), 400, 'validation_error', /not valid JSON: unexpected end/)
      assertJsonError(await add('{}'), 422, 'missing_required_field', 'Missing `text` field.')
      assertJsonError(
        await add('{"text":5}'),
        422,
        'validation_error',
        /Invalid `text` field. It must be a string/,
      )
      assertJsonError(
        await add('{"text":"x","txet":1}'),
        422,
        'validation_error',
        /`txet`.* There is no such field/,
      )
      assertJsonError(
        await add('{"text":"x"}', '?stars=0'),
        422,
        'validation_error',
        /`stars`.* must be 1 or more/,
      )
      const plain = { 'content-type': 'text/plain' }
      assertJsonError(await add('{"text":"x"}', '', manager, plain), 415, 'validation_error')
      const both = await asked('/topics/x/notes?after=n1&before=n2')
      assertJsonError(both, 422, 'validation_error', /`before`.* together with `after`/)
      assertJsonError(
        await asked('/topics/x/notes', manager, { method: 'DELETE' }),
        405,
        'method_not_allowed',
      )
      assertJsonError(
        await add(`{"text":"${'x'.repeat(300_000)}"}`),
        413,
        'validation_error',
        /limit of 0.3 MB.$/,
      )
    })
  })

  describe('form', () => {
    const asked = (path: string, token = manager, init: RequestInit = {}): Promise<Reply> =>
      call(`${url}${path}`, { ...init, headers: { authorization: basic(token), ...init.headers } })
    const add = (body: RequestInit['body'], token = manager, headers = {}) =>
      asked('/v3/notes.test/notes', token, { method: 'POST', body: body!, headers })

    test('a body in each of its encodings, and a list that is linked', async () => {
      const multipart = new FormData()
      multipart.append('text', 'two')
      const json = { 'content-type': 'application/json' }
      for (const reply of [
        await add(new URLSearchParams({ text: 'one', stars: '5' })),
        await add(multipart),
        await add('{"text":"three","stars":2}', manager, json),
      ]) {
        assert.equal(reply.status, 200, reply.text)
        assert.deepEqual(reply.body, { message: 'Note added' })
      }
      const found: unknown[] = []
      let path = '/v3/notes.test/notes?limit=2'
      for (;;) {
        const { body } = await asked(path, reader)
        const items = body.items as unknown[]
        if (items.length === 0) break
        found.push(...items)
        path = (body.paging as { next: string }).next.slice(url.length)
      }
      assert.deepEqual(found, [
        { text: 'one', stars: 5 },
        { text: 'two', stars: 1 },
        { text: 'three', stars: 2 },
      ])
      assert.deepEqual((await asked('/v3/notes.test/notes', stranger)).body.items, [])
    })

    test('refusals have the messages of the dialect', async () => {
      assert.equal((await add('x', 'none')).text, 'Forbidden')
      assertFormError(await add('x', reader), 403, /management scope/)
      assertFormError(await add(new URLSearchParams()), 400, 'text parameter is missing')
      assertFormError(
        await add(new URLSearchParams({ text: 'x', stars: 'many' })),
        400,
        /stars.* must be a whole number/,
      )
      assertFormError(
        await add(
          new URLSearchParams([
            ['text', 'x'],
            ['txet', 'y'],
          ]),
        ),
        400,
        /txet.* no such field/,
      )
      assertFormError(await add('x'), 400, /Invalid request content type/)
      const file = new FormData()
      file.append('text', new Blob(['x']), 'x.txt')
      assertFormError(await add(file), 400, /text.* files are not accepted here/)
    })
  })
})
