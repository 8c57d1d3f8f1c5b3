/** Attachments by `path`: they are fetched before the 200, and never from private addresses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, call, emailCount } from '../requests.ts'

describe('attachments by path', () => {
  const asked: string[] = []
  let gone = false
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    if (url === '/none' || (gone && url === '/gone.txt')) response.writeHead(404).end()
    else if (url === '/thing')
      response.writeHead(200, { 'content-type': 'text/calendar; charset=utf-8' }).end('BEGIN')
    else if (url.startsWith('/large')) response.end(Buffer.alloc(8_000_000, 'x'))
    else response.end(`octets of ${url}`)
  })
  let base: string
  let service: Service
  let api: Api
  let companyId: string

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    service = await startService({ allowPrivateNetworks: true, maxMessageSize: 2_000_000 })
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(async () => {
    await service.close()
    server.closeAllConnections()
    server.close()
  })

  const email = (...attachments: unknown[]) => ({
    from: 'ann@acme.example',
    to: 'bob@x.test',
    text: 'hello',
    attachments,
  })
  async function accepted(body: object) {
    const work = await service.store.readWork(await api.accepted(body))
    return work!.content.attachments.map(({ content, ...file }) => ({
      ...file,
      content: Buffer.from(content).toString(),
    }))
  }

  test('are in the message when the answer arrives, together with those of the request', async () => {
    const files = await accepted(
      email(
        { path: `${base}/invoices/2026%20November.pdf` },
        { filename: 'brought.txt', content: 'aGk=' },
        { filename: 'logo.png', path: `${base}/logo`, content_id: 'logo' },
        { filename: false, path: `${base}/thing` },
      ),
    )
    assert.deepEqual(files, [
      {
        filename: '2026 November.pdf',
        contentType: 'application/pdf',
        disposition: 'attachment',
        content: 'octets of /invoices/2026%20November.pdf',
      },
      { filename: 'brought.txt', contentType: 'text/plain', disposition: 'attachment', content: 'hi' },
      {
        filename: 'logo.png',
        contentType: 'image/png',
        disposition: 'inline',
        contentId: 'logo',
        content: 'octets of /logo',
      },
      // Its name says nothing, so its server's word counts.
      {
        filename: 'thing',
        contentType: 'text/calendar; charset=utf-8',
        disposition: 'attachment',
        content: 'BEGIN',
      },
    ])
  })

  test('the same in a large body', async () => {
    const html = `<p>${'x'.repeat(100_000)}</p>`
    const files = await accepted({ ...email({ path: `${base}/a.txt` }, { path: `${base}/a.txt` }), html })
    assert.deepEqual(
      files.map(({ content }) => content),
      ['octets of /a.txt', 'octets of /a.txt'],
    )
  })

  test('a file that cannot be fetched is an invalid attachment, and nothing is accepted', async () => {
    const before = await emailCount(service, companyId)
    const good = { filename: 'a.txt', content: 'aGk=' }
    const bad: [attachment: object, message: RegExp][] = [
      [
        { path: `${base}/none` },
        /^Invalid attachment at index 1: its `path` could not be fetched: .* answered 404/,
      ],
      [{ path: 'https://nowhere.invalid/a.pdf' }, /nowhere\.invalid/],
      [{ path: 'ftp://x.test/a.pdf' }, /`path` is neither/],
      [{ path: 'a.pdf' }, /`path` is not a URL/],
      [{ path: 7 }, /`path` must be a string/],
      [{ path: `${base}/a`, content: 'aGk=' }, /either `content` or `path`, not both/],
      [{ path: base }, /`filename` is missing/],
      [{ filename: 'a' }, /either a `content` or `path`/],
    ]
    for (const [attachment, message] of bad) {
      assertJsonError(await api.send(email(good, attachment)), 422, 'invalid_attachment', message)
    }
    assert.equal(await emailCount(service, companyId), before)
  })

  test('repeated requests with one key are one email', async () => {
    const headers = { 'idempotency-key': 'with a file' }
    const [first, second] = await Promise.all([
      api.send(email({ path: `${base}/once.txt` }), headers),
      api.send(email({ path: `${base}/once.txt` }), headers),
    ])
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.equal(first.body.id, second.body.id)
  })

  test('a repeated request is answered as before, although its file no longer exists', async () => {
    const path = `${base}/gone.txt`
    const batch = (key: string) =>
      call(`${api.url}/emails/batch`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${api.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify([email({ path }), email()]),
      })
    const headers = { 'idempotency-key': 'gone' }
    const first = await api.send(email({ path }), headers)
    const together = await batch('gone')
    assert.deepEqual([first.status, together.status], [200, 200], together.text)
    gone = true
    assert.deepEqual((await api.send(email({ path }), headers)).body, first.body)
    assert.deepEqual((await batch('gone')).body, together.body)
    assertJsonError(await api.send(email({ path })), 422, 'invalid_attachment', /answered 404/)
    assertJsonError(await batch('other'), 422, 'invalid_attachment', /^Email at index 0: .*answered 404/)
  })

  test('a batch that was accepted in part gets the same answer again, including the errors', async () => {
    gone = false
    const path = `${base}/gone.txt`
    const foreign = { ...email({ path }), from: 'eve@foreign.example' }
    const missing = email({ path: `${base}/none` })
    const cases: [what: string, batch: unknown[], errors: number[], goneAfter: boolean][] = [
      ['no JSON object', [null, email({ path })], [0], false],
      ['a domain of another', [foreign, email({ path }), email()], [0], false],
      ['a file that was not there', [email(), missing, email({ path })], [1], false],
      ['and then the file of another is gone', [null, email({ path }), foreign, email()], [0, 2], true],
      ['and then all files are gone', [email({ path }), null], [1], true],
    ]
    for (const [what, batch, errors, goneAfter] of cases) {
      const send = () =>
        call(`${api.url}/emails/batch`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${api.token}`,
            'content-type': 'application/json',
            'x-batch-validation': 'permissive',
            'idempotency-key': what,
          },
          body: JSON.stringify(batch),
        })
      gone = false
      const first = await send()
      assert.equal(first.status, 200, first.text)
      assert.deepEqual(
        (first.body.errors as { index: number }[]).map(({ index }) => index),
        errors,
        what,
      )
      assert.equal((first.body.data as unknown[]).length, batch.length - errors.length, what)
      const before = await emailCount(service, companyId)
      gone = goneAfter
      assert.deepEqual((await send()).body, first.body, what)
      assert.equal(await emailCount(service, companyId), before, what)
    }
    gone = false
  })

  test('no file is fetched for a caller without the right to send, or for a request that is refused for another reason', async () => {
    const reader = await service.key(companyId, { scopes: ['reading'] })
    asked.length = 0
    const files = email({ path: `${base}/unfetched.txt` })
    const post = (path: string, body: unknown, token = api.token, headers = {}) =>
      call(`${api.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const foreign = { ...files, from: 'eve@foreign.example' }
    const broken = { ...files, to: 'nobody' }
    for (const body of [foreign, broken]) {
      assert.ok([403, 422].includes((await post('/emails', body)).status))
      assert.ok([403, 422].includes((await post('/emails/batch', [files, body])).status))
    }
    assert.equal((await post('/emails', files, reader.token)).status, 403)
    assert.equal((await post('/emails/batch', [files], reader.token)).status, 403)
    assert.deepEqual(asked, [])
    const wanted = email({ path: `${base}/wanted.txt` })
    const permissive = { 'x-batch-validation': 'permissive' }
    const { body } = await post('/emails/batch', [foreign, wanted, broken], api.token, permissive)
    assert.deepEqual(asked, ['/wanted.txt'])
    assert.equal((body.data as unknown[]).length, 1)
    const [unverified, invalid] = body.errors as { index: number; message: string }[]
    assert.equal(unverified?.index, 0)
    assert.match(unverified.message, /^The `foreign\.example` domain is not verified/)
    assert.equal(invalid?.index, 2)
    assert.match(invalid.message, /^Invalid `to` field\./)
  })

  test('the largest file has room in the least memory if nothing else uses it', async () => {
    // Large bodies may cost 27 MB together, and a file four times its octets.
    const limits = { memory: 40 * 1024 * 1024, maxMessageSize: 12_000_000 }
    await using small = await startService({ allowPrivateNetworks: true, ...limits })
    const [one, other] = [await small.tenant('acme.example'), await small.tenant('other.example')]
    const oneApi = new Api(small.url, one.key.token)
    const id = await oneApi.accepted(email({ path: `${base}/large.bin` }))
    const [file] = (await oneApi.get(`/emails/${id}/attachments`)).body.data as { size: number }[]
    assert.equal(file?.size, 8_000_000)
    // Of two simultaneous requests one gets the memory, and the other is asked to try again, or comes after it.
    const otherApi = new Api(small.url, other.key.token)
    const both = await Promise.all([
      oneApi.send(email({ path: `${base}/large1.bin` })),
      otherApi.send({ ...email({ path: `${base}/large2.bin` }), from: 'ann@other.example' }),
    ])
    assert.ok(
      both.some(({ status }) => status === 200),
      both.map(({ text }) => text).join(),
    )
    for (const { status, headers, text } of both) {
      if (status === 200) continue
      assert.ok(status === 429 || status === 503, text)
      assert.match(headers.get('retry-after') ?? '', /^[1-9]/)
    }
    // With a body that is as large, one alone has room for no more than the largest body.
    const beside = { ...email({ path: `${base}/large3.bin` }), text: 'x'.repeat(9_500_000) }
    const beyond = await oneApi.send(beside)
    assert.equal(beyond.status, 429, beyond.text)
    assert.match(beyond.headers.get('retry-after') ?? '', /^[1-9]/)
    const tooMany = await oneApi.send(email({ path: `${base}/large1.bin` }, { path: `${base}/large2.bin` }))
    assertJsonError(tooMany, 422, 'invalid_attachment', /more than 12000000 octets in total/)
  })

  test('no connection to a private address is made, under any name', async () => {
    await using guarded = await startService()
    const { key } = await guarded.tenant('acme.example')
    const guardedApi = new Api(guarded.url, key.token)
    asked.length = 0
    const { port } = server.address() as AddressInfo
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]']) {
      const reply = await guardedApi.send(email({ path: `http://${host}:${port}/secret.txt` }))
      assertJsonError(
        reply,
        422,
        'invalid_attachment',
        /could not be fetched: .*(public address|this machine)/,
      )
    }
    assert.deepEqual(asked, [])
  })
})
