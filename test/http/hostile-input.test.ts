/** Hostile values in every field of both dialects: each is refused with the dialect's own error, or taken literally. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, call, emailCount } from './requests.ts'

describe('hostile input', () => {
  let service: Service
  let api: Api
  let companyId: string
  const minimal = { from: 'ann@acme.example', to: 'bob@x.test', text: 'hello' }
  const fields: [string, string][] = Object.entries(minimal)

  before(async () => {
    service = await startService()
    const { company, key } = await service.tenant('acme.example')
    companyId = company.id
    api = new Api(service.url, key.token)
  })
  after(() => service.close())

  describe('header injection', () => {
    const evil = { 'CR LF': 'a\r\nBcc: evil@x.test', CR: 'a\rb', LF: 'a\nb', NUL: 'a\u0000b' }
    const places: Record<string, (text: string) => object> = {
      subject: (text) => ({ subject: text }),
      from: (text) => ({ from: `"${text}" <ann@acme.example>` }),
      'from address': (text) => ({ from: `ann@acme.example${text.slice(1)}` }),
      to: (text) => ({ to: `${text} <bob@x.test>` }),
      'to address': (text) => ({ to: `bob@x.test${text.slice(1)}` }),
      cc: (text) => ({ cc: `"${text}" <c@x.test>` }),
      bcc: (text) => ({ bcc: `"${text}" <c@x.test>` }),
      reply_to: (text) => ({ reply_to: `"${text}" <c@x.test>` }),
      'header value': (text) => ({ headers: { 'X-A': text } }),
      'header name': (text) => ({ headers: { [text]: 'v' } }),
      'tag value': (text) => ({ tags: [{ name: 'a', value: text }] }),
    }
    for (const [what, text] of Object.entries(evil)) {
      for (const [place, change] of Object.entries(places)) {
        test(`${what} in ${place} (JSON): 422, nothing accepted`, async () => {
          const before = await emailCount(service, companyId)
          assertJsonError(await api.send({ ...minimal, ...change(text) }), 422, 'validation_error')
          assert.equal(await emailCount(service, companyId), before)
        })
      }
      for (const name of ['subject', 'from', 'to', 'cc', 'h:X-A', 'h:Reply-To']) {
        test(`${what} in ${name} (form): 400, nothing accepted`, async () => {
          const value = /^(subject|h:X-A)$/.test(name) ? text : `"${text}" <ann@acme.example>`
          const before = await emailCount(service, companyId)
          const all = [...fields.filter(([field]) => field !== name), [name, value]] as [string, string][]
          assertFormError(await api.form('acme.example', all), 400)
          assert.equal(await emailCount(service, companyId), before)
        })
      }
      test(`${what} in the name of an h: field (form): 400`, async () => {
        assertFormError(await api.form('acme.example', [...fields, [`h:${text}`, 'v']]), 400)
      })
    }

    for (const place of ['subject', 'html', 'text', 'from', 'to'] as const) {
      test(`half of a surrogate pair in ${place}: 422`, async () => {
        const body = JSON.stringify({ ...minimal, [place]: `\ud800 <ann@acme.example>` })
        assertJsonError(await api.send(body), 422, 'validation_error')
      })
    }
  })

  describe('addresses', () => {
    test('header and envelope agree about a quoted address in a display name', async () => {
      const id = await api.accepted({ ...minimal, to: '"evil@evil.test" <good@x.test>' })
      const work = await service.store.readWork(id)
      assert.deepEqual(
        work?.recipients.map(({ address }) => address),
        ['good@x.test'],
      )
    })

    const bad: Record<string, string> = {
      'two addresses in one mailbox': '<a@x.test> <b@y.test>',
      'doubled brackets': 'A <<a@x.test>>',
      'an open bracket': 'A <a@x.test',
      'two at signs': 'a@b@x.test',
      'no local part': '@x.test',
      'no domain': 'a@',
      'a local part over 64 octets': `${'a'.repeat(65)}@x.test`,
      'a label over 63 octets': `a@${'x'.repeat(64)}.test`,
      'a domain over 255 octets': `a@${'x.'.repeat(130)}test`,
      'ten thousand nested comments': `${'('.repeat(10_000)}a@x.test`,
      'a megabyte of commas': `${','.repeat(1_000_000)}x`,
      'a megabyte of quotes': '"\\'.repeat(500_000),
    }
    for (const [what, to] of Object.entries(bad)) {
      test(`${what}: 422 in the dialect's words`, async () => {
        assertJsonError(await api.send({ ...minimal, to }), 422, 'validation_error', /^Invalid `to` field\. /)
      })
    }
  })

  describe('JSON bodies', () => {
    const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000)
    test('nested 10,000 deep in an ignored field: accepted', async () => {
      const body = JSON.stringify(minimal).replace(
        '{',
        `{"x":${deep('[', ']')},"y":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)},`,
      )
      assert.equal((await api.send(body)).status, 200)
    })

    test('nested 10,000 deep in a field that is read: 422', async () => {
      const body = JSON.stringify(minimal).replace('"bob@x.test"', deep('[', ']'))
      assertJsonError(await api.send(body), 422, 'validation_error', /^Invalid `to` field\. /)
    })

    test('nested 10,000 deep and never closed: 400 with the position', async () => {
      assertJsonError(await api.send('['.repeat(10_000)), 400, 'validation_error', /line 1, column 10001/)
    })

    test('a gzip bomb is not unpacked: 415', async () => {
      const reply = await api.send(new Uint8Array([0x1f, 0x8b, 8, 0]), { 'content-encoding': 'gzip' })
      assertJsonError(reply, 415, 'validation_error')
    })

    test('UTF-16: 400', async () => {
      const body = Buffer.from(`\ufeff${JSON.stringify(minimal)}`, 'utf16le')
      assertJsonError(await api.send(body), 400, 'validation_error', /UTF-8/)
    })

    test('an error quotes little of the request', async () => {
      const reply = await api.send({ ...minimal, headers: { ['x'.repeat(100_000)]: 1 } })
      assertJsonError(reply, 422, 'validation_error')
      assert.ok(reply.text.length < 1_000)
    })
  })

  describe('forms', () => {
    const multipart = (body: string | Uint8Array, type = 'multipart/form-data; boundary=x') =>
      call(`${api.url}/v3/acme.example/messages`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`api:${api.token}`).toString('base64')}`,
          'content-type': type,
        },
        body: body as string,
      })
    const field = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const complete = fields.map(([name, value]) => field(name, value)).join('')
    const file = (disposition: string) => `--x\r\n${disposition}\r\n\r\nx\r\n`

    test('the form from which these cases are made is valid', async () => {
      assert.equal((await multipart(`${complete}--x--\r\n`)).status, 200)
    })

    test('preamble, epilogue and blanks behind a boundary are ignored', async () => {
      const body = `preamble\r\n${complete.replace('--x\r\n', '--x  \t\r\n')}--x--\r\nepilogue --x`
      assert.equal((await multipart(body)).status, 200)
    })

    const bad: Record<string, [body: string, type?: string]> = {
      'no boundary in the type': [`${complete}--x--`, 'multipart/form-data'],
      'an empty body': [''],
      'another boundary': [`${complete}--x--`, 'multipart/form-data; boundary=y'],
      'no closing boundary': [complete],
      'a cut inside a part': [complete.slice(0, -5)],
      'a part without Content-Disposition': [`${complete}${file('Content-Type: text/plain')}--x--`],
      'a part without a head': [`${complete}--x\r\n\r\nx\r\n--x--`],
      'a part without a name': [`${complete}${file('Content-Disposition: form-data; filename="a"')}--x--`],
      'a part that is no form-data': [`${complete}${file('Content-Disposition: attachment; name="a"')}--x--`],
      'an unreadable Content-Disposition': [
        `${complete}${file('Content-Disposition: form-data; name="attachment"; filename="a"b.txt"')}--x--`,
      ],
      'a header line without a colon': [`${complete}${file('nonsense')}--x--`],
      'an encoding that is not plain': [
        `${complete}${file('Content-Disposition: form-data; name="v:a"\r\nContent-Transfer-Encoding: base64')}--x--`,
      ],
      'an endless header': [`--x\r\nX: ${'a'.repeat(1_000_000)}`],
      'a boundary with something behind it': [complete.replace('--x\r\n', '--xy\r\n')],
    }
    for (const [what, [body, type]] of Object.entries(bad)) {
      test(`${what}: 400, nothing accepted`, async () => {
        const before = await emailCount(service, companyId)
        assertFormError(await multipart(body, type), 400, /^malformed multipart\/form-data request: ./)
        assert.equal(await emailCount(service, companyId), before)
      })
    }

    const million = 'a'.repeat(1_000_000)
    const whole = (head: string) => `${complete}${file(head)}--x--\r\n`
    const named = 'Content-Disposition: form-data; name="v:a"'
    const heads: Record<string, [body: string, message: RegExp]> = {
      'a head of a megabyte in one line': [
        whole(`${named}\r\nX: ${million}`),
        /the head of part 4 is over 16384/,
      ],
      'a head of a megabyte in many lines': [
        whole(`${named}${'\r\nX: a'.repeat(200_000)}`),
        /the head of part 4 is over 16384/,
      ],
      'a file name of a megabyte': [
        whole(`${named}; filename="${million}"`),
        /the head of part 4 is over 16384/,
      ],
      'a megabyte of blanks behind a boundary': [
        `${complete}${file(named).replace('\r\n', `${' '.repeat(1_000_000)}\r\n`)}--x--\r\n`,
        /the line of a boundary is too long/,
      ],
    }
    for (const [what, [body, message]] of Object.entries(heads)) {
      test(`${what}, in a complete form: 400, nothing accepted`, async () => {
        const before = await emailCount(service, companyId)
        assertFormError(await multipart(body), 400, message)
        assert.equal(await emailCount(service, companyId), before)
      })
    }

    test('10,000 parts: 400', async () => {
      assertFormError(await multipart(`${field('v:a', '').repeat(10_000)}--x--`), 400, /Too many form fields/)
    })

    test('10,000 urlencoded fields: 400', async () => {
      const many = Array.from({ length: 10_000 }, (): [string, string] => ['x', ''])
      assertFormError(await api.form('acme.example', many), 400, /Too many form fields/)
    })

    test('text that is not UTF-8: 400', async () => {
      const body = Buffer.from(`${complete}${field('subject', '\u00fc')}--x--`, 'latin1')
      assertFormError(await multipart(body), 400, /subject/)
    })

    test('text in another charset that the part names is decoded', async () => {
      const named = `--x\r\nContent-Disposition: form-data; name="subject"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\n\r\n\u00fc\r\n`
      assert.equal((await multipart(Buffer.from(`${complete}${named}--x--`, 'latin1'))).status, 200)
      const [email] = await service.store.listEmails({ companyId, limit: 1 })
      assert.equal(email?.subject, 'ü')
    })

    test('recipient-variables of a megabyte, and nested 10,000 deep', async () => {
      const huge = JSON.stringify({ 'bob@x.test': { a: 'x'.repeat(1_000_000) } })
      assert.equal((await multipart(`${complete}${field('recipient-variables', huge)}--x--`)).status, 200)
      const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
      const reply = await multipart(`${complete}${field('recipient-variables', deep)}--x--`)
      assertFormError(reply, 400, "'recipient-variables' parameter is not a valid JSON")
    })

    test('__proto__ in recipient-variables is a name like any other', async () => {
      const value = '{"__proto__":{"a":"evil"},"bob@x.test":{"__proto__":"x","n":"B"}}'
      assert.equal((await multipart(`${complete}${field('recipient-variables', value)}--x--`)).status, 200)
      assert.equal(({} as Record<string, unknown>).a, undefined)
    })
  })
})
