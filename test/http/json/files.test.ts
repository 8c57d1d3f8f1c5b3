/** The files of an email, read back: lists, single files, and links that work without a key for a while. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import { DownloadLinks } from '../../../src/http/stored-files/download-link.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, basic, call, newestEmail } from '../requests.ts'

interface Shown {
  id: string
  filename: string
  download_url: string
  expires_at: string
}

describe('the files of an email', () => {
  let service: Service
  let api: Api
  let companyId: string
  let id: string
  let files: Shown[]

  const large = Buffer.alloc(300_000, 'postroad ')

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
    id = await api.accepted({
      from: 'ann@acme.example',
      to: 'bob@x.test',
      text: 'hello',
      attachments: [
        { filename: 'hi.txt', content: 'aGk=' },
        { filename: 'größe "1".png', content: large.toString('base64'), content_id: 'logo' },
        { filename: 'page.html', content: 'PGI+', content_type: 'text/html; charset=utf-8' },
      ],
    })
    const list = await api.get(`/emails/${id}/attachments`)
    files = list.body.data as Shown[]
  })
  after(() => service.close())

  test('are listed in order, with all fields that the clients know', async () => {
    const reply = await api.get(`/emails/${id}/attachments`)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual([reply.body.object, reply.body.has_more], ['list', false])
    const data = reply.body.data as Record<string, unknown>[]
    const told = data.map(({ id, download_url, expires_at, ...rest }) => {
      assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.ok(String(download_url).startsWith(`${service.url}/emails/`), String(download_url))
      assert.ok(Date.parse(String(expires_at)) > Date.now())
      return rest
    })
    assert.deepEqual(told, [
      { filename: 'hi.txt', size: 2, content_type: 'text/plain', content_disposition: 'attachment' },
      {
        filename: 'größe "1".png',
        size: large.length,
        content_type: 'image/png',
        content_disposition: 'inline',
        content_id: 'logo',
      },
      {
        filename: 'page.html',
        size: 3,
        content_type: 'text/html; charset=utf-8',
        content_disposition: 'attachment',
      },
    ])
  })

  test('are listed in pages', async () => {
    const page = async (query: string) => {
      const { body } = await api.get(`/emails/${id}/attachments?${query}`)
      return [(body.data as Shown[]).map(({ filename }) => filename), body.has_more]
    }
    assert.deepEqual(await page('limit=2'), [['hi.txt', 'größe "1".png'], true])
    assert.deepEqual(await page(`limit=2&after=${files[1]!.id}`), [['page.html'], false])
    assert.deepEqual(await page(`limit=1&before=${files[2]!.id}`), [['größe "1".png'], true])
    const unknown = await api.get(`/emails/${id}/attachments?after=${id}`)
    assertJsonError(unknown, 404, 'not_found')
  })

  test('are shown one by one, under the same ids', async () => {
    for (const file of files) {
      const { status, body } = await api.get(`/emails/${id}/attachments/${file.id}`)
      assert.equal(status, 200)
      assert.deepEqual([body.object, body.id, body.filename], ['attachment', file.id, file.filename])
    }
  })

  test('are downloaded without a key, unchanged', async () => {
    for (const [index, octets] of [Buffer.from('hi'), large, Buffer.from('<b>')].entries()) {
      const { download_url } = files[index]!
      const response = await fetch(download_url)
      assert.equal(response.status, 200)
      assert.ok(octets.equals(Buffer.from(await response.arrayBuffer())))
      assert.equal(response.headers.get('content-length'), String(octets.length))
      // In a browser nothing of it runs here.
      assert.match(response.headers.get('content-disposition') ?? '', /^attachment;/)
      assert.match(response.headers.get('content-security-policy') ?? '', /sandbox/)
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
    const { headers } = await fetch(files[1]!.download_url)
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="gr__e _1_.png"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.png`,
    )
    assert.equal(headers.get('content-type'), 'image/png')
  })

  test('an altered link, or one of another file, is refused', async () => {
    const url = new URL(files[0]!.download_url)
    const altered = (change: (url: URL) => void) => {
      const copy = new URL(url)
      change(copy)
      return call(copy.href)
    }
    for (const reply of [
      await altered(({ searchParams }) => searchParams.set('expires', '99999999999')),
      await altered(({ searchParams }) => searchParams.set('signature', 'AAAA')),
      await altered(({ searchParams }) => searchParams.delete('signature')),
      await altered(({ searchParams }) => searchParams.append('expires', '1')),
      await altered((copy) => {
        copy.pathname = copy.pathname.replace(files[0]!.id, files[1]!.id)
      }),
    ]) {
      assertJsonError(reply, 403, 'invalid_access')
    }
    // The file is of this email, whatever email the link names.
    const other = await api.accepted({ from: 'ann@acme.example', to: 'bob@x.test', text: 'hello' })
    const foreign = await altered((copy) => {
      copy.pathname = copy.pathname.replace(id, other)
    })
    assertJsonError(foreign, 404, 'not_found')
  })

  test('a link expires', async () => {
    const links = new DownloadLinks({ derive: (purpose) => service.app.seal.derive(purpose) })
    const hourAgo = Date.now() - 3_601_000
    const { url, expiresAt } = links.to({ emailId: id, position: 0 }, service.url, hourAgo)
    assert.ok(expiresAt < Date.now())
    assertJsonError(await call(url), 403, 'invalid_access', /expired.*new one/)
  })

  test('an email without files has an empty list', async () => {
    const plain = await api.accepted({ from: 'ann@acme.example', to: 'bob@x.test', text: 'hello' })
    assert.deepEqual((await api.get(`/emails/${plain}/attachments`)).body.data, [])
  })

  test('a caller without the right to read the email gets none of its files', async () => {
    const stranger = new Api(service.url, (await service.tenant('other.example')).key.token)
    const sender = new Api(service.url, (await service.key(companyId, { scopes: ['sending'] })).token)
    const manager = new Api(service.url, (await service.key(companyId, { scopes: ['management'] })).token)
    for (const path of [`/emails/${id}/attachments`, `/emails/${id}/attachments/${files[0]!.id}`]) {
      assertJsonError(await stranger.get(path), 404, 'not_found', 'Email not found')
      assertJsonError(await sender.get(path), 404, 'not_found', 'Email not found')
      assertJsonError(await manager.get(path), 403, 'restricted_api_key')
      assertJsonError(await call(`${service.url}${path}`), 401, 'missing_api_key')
    }
    assertJsonError(await api.get(`/emails/${id}/attachments/x`), 404, 'not_found', /^Attachment not found/)
    assertJsonError(await api.get('/emails/x/attachments'), 404, 'not_found', 'Email not found')
  })
})

describe('the files of a ready message', () => {
  let service: Service
  let api: Api
  let companyId: string

  before(async () => {
    service = await startService({ maxMessageSize: 2_000_000 })
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  /** Handed in as a form has it; its id. */
  async function handedIn(attachments: object[]): Promise<string> {
    const options = {
      from: 'ann@acme.example',
      to: 'bob@x.test',
      text: 'hello',
      html: '<p>hello',
      attachments,
    }
    const message = await new MailComposer(options).compile().build()
    const parts = [
      { name: 'to', value: 'bob@x.test' },
      { name: 'message', value: message, filename: 'm' },
    ]
    const reply = await api.multipart('acme.example', parts, 'messages.mime')
    assert.equal(reply.status, 200, reply.text)
    return newestEmail(service, companyId)
  }
  const listed = async (id: string) => (await api.get(`/emails/${id}/attachments`)).body.data as Shown[]

  // The first is read on the spot, the second in a worker.
  for (const size of [300, 900_000]) {
    test(`are listed and downloaded like any other: ${size} octets`, async () => {
      const content = Buffer.alloc(size, 'größe ')
      const id = await handedIn([
        { filename: 'Übersicht.pdf', content },
        { filename: 'logo.png', content: 'png', cid: 'logo', contentDisposition: 'inline' },
      ])
      const files = await listed(id)
      const told = files.map(({ id: _, download_url, expires_at, ...rest }) => rest)
      assert.deepEqual(
        told.toSorted((a, b) => (a.filename < b.filename ? -1 : 1)),
        [
          {
            filename: 'logo.png',
            size: 3,
            content_type: 'image/png',
            content_disposition: 'inline',
            content_id: 'logo',
          },
          {
            filename: 'Übersicht.pdf',
            size,
            content_type: 'application/pdf',
            content_disposition: 'attachment',
          },
        ],
      )
      const { id: file, download_url } = files.find(({ filename }) => filename === 'Übersicht.pdf')!
      assert.equal((await api.get(`/emails/${id}/attachments/${file}`)).body.filename, 'Übersicht.pdf')
      const response = await fetch(download_url)
      assert.equal(response.headers.get('content-type'), 'application/pdf')
      assert.ok(content.equals(Buffer.from(await response.arrayBuffer())))
    })
  }

  test('a message without files has an empty list', async () => {
    assert.deepEqual(await listed(await handedIn([])), [])
  })

  test('a thousand parts are read, and listed in pages', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({
      filename: `${n}.bin`,
      content: Buffer.alloc(900, n),
    }))
    const id = await handedIn(many)
    const { body } = await api.get(`/emails/${id}/attachments?limit=100`)
    const data = body.data as Shown[]
    assert.deepEqual([data.length, data[99]!.filename, body.has_more], [100, '99.bin', true])
  })

  test('are shown by the form dialect too', async () => {
    const id = await handedIn([{ filename: 'a.txt', content: 'hi' }])
    const headers = { authorization: basic(api.token) }
    const { body } = await call(`${service.url}/v3/domains/acme.example/messages/${id}`, { headers })
    const [file] = body.attachments as { url: string; name: string; size: number }[]
    assert.deepEqual([file?.name, file?.size], ['a.txt', 2])
    assert.equal(await (await fetch(file!.url)).text(), 'hi')
  })
})

test('links begin with the public URL that is configured', async () => {
  await using service = await startService({ publicUrl: 'https://mail.example.com/api' })
  const { key } = await service.tenant('acme.example')
  const api = new Api(service.url, key.token)
  const file = { filename: 'a.txt', content: 'aGk=' }
  const id = await api.accepted({ from: 'a@acme.example', to: 'b@x.test', text: 't', attachments: [file] })
  const { data } = (await api.get(`/emails/${id}/attachments`)).body as { data: Shown[] }
  assert.ok(data[0]!.download_url.startsWith(`https://mail.example.com/api/emails/${id}/`))
})
