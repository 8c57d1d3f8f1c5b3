/** The rights of a key and a domain are checked when the mail is accepted, not when its request began. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { type Service, startService, type TestKey } from '../support/service.ts'
import {
  assertFormError,
  assertJsonError,
  basic,
  call,
  emailCount,
  multipartBody,
  type Part,
  RawConnection,
  type Reply,
} from './requests.ts'

const MESSAGE = 'From: a@late.example\r\nTo: b@x.test\r\nSubject: s\r\n\r\nt\r\n'
const MULTIPART = 'multipart/form-data; boundary=--x'

interface Endpoint {
  path: string
  type: string
  authorization(token: string): string
  body: Buffer
}

const bearer = (token: string) => `Bearer ${token}`
const parts = (...list: Part[]) => multipartBody(list)
const EMAIL = { from: 'a@late.example', to: 'b@x.test', text: 't' }
/** Large enough to be read in another thread. */
const LARGE = {
  ...EMAIL,
  attachments: [{ filename: 'f', content: Buffer.alloc(1_200_000).toString('base64') }],
}

const ENDPOINTS: Record<string, Endpoint> = {
  'POST /emails': {
    path: '/emails',
    type: 'application/json',
    authorization: bearer,
    body: Buffer.from(JSON.stringify(EMAIL)),
  },
  'POST /emails with a large body': {
    path: '/emails',
    type: 'application/json',
    authorization: bearer,
    body: Buffer.from(JSON.stringify(LARGE)),
  },
  'POST /v3/{domain}/messages': {
    path: '/v3/late.example/messages',
    type: MULTIPART,
    authorization: basic,
    body: parts(
      { name: 'from', value: 'a@late.example' },
      { name: 'to', value: 'b@x.test' },
      { name: 'text', value: 't' },
    ),
  },
  'POST /v3/{domain}/messages, urlencoded': {
    path: '/v3/late.example/messages',
    type: 'application/x-www-form-urlencoded',
    authorization: basic,
    body: Buffer.from('from=a@late.example&to=b@x.test&text=t'),
  },
  'POST /v3/{domain}/messages.mime': {
    path: '/v3/late.example/messages.mime',
    type: MULTIPART,
    authorization: basic,
    body: parts({ name: 'to', value: 'b@x.test' }, { name: 'message', value: MESSAGE, filename: 'm' }),
  },
}

describe('while a request arrives', () => {
  let service: Service
  let companyId: string
  let domainId: string

  before(async () => {
    service = await startService()
    const { company, domain } = await service.tenant('late.example')
    companyId = company.id
    domainId = domain.id
  })
  after(() => service.close())

  /** Sends all but the end of the body, lets `meanwhile` happen, sends the end. */
  async function slowly(endpoint: Endpoint, key: TestKey, meanwhile: () => Promise<void>): Promise<Reply> {
    const { path, type, authorization, body } = endpoint
    const connection = new RawConnection(service.url)
    connection.write(
      `POST ${path} HTTP/1.1\r\nHost: postroad.test\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${body.length}\r\nAuthorization: ${authorization(key.token)}\r\n\r\n`,
    )
    // The service has looked at the key when it asks for the body.
    await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    connection.write(body.subarray(0, -5))
    await meanwhile()
    connection.write(body.subarray(-5))
    const answer = (await connection.closed()).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    const [head, text] = answer.split('\r\n\r\n') as [string, string]
    const headers = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ') as [string, string]),
    )
    const parsed = headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : {}
    return { status: Number(head.split(' ')[1]), headers, text, body: parsed }
  }

  async function refused(send: () => Promise<Reply>): Promise<Reply> {
    const before = await emailCount(service, companyId)
    const reply = await send()
    assert.equal(await emailCount(service, companyId), before, 'something was stored')
    return reply
  }

  for (const [name, endpoint] of Object.entries(ENDPOINTS)) {
    const json = endpoint.path === '/emails'

    test(`${name}: nothing happens, it is accepted`, async () => {
      const before = await emailCount(service, companyId)
      const reply = await slowly(endpoint, await service.key(companyId), async () => {})
      assert.equal(reply.status, 200, reply.text)
      assert.equal(await emailCount(service, companyId), before + 1)
    })

    test(`${name}: the key is revoked, 401`, async () => {
      const key = await service.key(companyId)
      const reply = await refused(() =>
        slowly(endpoint, key, async () => {
          await service.store.revokeKey(key.id, Date.now())
          await service.app.refreshAccounts()
        }),
      )
      if (json) assertJsonError(reply, 401, 'invalid_api_key', 'API key is invalid')
      else assert.deepEqual([reply.status, reply.text], [401, 'Forbidden'])
    })

    test(`${name}: the domain is suspended, 403`, async () => {
      const key = await service.key(companyId)
      const reply = await refused(() =>
        slowly(endpoint, key, async () => {
          await service.store.updateDomain(domainId, { sending: 'suspended' })
          await service.app.refreshAccounts()
        }),
      )
      await service.store.updateDomain(domainId, { sending: 'active' })
      await service.app.refreshAccounts()
      if (json) assertJsonError(reply, 403, 'validation_error', /^The `late\.example` domain is not verified/)
      else assertFormError(reply, 403, /^Domain late\.example is not allowed to send: .*suspended/)
    })
  }
})

describe('a domain that another process has activated just now', () => {
  test('may send at once, one email or several', async () => {
    await using service = await startService()
    const { domain, key } = await service.tenant('late.example')
    const store = await openStore(service.settings.database, { exclusive: false })
    const batch: Endpoint = {
      path: '/emails/batch',
      type: 'application/json',
      authorization: bearer,
      body: Buffer.from(JSON.stringify([EMAIL, EMAIL])),
    }
    try {
      for (const [name, endpoint] of [...Object.entries(ENDPOINTS), ['POST /emails/batch', batch] as const]) {
        await service.store.updateDomain(domain.id, { sending: 'inactive' })
        await service.app.refreshAccounts()
        const { path, type, authorization, body } = endpoint
        const send = () =>
          call(`${service.url}${path}`, {
            method: 'POST',
            headers: { authorization: authorization(key.token), 'content-type': type },
            body: new Uint8Array(body),
          })
        assert.equal((await send()).status, 403, name)
        await store.updateDomain(domain.id, { sending: 'active' })
        const reply = await send()
        assert.equal(reply.status, 200, `${name}: ${reply.text}`)
      }
    } finally {
      await store.close()
    }
  })
})
