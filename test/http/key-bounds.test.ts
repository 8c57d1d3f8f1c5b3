/** Keys that expire, and keys that work only from some addresses: in both dialects, behind proxies, and while a request arrives. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, basic, call, emailCount, RawConnection } from './requests.ts'

const EMAIL = { from: 'a@acme.example', to: 'b@x.test', text: 't' }
const FIELDS = Object.entries(EMAIL)
const HERE = ['127.0.0.0/8', '::1']
const THERE = ['192.0.2.0/24', '2001:db8::/32']

describe('a key', () => {
  let service: Service
  let companyId: string

  before(async () => {
    service = await startService()
    companyId = (await service.tenant('acme.example')).company.id
  })
  after(() => service.close())

  const apiOf = async (bounds: { networks?: string[]; expiresAt?: number }) =>
    new Api(service.url, (await service.key(companyId, bounds)).token)

  test('works until it expires and not after that', async () => {
    const api = await apiOf({ expiresAt: Date.now() + 3_600_000 })
    const id = await api.accepted(EMAIL)
    assert.equal((await api.form('acme.example', FIELDS)).status, 200)

    const ended = await apiOf({ expiresAt: Date.now() })
    const before = await emailCount(service, companyId)
    const invalid = 'API key is invalid: it has expired'
    assertJsonError(await ended.send(EMAIL), 401, 'invalid_api_key', invalid)
    assertJsonError(await ended.get(`/emails/${id}`), 401, 'invalid_api_key', invalid)
    for (const path of ['messages', 'messages.mime']) {
      const reply = await ended.form('acme.example', FIELDS, path)
      assert.deepEqual([reply.status, reply.text], [401, 'Forbidden'])
    }
    assert.equal(await emailCount(service, companyId), before)
  })

  test('that expires while a request arrives does not complete it', async () => {
    const expiresAt = Date.now() + 1_000
    const { token } = await service.key(companyId, { expiresAt })
    const before = await emailCount(service, companyId)
    const body = JSON.stringify(EMAIL)
    const connection = new RawConnection(service.url)
    connection.write(
      `POST /emails HTTP/1.1\r\nHost: postroad.test\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
    await connection.until(/100 Continue\r\n\r\n/)
    connection.write(body.slice(0, -1))
    while (Date.now() <= expiresAt)
      await new Promise((resolve) => setTimeout(resolve, expiresAt - Date.now() + 1))
    connection.write(body.slice(-1))
    assert.match(await connection.closed(), /\r\n\r\nHTTP\/1\.1 401 .*it has expired/s)
    assert.equal(await emailCount(service, companyId), before)
  })

  test('works only from its networks, and the error names the address', async () => {
    const here = await apiOf({ networks: HERE })
    const id = await here.accepted(EMAIL)
    assert.equal((await here.form('acme.example', FIELDS)).status, 200)

    const there = await apiOf({ networks: THERE })
    const before = await emailCount(service, companyId)
    const refused = 'This API key may not be used from the address 127.0.0.1'
    assertJsonError(await there.send(EMAIL), 403, 'restricted_api_key', refused)
    assertJsonError(await there.get(`/emails/${id}`), 403, 'restricted_api_key', refused)
    assertFormError(await there.form('acme.example', FIELDS), 403, refused)
    assert.equal(await emailCount(service, companyId), before)
    assert.ok(
      service.logged.some(
        (line) => line.includes('used from an address that it does not allow') && line.includes('127.0.0.1'),
      ),
    )
  })

  test('is not admitted by a header that any client can send', async () => {
    const { token } = await service.key(companyId, { networks: THERE })
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'client-ip']) {
      const reply = await call(`${service.url}/emails/none`, {
        headers: { authorization: `Bearer ${token}`, [name]: '192.0.2.1' },
      })
      assert.equal(reply.status, 403, name)
    }
  })
})

describe('behind proxies that are trusted', () => {
  let service: Service
  let companyId: string

  before(async () => {
    service = await startService({ trustedProxies: ['127.0.0.0/8', '10.9.0.0/16'] })
    companyId = (await service.tenant('acme.example')).company.id
  })
  after(() => service.close())

  const cases: [forwarded: string | null, address: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['203.0.113.9, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 203.0.113.9', '203.0.113.9'],
    ['192.0.2.1, 10.9.1.1', '192.0.2.1'],
    ['192.0.2.1,10.9.1.1 ,\t127.0.0.3', '192.0.2.1'],
    ['192.0.2.1, 203.0.113.9, 10.9.1.1', '203.0.113.9'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:50123', '192.0.2.1'],
    ['[2001:db8::1]:50123', '2001:db8::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['nonsense, 192.0.2.1', '192.0.2.1'],
    // The proxy that wrote it does not know the client: neither the address before it nor its own counts.
    ['192.0.2.1, unknown', ''],
    ['192.0.2.1, 010.9.1.1', ''],
    ['10.9.1.1, 10.9.1.2', '10.9.1.1'],
    ['', '127.0.0.1'],
    [null, '127.0.0.1'],
  ]
  for (const [forwarded, address] of cases) {
    test(`X-Forwarded-For ${JSON.stringify(forwarded)}: ${address || 'an unknown address'}`, async () => {
      const { token } = await service.key(companyId, { networks: ['198.51.100.1'] })
      const reply = await call(`${service.url}/v3/acme.example/messages`, {
        method: 'POST',
        headers: { authorization: basic(token), ...(forwarded !== null && { 'x-forwarded-for': forwarded }) },
        body: new URLSearchParams(FIELDS),
      })
      const place = address === '' ? 'an unknown address' : `the address ${address}`
      assertFormError(reply, 403, `This API key may not be used from ${place}`)
      if (address === '') return
      const allowed = await service.key(companyId, { networks: [address] })
      const accepted = await call(`${service.url}/emails`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${allowed.token}`,
          'content-type': 'application/json',
          ...(forwarded !== null && { 'x-forwarded-for': forwarded }),
        },
        body: JSON.stringify(EMAIL),
      })
      assert.equal(accepted.status, 200, accepted.text)
    })
  }

  test('several X-Forwarded-For lines are one list', async () => {
    const { token } = await service.key(companyId, { networks: ['198.51.100.1'] })
    const connection = new RawConnection(service.url)
    connection.write(
      `GET /emails/none HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
        'X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n',
    )
    assert.match(await connection.closed(), /403.*the address 203\.0\.113\.9/s)
  })
})
