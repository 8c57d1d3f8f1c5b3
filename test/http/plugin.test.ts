/** A third API next to both dialects: a class of some thirty lines, which answers everything under its paths in its own format. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../src/accounts/account.ts'
import type { Answer } from '../../src/http/answer.ts'
import type { Api, RouteHandlerFactory } from '../../src/http/api.ts'
import { APIS } from '../../src/http/apis.ts'
import { readBody } from '../../src/http/body.ts'
import type { HttpCore } from '../../src/http/core.ts'
import { type BodyContent, endpoint } from '../../src/http/endpoint.ts'
import type { HttpServer } from '../../src/http/server.ts'
import { type AnyReason, Fault } from '../../src/ingress/fault.ts'
import { Workers } from '../../src/workers/workers.ts'
import { type Service, startService } from '../support/service.ts'
import { RawConnection } from './requests.ts'
import { serveApis } from './serve.ts'

const SUM = {
  type: 'object',
  additionalProperties: false,
  required: ['sum'],
  properties: { sum: { type: 'integer' } },
} as const

const sum = endpoint({
  method: 'GET',
  url: '/line/sum',
  operation: 'line_add',
  access: 'anybody',
  schema: {
    operationId: 'lineSum',
    summary: 'Adds two numbers',
    querystring: {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    },
    response: { 200: SUM },
  },
})(async ({ query: { a, b } }) => ({ status: 200, body: { sum: a + b } }))

const sumAll = endpoint({
  method: 'POST',
  url: '/line/sums',
  operation: 'line_add_all',
  access: 'management',
  schema: {
    operationId: 'lineSumAll',
    summary: 'Adds any number of numbers',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['numbers'],
      properties: {
        numbers: { type: 'array', items: { type: 'integer' } },
        from: { type: 'integer', default: 0 },
      },
    },
    response: { 201: SUM },
  },
})(async ({ body, caller }) => {
  const sum = body.numbers.reduce((total, number) => total + number, body.from ?? 0)
  // Fields that the schema does not name stay here.
  return { status: 201, body: { sum, keyId: caller.keyId }, headers: { 'x-line': 'added' } }
})

/** Bodies that are JSON, whatever they say of themselves. */
const CONTENT: BodyContent = {
  check() {},
  readBody: (octets) => JSON.parse(octets.toString()) as unknown,
  isText: false,
}

/** One line of text a message, `to: text`; the key in a header of its own, errors as text. */
class LineApi implements Api {
  readonly prefixes = ['/line']
  readonly endpoints = [sum, sumAll]
  readonly content = CONTENT
  readonly #core: HttpCore

  constructor(core: HttpCore) {
    this.#core = core
  }

  words(reason: AnyReason): Answer {
    const status = {
      key_missing: 401,
      key_invalid: 401,
      scope_missing: 403,
      path_unknown: 404,
      method_unknown: 405,
      body_too_large: 413,
      field_missing: 422,
      field_invalid: 422,
    }[reason.code as string]
    const own = 'status' in reason ? reason.status : 500
    return { status: status ?? own, type: 'text/line', body: `no: ${reason.code}\n` }
  }

  register(app: FastifyInstance, answering: RouteHandlerFactory): void {
    app.post(
      '/line',
      answering('line_send', (request, reply) => this.#send(request, reply)),
    )
    app.get<{ Params: { id: string } }>('/line/:id', async () => assert.fail('a fault of its own'))
  }

  async admit(request: IncomingMessage): Promise<Principal> {
    const token = request.headers['x-line-key']
    if (typeof token !== 'string') throw new Fault({ code: 'key_missing' })
    return this.#core.callers.admit(request, token)
  }

  async #send({ raw }: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    const { deps, limit } = this.#core
    const caller = await this.admit(raw)
    const [to, text] = (await readBody(raw, reply.raw, limit)).toString().split(': ')
    const more = {
      cc: [],
      bcc: [],
      replyTo: [],
      headers: [],
      attachments: [],
      tags: [],
      variables: {},
      testMode: false,
    }
    const submission = { from: 'me@line.test', to: [to!], subject: 'Line', text: text!, ...more }
    const { id } = await deps.intake.submit(caller, submission)
    return { status: 202, type: 'text/line', body: `${id}\n` }
  }
}

const BODY = 'to@example.test: Hello'

describe('a third API', () => {
  let service: Service
  let server: HttpServer | undefined
  let workers: Workers
  let url: string
  let key: string
  let manager: string

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('line.test')
    key = tenant.key.token
    manager = (await service.key(tenant.company.id, { scopes: ['management'] })).token
    workers = new Workers({ memory: 64, onDeath: assert.fail })
    server = await serveApis(service, workers, [...APIS, LineApi])
    url = (await server.listen()).url
  })
  after(async () => {
    await server?.close()
    await workers?.close()
    await service.close()
  })

  const post = (headers: Record<string, string>, body = BODY, path = '/line') =>
    fetch(`${url}${path}`, { method: 'POST', headers, body })

  async function assertLine(answer: Response, status: number, text: string | RegExp): Promise<void> {
    assert.equal(answer.status, status)
    assert.equal(answer.headers.get('content-type'), 'text/line')
    assert.ok(answer.headers.get('x-request-id'))
    assert.match(await answer.text(), new RegExp(text))
  }

  test('accepts mail with a key that it reads in its own way', async () => {
    const answer = await post({ 'x-line-key': key })
    const id = (await answer.clone().text()).trim()
    await assertLine(answer, 202, /^[0-9a-f-]{36}\n$/)
    assert.equal((await service.store.readEmail(id))?.content.text, 'Hello')
  })

  test('401 in its format', async () => {
    await assertLine(await post({}), 401, 'no: key_missing')
    await assertLine(await post({ 'x-line-key': 'pr_unknown' }), 401, 'no: key_invalid')
    // A key in the header of another API does not count here.
    await assertLine(await post({ authorization: `Bearer ${key}` }), 401, 'no: key_missing')
  })

  test('404 and 405 in its format', async () => {
    await assertLine(await fetch(`${url}/line/of/none`), 404, 'no: path_unknown')
    const answer = await fetch(`${url}/line`)
    assert.equal(answer.headers.get('allow'), null)
    await assertLine(answer, 405, 'no: method_unknown')
  })

  test('413 in its format, and the next request has room again', async () => {
    await assertLine(await post({ 'x-line-key': key }, 'x'.repeat(5_000_000)), 413, 'no: body_too_large')
    assert.equal((await post({ 'x-line-key': key })).status, 202)
    const counted = await (await fetch(`${url}/metrics`)).text()
    assert.match(counted, /postroad_http_requests_total\{operation="line_send",status="413"\} 1/)
    assert.match(counted, /postroad_http_requests_under_way\{state="all"\} 0/)
  })

  test('a path that cannot be decoded, in its format', async () => {
    await assertLine(await fetch(`${url}/line/%zz/none`), 404, 'no: path_unknown')
    // Written in another way it is the same path.
    await assertLine(await fetch(`${url}/%6cine/of/none`), 404, 'no: path_unknown')
  })

  test('500 in its format', async () => {
    await assertLine(await fetch(`${url}/line/1`), 500, 'no: internal')
  })

  test('a declared route: its input is checked, and its answer is sent like every answer', async () => {
    const answer = await fetch(`${url}/line/sum?a=1&b=2`, { headers: { 'x-request-id': 'mine' } })
    assert.equal(await answer.text(), '{"sum":3}')
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('x-request-id'), 'mine')
    await assertLine(await fetch(`${url}/line/sum?a=1&b=two`), 422, 'no: field_invalid')
    await assertLine(await fetch(`${url}/line/sum?a=1`), 422, 'no: field_missing')
    const counted = await (await fetch(`${url}/metrics`)).text()
    assert.match(counted, /postroad_http_requests_total\{operation="line_add",status="200"\} 1/)
    assert.match(counted, /postroad_http_requests_total\{operation="line_add",status="422"\} 2/)
    assert.match(counted, /postroad_http_request_seconds_count\{operation="line_add"\} 3/)
  })

  describe('a declared route with a body', () => {
    const sums = (body: string, token = manager) => post({ 'x-line-key': token }, body, '/line/sums')

    test('gets the body, and returns the fields of its schema', async () => {
      const answer = await sums('{"numbers":[1,2,3],"from":10}')
      assert.equal(answer.status, 201)
      assert.equal(answer.headers.get('x-line'), 'added')
      assert.equal(await answer.text(), '{"sum":16}')
      assert.equal(await (await sums('{"numbers":[]}')).text(), '{"sum":0}')
    })

    test('checks the key first, then its scope, then the body', async () => {
      await assertLine(await post({}, 'no JSON', '/line/sums'), 401, 'no: key_missing')
      await assertLine(await sums('no JSON', key), 403, 'no: scope_missing')
    })

    for (const [body, code] of [
      ['{}', 'field_missing'],
      ['{"numbers":[1,"2"]}', 'field_invalid'],
      ['{"numbers":1}', 'field_invalid'],
      ['{"numbers":[],"from":null}', 'field_invalid'],
      ['{"numbers":[],"form":1}', 'field_invalid'],
      ['[]', 'field_invalid'],
    ] as const) {
      test(`refuses ${body}`, async () => assertLine(await sums(body), 422, `no: ${code}`))
    }

    test('reads no more of a body than its limit, and the octets count until the answer', async () => {
      const tooLarge = `{"numbers":[${'1,'.repeat(200_000)}1]}`
      await assertLine(await sums(tooLarge), 413, 'no: body_too_large')
      // In chunks, without a length that could be refused.
      const connection = new RawConnection(url)
      connection.write(
        `POST /line/sums HTTP/1.1\r\nhost: x\r\nx-line-key: ${manager}\r\ntransfer-encoding: chunked\r\n\r\n`,
      )
      connection.write('1\r\n{\r\n')
      const under = async () =>
        /under_way\{state="all"\} (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
      while ((await under()) !== '1') await turn()
      connection.write(`${tooLarge.length.toString(16)}\r\n${tooLarge}\r\n`)
      assert.match(await connection.closed(), /^HTTP\/1.1 413 [\s\S]*no: body_too_large\n/)
      assert.equal(await under(), '0')
    })
  })

  test('an unknown expectation, in its format', async () => {
    const connection = new RawConnection(url)
    connection.write('POST /line HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 0\r\n\r\n')
    assert.match(await connection.closed(), /^HTTP\/1.1 417 [\s\S]*text\/line[\s\S]*no: http_malformed\n/)
  })

  test('a path that only looks like its own is not', async () => {
    for (const path of ['/liner', '/', '/nowhere/line']) {
      const answer = await fetch(`${url}${path}`, { method: 'DELETE' })
      assert.match(answer.headers.get('content-type')!, /^application\/json/, path)
    }
  })

  test('a path of two APIs, a route outside its paths, and a body without a company are refused at the start', async () => {
    await assert.rejects(
      serveApis(service, workers, [LineApi, LineApi]),
      /Two APIs want the paths under \/line/,
    )
    class Greedy extends LineApi {
      override readonly prefixes = ['/greedy']
    }
    await assert.rejects(
      serveApis(service, workers, [Greedy]),
      /\/line is a route of an API that does not own it/,
    )
    class Open extends LineApi {
      override readonly endpoints = [{ ...sumAll, access: 'anybody' as const }]
    }
    await assert.rejects(
      serveApis(service, workers, [Open]),
      /\/line\/sums takes a body without authentication/,
    )
  })
})
