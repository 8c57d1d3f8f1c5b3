/** `/openapi.json` and `/docs`: the document is valid, contains every route, and matches the answers. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Service, startService } from '../support/service.ts'
import { OpenApi, type Operation } from './openapi.ts'
import { Api, basic, call } from './requests.ts'

/** Parts of a path that are no UTF-8 in percent-encoding. */
const UNDECODABLE = ['%ff', '%-', '%', '%e2%82', '%ed%a0%80']
const ODD = ['%00', 'x'.repeat(2_000)]

describe('the OpenAPI document', () => {
  let service: Service
  let token: string
  let api: Api
  let openApi: OpenApi
  /** Of something that is there, for each parameter of a path. */
  let values: Record<string, string>

  before(async () => {
    service = await startService()
    const { company } = await service.tenant('ours.test')
    token = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
    api = new Api(service.url, token)
    openApi = await OpenApi.of(service.url)
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }]
    const id = await api.accepted({
      from: 'a@ours.test',
      to: 'b@x.test',
      subject: 's',
      text: 't',
      attachments,
    })
    const files = await api.get(`/emails/${id}/attachments`)
    const [{ id: attachment }] = files.body.data as [{ id: string }]
    values = { id, attachment, domain: 'ours.test' }
  })
  after(() => service.close())

  const routes = () => openApi.routes
  const filled = (path: string) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'unknown'))
  const authorization = ({ security = [] }: Operation): Record<string, string> => {
    if (security.some((one) => 'bearer' in one)) return { authorization: `Bearer ${token}` }
    if (security.some((one) => 'basic' in one)) return { authorization: basic(token) }
    return {}
  }
  const hold: OpenApi['hold'] = (...answered) => openApi.hold(...answered)

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(openApi.document) as unknown as Record<string, unknown>,
    )
    assert.ok(valid, JSON.stringify(errors))
    const ids = routes().map(({ operation }) => operation.operationId)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  test('contains only existing routes, and a refusal matches the document', async () => {
    for (const { method, path, operation } of routes()) {
      const reply = await call(`${service.url}${filled(path)}`, { method })
      if ((operation.security ?? []).length > 0) assert.equal(reply.status, 401, `${method} ${path}`)
      if (reply.status !== 200 || reply.headers.get('content-type')?.startsWith('application/json')) {
        hold(method, path, reply)
      }
    }
  })

  test('the answers of all GET routes match it', async () => {
    for (const { method, path, operation } of routes()) {
      if (method !== 'GET') continue
      for (const target of [filled(path), path.replace(/\{\w+\}/g, '019a9b2c-0000-7000-8000-000000000000')]) {
        hold(method, path, await call(`${service.url}${target}`, { headers: authorization(operation) }))
      }
    }
  })

  test('a path with an invalid escape is not found, whatever the route', async () => {
    const nothing = encodeURIComponent('\u{1f48c}')
    const said = async (method: string, path: string, operation: Operation, part: string) => {
      const target = path.replace(/\{\w+\}/g, part)
      const reply = await call(`${service.url}${target}`, { method, headers: authorization(operation) })
      assert.ok(reply.status < 500, `${method} ${target} answered ${reply.status}: ${reply.text}`)
      return {
        status: reply.status,
        ...reply.body,
        message: String(reply.body.message).replace(/[^\w ]+/g, ''),
      }
    }
    for (const { method, path, operation } of routes()) {
      if (!path.includes('{')) continue
      // At once: an unknown domain is looked for in the store, and the requests for it share one look.
      const [expected, ...others] = await Promise.all(
        [nothing, ...UNDECODABLE, ...ODD].map((part) => said(method, path, operation, part)),
      )
      UNDECODABLE.forEach((part, index) => {
        assert.deepEqual(others[index], expected, `${method} ${path}: ${part}`)
      })
      ODD.forEach((part, index) => {
        const { status } = others[UNDECODABLE.length + index]!
        assert.equal(status, expected!.status, `${method} ${path}: ${part.slice(0, 10)}`)
      })
    }
  })

  test('answers to messages match it, accepted or refused', async () => {
    const email = { from: 'a@ours.test', to: 'b@x.test', subject: 's', text: 't' }
    for (const body of [email, { ...email, to: 'nobody' }, { ...email, from: 'a@nobody.test' }, [], '{']) {
      hold('POST', '/emails', await api.send(body))
    }
    const batch = (headers: Record<string, string>, ...emails: object[]) =>
      call(`${service.url}/emails/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(emails),
      })
    hold('POST', '/emails/batch', await batch({}, email, email))
    hold('POST', '/emails/batch', await batch({ 'x-batch-validation': 'permissive' }, email, { from: 'a' }))
    const fields = Object.entries(email)
    const forms: [string, string][][] = [fields, fields.slice(1), [...fields, ['o:dkim', 'no']]]
    for (const form of forms) hold('POST', '/v3/{domain}/messages', await api.form('ours.test', form))
    hold('POST', '/v3/{domain}/messages', await api.form('nobody.test', fields))
    const parts = [
      { name: 'to', value: 'b@x.test' },
      { name: 'message', value: 'From: a@ours.test\r\n\r\nhello\r\n', filename: 'm' },
    ]
    for (const sent of [parts, parts.slice(1)]) {
      hold('POST', '/v3/{domain}/messages.mime', await api.multipart('ours.test', sent, 'messages.mime'))
    }
  })

  test('its page shows every route, and loads nothing from other servers', async () => {
    const page = await call(`${service.url}/docs`)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
    assert.match(page.headers.get('content-security-policy')!, /^default-src 'none'/)
    assert.doesNotMatch(page.text, /<script|<img|<link|src=|href="(?!#|\/openapi\.json)/)
    const text = page.text.replaceAll('<wbr>', '')
    for (const { method, path, operation } of routes()) {
      assert.ok(
        text.includes(`<section id="${operation.operationId}"><h3><code>${method} ${path}</code>`),
        path,
      )
    }
  })
})
