/** `POST /emails/{id}/share`, and the page that its link shows. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Resend } from 'resend'
import type { Company } from '../../../src/accounts/account.ts'
import { LinkSignatures } from '../../../src/http/link-signatures.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertJsonError, basic, call } from '../requests.ts'

describe('emails that are shared by a link', () => {
  let service: Service
  let company: Company
  let token: string
  let api: Api
  let resend: Resend

  before(async () => {
    service = await startService({ publicUrl: 'https://mail.example' })
    const tenant = await service.tenant('share.test')
    company = tenant.company
    token = (await service.key(company.id, { scopes: ['sending', 'reading'] })).token
    api = new Api(service.url, token)
    resend = new Resend(token, { baseUrl: service.url })
  })
  after(() => service.close())

  /** As a browser asks, at the port of the test. */
  async function open(url: string) {
    const { origin, href } = new URL(url)
    assert.equal(origin, 'https://mail.example')
    return await call(`${service.url}${href.slice(origin.length)}`)
  }

  async function shared(id: string, expiresIn?: string): Promise<string> {
    const { data, error } = await resend.emails.share(id, expiresIn === undefined ? {} : { expiresIn })
    assert.ok(data, JSON.stringify(error))
    assert.deepEqual([data.object, data.id, Object.keys(data).length], ['email', id, 3])
    return data.url
  }

  const secondsOf = (url: string) => Number(new URL(url).searchParams.get('expires')) - Date.now() / 1000

  test('shows its sender and recipients, and its HTML in a sandboxed frame', async () => {
    const id = await api.accepted({
      from: '"A <b>" <a@share.test>',
      to: 'jane@x.test',
      bcc: 'hidden@x.test',
      subject: 'Tom & <script>alert(1)</script>',
      html: '<p onclick="x()">Hi<script>alert(2)</script> <a href="https://x.test/?a=1">there</a><a href="javascript:x()">not</a><form action="https://x.test"></form>',
      attachments: [{ filename: 'a.txt', content: Buffer.from('secret').toString('base64') }],
    })
    const url = await shared(id)
    assert.ok(Math.abs(secondsOf(url) - 48 * 3_600) < 60)
    const page = await open(url)
    assert.equal(page.status, 200, page.text)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.text, /Tom &#38; &#60;script&#62;/)
    assert.match(page.text, /jane@x\.test/)
    assert.doesNotMatch(page.text, /hidden@|<script/)
    const policy = page.headers.get('content-security-policy')!
    assert.match(policy, /default-src 'none'.*frame-src 'self'.*form-action 'none'; frame-ancestors 'none'/)
    assert.equal(page.headers.get('x-robots-tag'), 'noindex')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('cache-control'), 'no-store')

    const source = /<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="([^"]+)"/.exec(
      page.text,
    )
    const query = source![1]!.replaceAll('&#38;', '&')
    const frame = await open(`${url.split('?')[0]}${query}`)
    assert.equal(frame.status, 200)
    assert.match(frame.headers.get('content-security-policy')!, /^sandbox allow-popups.*img-src data:;/)
    assert.match(frame.text, /<a href="https:\/\/x\.test\/\?a=1" target="_blank" rel="noopener noreferrer">/)
    assert.doesNotMatch(frame.text, /alert|onclick|javascript|<form/)
    assert.match(page.text, /&#38;remote=1">Show images/)
    const remote = await open(`${url}&remote=1`)
    assert.match(remote.text, /&#38;shown=content&#38;remote=1"/)
    const remoteFrame = await open(`${url}&shown=content&remote=1`)
    assert.match(remoteFrame.headers.get('content-security-policy')!, /img-src data: https:;/)
  })

  test('shows text where there is no HTML', async () => {
    const id = await api.accepted({ from: 'a@share.test', to: 'b@x.test', subject: 's', text: '1 < 2 & <b>' })
    const { text } = await open(`${await shared(id)}&shown=content`)
    assert.match(text, /1 &#60; 2 &#38; &#60;b&#62;/)
  })

  test('shows only the first copy of a batch, without the unsubscribe link of its recipient', async () => {
    const sent = await api.form('share.test', [
      ['from', 'a@share.test'],
      ['to', 'one@x.test'],
      ['to', 'two@x.test'],
      ['subject', 'Hi %recipient.name%'],
      ['html', '<p>%recipient.name% <a href="%unsubscribe_url%">leave</a> %unsubscribe_url%'],
      ['recipient-variables', '{"one@x.test":{"name":"One"},"two@x.test":{"name":"Two"}}'],
    ])
    assert.equal(sent.status, 200, sent.text)
    const [{ id } = { id: '' }] = await service.store.listEmails({ companyId: company.id, limit: 1 })
    const url = await shared(id)
    const page = await open(url)
    assert.match(page.text, /Hi One/)
    assert.match(page.text, /one@x\.test/)
    assert.doesNotMatch(page.text, /two@x\.test/)
    const { text } = await open(`${url}&shown=content`)
    assert.match(text, /One/)
    assert.equal(text.match(/\/unsubscribe\/\.\.\./g)?.length, 2, text)
    assert.doesNotMatch(text, /\/unsubscribe\/[\w-]{40}/)
  })

  test('expires at the chosen time, after 48 hours at most', async () => {
    const id = await api.accepted({ from: 'a@share.test', to: 'b@x.test', subject: 's', text: 't' })
    for (const [expiresIn, seconds] of [
      ['10m', 600],
      ['2 hours', 7_200],
      ['1 day', 86_400],
      ['48h', 172_800],
      ['90s', 90],
    ] as const) {
      assert.ok(Math.abs(secondsOf(await shared(id, expiresIn)) - seconds) < 60, expiresIn)
    }
    for (const expires_in of ['49h', '0h', '1 week', 'soon', '-1h', '', '1e3s']) {
      const reply = await call(`${service.url}/emails/${id}/share`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ expires_in }),
      })
      assertJsonError(reply, 422, 'validation_error', /expires_in/)
    }
    const signatures = new LinkSignatures(
      { derive: () => Buffer.alloc(32) },
      'test',
      'POST /emails/{id}/share',
    )
    const query = Object.fromEntries(new URLSearchParams(signatures.query(id, 1_000)))
    assert.equal(signatures.check(id, query, 1_000_000), 1_000)
    assert.throws(() => signatures.check(id, query, 1_000_001), /link_refused|has ended/)
  })

  test('does not accept an altered link, or a link for another email', async () => {
    const one = await api.accepted({ from: 'a@share.test', to: 'b@x.test', subject: 's', text: 't' })
    const two = await api.accepted({ from: 'a@share.test', to: 'b@x.test', subject: 's', text: 't' })
    const url = await shared(one)
    const later = url.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 1}`)
    // The last letter stands for four bits: with each of four letters, a decoder finds the same ones.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = [...letters].filter((letter) => !url.endsWith(letter))
    const ends = others.map((letter) => `${url.slice(0, -1)}${letter}`)
    for (const altered of [url.replace(one, two), later, ...ends]) {
      assertJsonError(
        await open(altered),
        403,
        'invalid_access',
        /not issued by this service, or it was altered/,
      )
    }
    assertJsonError(await open(url.split('?')[0]!), 403, 'invalid_access', /is incomplete/)
  })

  test('a caller with the right to read the email creates a link; others get an error', async () => {
    const id = await api.accepted({ from: 'a@share.test', to: 'b@x.test', subject: 's', text: 't' })
    const post = (key: string, of: string) =>
      call(`${service.url}/emails/${of}/share`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      })
    const other = await service.tenant('elsewhere.test')
    const sister = await service.domain(company.id, 'sister.test')
    const bound = await service.key(company.id, { domainId: sister.id })
    const sending = await service.key(company.id, { scopes: ['sending'] })
    const managing = await service.key(company.id, { scopes: ['management'] })
    for (const key of [other.key.token, bound.token, sending.token]) {
      assertJsonError(await post(key, id), 404, 'not_found', 'Email not found')
    }
    assertJsonError(await post(managing.token, id), 403, 'restricted_api_key')
    assertJsonError(
      await post(token, '01a1fba6-08a9-7e45-998a-efec67aab0d1'),
      404,
      'not_found',
      'Email not found',
    )
    const own = await new Api(service.url, sending.token).accepted({
      ...{ from: 'a@share.test', to: 'b@x.test', subject: 's', text: 't' },
    })
    assert.equal((await post(sending.token, own)).status, 200)
    const anonymous = await call(`${service.url}/emails/${id}/share`, {
      headers: { authorization: basic(token) },
    })
    assertJsonError(anonymous, 403, 'invalid_access', /is incomplete/)
  })
})
