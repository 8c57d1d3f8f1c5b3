/** A third API beside those there are: a class of some thirty lines, and everything under its paths is answered in its words. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LiveAccounts } from '../../src/accounts/live-accounts.ts'
import { planMemory } from '../../src/config/memory-plan.ts'
import type { Answer } from '../../src/http/answer.ts'
import type { Answering, Api, ApiClass, HttpCore } from '../../src/http/api.ts'
import { APIS } from '../../src/http/apis.ts'
import { readBody } from '../../src/http/body.ts'
import { type AnyReason, Fault } from '../../src/http/fault.ts'
import { createServer, type HttpServer } from '../../src/http/server.ts'
import { typed } from '../../src/http/typed.ts'
import { noHandover } from '../../src/intake/handover.ts'
import { Intake } from '../../src/intake/intake.ts'
import { createLogger } from '../../src/log.ts'
import { LoopMonitor } from '../../src/loop-monitor.ts'
import { Metrics } from '../../src/metrics.ts'
import { Workers } from '../../src/workers/workers.ts'
import { type Service, startService } from '../support/service.ts'
import { RawConnection } from './requests.ts'

const ADD = {
  config: { operation: 'line_add' },
  schema: {
    querystring: {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    },
    response: {
      200: {
        type: 'object',
        additionalProperties: false,
        required: ['sum'],
        properties: { sum: { type: 'integer' } },
      },
    },
  },
} as const

/** One line of text a message, `to: text`; the key in a header of its own, errors as text. */
class LineApi implements Api {
  readonly prefixes = ['/line']
  readonly #core: HttpCore

  constructor(core: HttpCore) {
    this.#core = core
  }

  words(reason: AnyReason): Answer {
    const status = { key_missing: 401, key_invalid: 401, path_unknown: 404, method_unknown: 405 }[
      reason.code as string
    ]
    const own = reason.code === 'body_too_large' ? 413 : 'status' in reason ? reason.status : 500
    return { status: status ?? own, type: 'text/line', body: `no: ${reason.code}\n` }
  }

  register(app: FastifyInstance, answering: Answering): void {
    app.post(
      '/line',
      answering('line_send', (request, reply) => this.#send(request, reply)),
    )
    app.get<{ Params: { id: string } }>('/line/:id', async () => assert.fail('a fault of its own'))
    app.register(async (scope) => {
      typed(scope, this.#core.answers).get('/line/sum', ADD, async ({ query }, reply) =>
        reply.send({ sum: query.a + query.b }),
      )
    })
  }

  async #send({ raw }: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    const { callers, deps, limit } = this.#core
    const token = raw.headers['x-line-key']
    if (typeof token !== 'string') throw new Fault({ code: 'key_missing' })
    const caller = await callers.admit(raw, token)
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

  /** The service's own store, behind another HTTP server. */
  async function serve(apis: readonly ApiClass[]): Promise<HttpServer> {
    const { store } = service
    const metrics = new Metrics()
    const settings = {
      ...service.settings,
      listen: { host: '127.0.0.1', port: 0 },
      maxMessageSize: 1_000_000,
      metrics: 'same' as const,
    }
    const log = createLogger('silent')
    const accounts = new LiveAccounts({ source: store, onFault: assert.fail, onLook: () => {} })
    await accounts.refresh()
    const intake = { store, accounts, handover: noHandover, deriveText: () => '', limits: settings, metrics }
    return createServer(
      {
        api: true,
        settings,
        plan: planMemory(settings),
        monitor: new LoopMonitor(metrics.registry, log),
        accounts,
        intake: new Intake(intake),
        workers,
        store,
        registry: metrics.registry,
        log,
        version: '0.0.0',
        ready: () => store.probe(),
      },
      apis,
    )
  }

  before(async () => {
    service = await startService()
    key = (await service.tenant('line.test')).key.token
    workers = new Workers({ memory: 64, onDeath: assert.fail })
    server = await serve([...APIS, LineApi])
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

  test('takes mail in, by a key that it reads in its own way', async () => {
    const answer = await post({ 'x-line-key': key })
    const id = (await answer.clone().text()).trim()
    await assertLine(answer, 202, /^[0-9a-f-]{36}\n$/)
    assert.equal((await service.store.readEmail(id))?.content.text, 'Hello')
  })

  test('401 in its words', async () => {
    await assertLine(await post({}), 401, 'no: key_missing')
    await assertLine(await post({ 'x-line-key': 'pr_unknown' }), 401, 'no: key_invalid')
    // A key in the header of another API is none here.
    await assertLine(await post({ authorization: `Bearer ${key}` }), 401, 'no: key_missing')
  })

  test('404 and 405 in its words', async () => {
    await assertLine(await fetch(`${url}/line/of/none`), 404, 'no: path_unknown')
    const answer = await fetch(`${url}/line`)
    assert.equal(answer.headers.get('allow'), null)
    await assertLine(answer, 405, 'no: method_unknown')
  })

  test('413 in its words, and the next request has room again', async () => {
    await assertLine(await post({ 'x-line-key': key }, 'x'.repeat(5_000_000)), 413, 'no: body_too_large')
    assert.equal((await post({ 'x-line-key': key })).status, 202)
    const counted = await (await fetch(`${url}/metrics`)).text()
    assert.match(counted, /postroad_http_requests_total\{operation="line_send",status="413"\} 1/)
    assert.match(counted, /postroad_http_requests_under_way\{state="all"\} 0/)
  })

  test('a path that cannot be decoded, in its words', async () => {
    await assertLine(await fetch(`${url}/line/%zz`), 404, 'no: path_unknown')
    // Written in another way it is the same path.
    await assertLine(await fetch(`${url}/%6cine/of/none`), 404, 'no: path_unknown')
  })

  test('500 in its words', async () => {
    await assertLine(await fetch(`${url}/line/1`), 500, 'no: internal')
  })

  test('a route with a schema: what is asked is checked, and what is answered leaves like every answer', async () => {
    const answer = await fetch(`${url}/line/sum?a=1&b=2`, { headers: { 'x-request-id': 'mine' } })
    assert.equal(await answer.text(), '{"sum":3}')
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('x-request-id'), 'mine')
    await assertLine(await fetch(`${url}/line/sum?a=1&b=two`), 400, 'no: http_malformed')
    const counted = await (await fetch(`${url}/metrics`)).text()
    assert.match(counted, /postroad_http_requests_total\{operation="line_add",status="200"\} 1/)
  })

  test('an expectation that nobody understands, in its words', async () => {
    const connection = new RawConnection(url)
    connection.write('POST /line HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\ncontent-length: 0\r\n\r\n')
    assert.match(await connection.closed(), /^HTTP\/1.1 417 [\s\S]*text\/line[\s\S]*no: http_malformed\n/)
  })

  test('what only looks like its path is not its own', async () => {
    for (const path of ['/liner', '/', '/nowhere/line']) {
      const answer = await fetch(`${url}${path}`, { method: 'DELETE' })
      assert.match(answer.headers.get('content-type')!, /^application\/json/, path)
    }
  })

  test('a path that two want, and a route beyond its paths, are refused at the start', async () => {
    await assert.rejects(serve([LineApi, LineApi]), /Two APIs want the paths under \/line/)
    class Greedy extends LineApi {
      override readonly prefixes = ['/greedy']
    }
    await assert.rejects(serve([Greedy]), /\/line is a route of an API that does not own it/)
  })
})
