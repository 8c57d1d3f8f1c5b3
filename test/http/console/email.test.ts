/** One email in the API of the console: its content, the rights of its frames and files, and the actions on it. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, basic, call } from '../requests.ts'
import { ok, Visitor } from './visitor.ts'

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

interface Shown {
  id: string
  company: { id: string; name: string }
  subject: string
  mostAttempts: number
  states: Record<string, number>
  recipients: { position: number; address: string; state: string; waits: string | null; at: string | null }[]
  attempts: { id: number; recipients: number[] }[]
}

describe('one email in the console', () => {
  let service: Service
  let company: Company
  let api: Api
  let token: string
  let owner: Visitor
  let viewer: Visitor
  let operator: Visitor
  let stranger: Visitor

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('acme.example')
    const other = await service.tenant('beta.example')
    company = tenant.company
    token = tenant.key.token
    api = new Api(service.url, token)
    owner = await Visitor.signIn(service, [{ companyId: company.id, role: 'owner' }])
    viewer = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
    operator = await Visitor.signIn(service, 'operator')
    stranger = await Visitor.signIn(service, [{ companyId: other.company.id, role: 'owner' }])
    foreign = other.company.id
  })
  after(() => service.close())
  let foreign: string

  const path = (id: string, rest = '', of = company.id) => `/companies/${of}/emails/${id}${rest}`
  const mail = (more: object = {}) => ({
    from: 'Acme <a@acme.example>',
    to: 'b@x.test',
    subject: 'Hello',
    html: '<p>Hi</p>',
    ...more,
  })
  async function settled(id: string): Promise<Shown> {
    for (;;) {
      const shown = ok<Shown>(await owner.ask('GET', path(id)))
      if (shown.recipients.every(({ waits }) => waits === null)) return shown
    }
  }
  const linkIn = (html: string) =>
    /href="(\/console\/api\/leave[^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&')
  const raw = (id: string, rest: string, who = owner, of = company.id) =>
    call(`${service.url}/console/api${path(id, rest, of)}`, { headers: { cookie: who.cookie } })

  test('its history is shown, with the commands and replies of the session', async () => {
    const shown = await settled(await api.accepted(mail()))
    assert.equal(shown.company.name, company.name)
    assert.deepEqual(shown.states, { captured: 1 })
    assert.equal(shown.recipients[0]!.at, null)
    assert.ok(shown.mostAttempts > 1)
  })

  test('a file late in a ready message is found by its name', async () => {
    const message = [
      ...['From: a@acme.example', 'To: b@x.test', 'Subject: Late', 'MIME-Version: 1.0'],
      ...['Content-Type: multipart/mixed; boundary=b', '', '--b', '', `${'Text\r\n'.repeat(5_000)}`],
      ...['--b', 'Content-Type: application/pdf; name="Angebot-4712.pdf"', '', '%PDF', '--b--', ''],
    ].join('\r\n')
    const sent = await api.multipart(
      'acme.example',
      [
        { name: 'to', value: 'b@x.test' },
        { name: 'message', value: message, filename: 'message.mime' },
      ],
      'messages.mime',
    )
    assert.equal(sent.status, 200, sent.text)
    for (const q of ['angebot', 'body:"Angebot-4712.pdf"', 'has:attachment subject:late']) {
      const found = ok<{ emails: { subject: string }[] }>(
        await owner.ask('GET', `/companies/${company.id}/emails?q=${encodeURIComponent(q)}`),
      )
      assert.deepEqual(
        found.emails.map(({ subject }) => subject),
        ['Late'],
        q,
      )
    }
  })

  test('the dialogue of an attempt is a request of its own', async () => {
    const id = await api.accepted(mail())
    const { attempts } = await settled(id)
    const [attempt] = attempts
    assert.deepEqual(Object.keys(attempt!).sort(), [
      ...['duration', 'id', 'recipients', 'result', 'server', 'source', 'startedAt', 'tls'],
    ])
    const own = `/attempts/${attempt!.id}`
    const { dialogue } = (await service.store.readHistory(id))!.attempts[0]!
    assert.deepEqual(ok(await owner.ask('GET', path(id, own))), { dialogue })
    assert.equal((await owner.ask('GET', path(id, '/attempts/987654'))).status, 404)
    assert.equal((await owner.ask('GET', path(id, '/attempts/x'))).status, 422)
    // An id of an attempt says nothing about the attempts of another email.
    const other = await api.accepted(mail())
    await settled(other)
    assert.equal((await raw(id, own, stranger)).status, 404)
    assert.equal((await raw(id, own, stranger, foreign)).status, 404)
  })

  test('a waiting recipient shows the reason and the time', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const id = await api.accepted(mail({ scheduled_at: at }))
    const [recipient] = ok<Shown>(await owner.ask('GET', path(id))).recipients
    assert.deepEqual([recipient!.waits, recipient!.at], ['schedule', at])
    await service.store.pause({ companyId: company.id, domain: 'x.test', since: Date.now() })
    const [paused] = ok<Shown>(await owner.ask('GET', path(id))).recipients
    assert.deepEqual([paused!.waits, paused!.at], ['pause', null])
    await service.store.resume({ companyId: company.id, domain: 'x.test' }, Date.now())
    assert.deepEqual(ok(await owner.ask('POST', path(id, '/cancel'))), { changed: 1 })
    assert.equal((await owner.ask('POST', path(id, '/cancel'))).status, 409)
  })

  test('several emails are canceled or retried together, and each refusal names its email', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const waiting = [
      await api.accepted(mail({ scheduled_at: at })),
      await api.accepted(mail({ scheduled_at: at })),
    ]
    const sent = await api.accepted(mail())
    await settled(sent)
    const nobody = randomUUIDv7()
    const all = (action: string, who = owner, of = company.id) =>
      who.ask('POST', `/companies/${of}/emails/${action}`, { ids: [...waiting, sent, nobody, waiting[0]] })
    const refused = [
      { id: sent, why: 'nothing to cancel: no recipient is waiting' },
      { id: nobody, why: `there is no email with the id "${nobody}"` },
    ]
    assert.equal((await all('cancel', stranger)).status, 404)
    const elsewhere = ok<{ changed: number }>(await all('cancel', operator, foreign))
    assert.equal(elsewhere.changed, 0)
    assert.deepEqual(ok(await all('cancel')), { changed: 2, refused })
    const retried = ok<{ changed: number; refused: { why: string }[] }>(await all('retry'))
    assert.equal(retried.changed, 0)
    assert.equal(retried.refused[0]!.why, 'nothing to retry: no recipient is waiting')
    const next = await api.accepted(mail({ scheduled_at: at }))
    const one = await owner.ask('POST', `/companies/${company.id}/emails/retry`, { ids: [next] })
    assert.deepEqual(ok(one), { changed: 1, refused: [] })
  })

  test('the recipients of several are suppressed, and each that is left says why', async () => {
    const both = await api.accepted(mail({ to: ['chosen1@x.test', 'chosen2@x.test'], bcc: 'chosen3@x.test' }))
    const again = await api.accepted(mail({ to: 'chosen1@x.test' }))
    const nobody = randomUUIDv7()
    const body = { ids: [both, again, nobody] }
    const suppress = (who: Visitor, of = company.id) =>
      who.ask('POST', `/companies/${of}/emails/suppress`, body)
    assert.equal((await suppress(viewer)).status, 403)
    assert.equal((await suppress(stranger)).status, 404)
    assert.equal(ok<{ changed: number }>(await suppress(operator, foreign)).changed, 0)
    const refused = [
      { id: again, why: 'all its recipients are on the suppression list already' },
      { id: nobody, why: `there is no email with the id "${nobody}"` },
    ]
    assert.deepEqual(ok(await suppress(owner)), { changed: 1, refused })
    const { data } = ok<{ data: { address: string; type: string }[] }>(
      await owner.ask('GET', `/companies/${company.id}/suppressions?term=chosen`),
    )
    assert.deepEqual(
      data.map(({ address, type }) => [address, type]),
      [1, 2, 3].map((n) => [`chosen${n}@x.test`, 'manual']),
    )
    const { entries } = ok<{ entries: { action: string; target: string }[] }>(
      await owner.ask('GET', `/companies/${company.id}/audit`),
    )
    assert.equal(entries[0]!.action, 'suppressRecipientsOfEmails')
    assert.equal(entries[0]!.target, 'chosen1@x.test and 2 more')
  })

  test('chosen recipients are retried, canceled or suppressed, and each that is left says why', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const id = await api.accepted(
      mail({ to: ['few0@x.test', 'few1@x.test', 'few2@x.test'], bcc: 'few3@x.test', scheduled_at: at }),
    )
    const act = (action: string, positions: number[], who = owner) =>
      who.ask('POST', path(id, `/recipients/${action}`), { positions })
    const states = async () =>
      ok<Shown>(await owner.ask('GET', path(id))).recipients.map(({ state }) => state)
    assert.deepEqual(ok(await act('cancel', [1, 1, 7])), {
      changed: 1,
      refused: [{ id: '7', why: 'the email has no such recipient' }],
    })
    assert.deepEqual(await states(), ['waiting', 'canceled', 'waiting', 'waiting'])
    assert.deepEqual(ok(await act('cancel', [1])), {
      changed: 0,
      refused: [{ id: '1', why: 'nothing to cancel: it is canceled' }],
    })
    assert.deepEqual(ok(await act('suppress', [3])), { changed: 1, refused: [] })
    const { entries } = ok<{ entries: { action: string; target: string }[] }>(
      await owner.ask('GET', `/companies/${company.id}/audit`),
    )
    assert.deepEqual([entries[0]!.action, entries[0]!.target], ['suppressChosenRecipients', 'few3@x.test'])
    assert.deepEqual(ok(await act('suppress', [3])), {
      changed: 0,
      refused: [{ id: '3', why: 'it is on the suppression list already' }],
    })
    assert.deepEqual(ok(await act('retry', [0, 1])), {
      changed: 1,
      refused: [{ id: '1', why: 'nothing to retry: it is canceled' }],
    })
    assert.equal((await act('retry', [])).status, 422)
    assert.equal((await act('retry', [0], viewer)).status, 403)
  })

  test('no route shows it to other companies', async () => {
    const id = await api.accepted(mail())
    for (const rest of ['', '/neighbours', '/content', '/source', '/preview', '/source.eml', '/files/0']) {
      assert.equal((await raw(id, rest, stranger, foreign)).status, 404, rest)
      assert.equal((await raw(id, rest, stranger)).status, 404, rest)
      // An operator sees one company alone by its path, and all companies by `all`.
      assert.equal((await raw(id, rest, operator, foreign)).status, 404, rest)
      assert.equal((await raw(id, rest, operator, 'all')).status, rest === '/files/0' ? 404 : 200, rest)
    }
    const chosen = ['retry', 'cancel', 'suppress'].map((action) => `/recipients/${action}`)
    for (const rest of [...chosen, '/retry', '/cancel', '/release', '/suppress', '/again', '/reach']) {
      const body = chosen.includes(rest)
        ? { positions: [0] }
        : {
            '/suppress': { position: 0 },
            '/again': { click: 'click-12345' },
            '/reach': { urls: [] },
          }[rest]
      assert.equal((await stranger.ask('POST', path(id, rest, foreign), body)).status, 404, rest)
      assert.equal((await viewer.ask('POST', path(id, rest), body)).status, 403, rest)
    }
    assert.equal((await owner.ask('GET', path('nothing'))).status, 404)
  })

  test('its newer and older neighbours are of its company', async () => {
    const [first, second, third] = [
      await api.accepted(mail()),
      await api.accepted(mail()),
      await api.accepted(mail()),
    ]
    assert.deepEqual(ok(await owner.ask('GET', path(second!, '/neighbours'))), { newer: third, older: first })
    assert.equal(ok<{ newer: null }>(await owner.ask('GET', path(third!, '/neighbours'))).newer, null)
  })

  test('files are downloaded and never shown, except for genuine pictures', async () => {
    const id = await api.accepted(
      mail({
        attachments: [
          { filename: 'a".html', content: Buffer.from('<script>1</script>').toString('base64') },
          { filename: 'p.png', content: PIXEL.toString('base64') },
          {
            filename: 'x.png',
            content: Buffer.from('<svg onload=alert(1)>').toString('base64'),
            content_type: 'image/png',
          },
        ],
      }),
    )
    const html = await raw(id, '/files/0')
    assert.equal(html.text, '<script>1</script>')
    assert.match(html.headers.get('content-disposition')!, /^attachment; filename="a_.html"/)
    assert.equal(html.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(html.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal((await raw(id, '/files/0?shown=1')).status, 404)
    const picture = await raw(id, '/files/1?shown=1')
    assert.equal(picture.headers.get('content-type'), 'image/png')
    assert.match(picture.headers.get('content-disposition')!, /^inline;/)
    assert.equal((await raw(id, '/files/2?shown=1')).status, 404)
    assert.equal((await raw(id, '/files/3')).status, 404)
  })

  test('the preview is harmless: its policy, its pictures, its links', async () => {
    const html = `<base target=_top><meta http-equiv=refresh content="0;url=https://evil.test"><p>Hi
      <img src="cid:logo"><img src="cid:gone"><a ping=x target=_top HREF='https://shop.test/?a=1&amp;b="2"'>shop</a>
      <a href=javascript:alert(1)>js</a><a href="#part">part</a><form action=https://evil.test></form>
      <link rel=dns-prefetch href=//evil.test>`
    const id = await api.accepted(
      mail({
        html,
        attachments: [{ filename: 'l.png', content: PIXEL.toString('base64'), content_id: 'logo' }],
      }),
    )
    const preview = await raw(id, '/preview')
    assert.equal(preview.status, 200)
    const policy = preview.headers.get('content-security-policy')!
    assert.match(policy, /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; /)
    assert.match(policy, /; img-src data:; /)
    assert.doesNotMatch(policy, /allow-(scripts|same-origin|forms|top)|https:/)
    assert.equal(preview.headers.get('referrer-policy'), 'no-referrer')
    assert.match(
      (await raw(id, '/preview?remote=1')).headers.get('content-security-policy')!,
      /img-src data: https: http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*;/,
    )
    assert.ok(preview.text.includes(`src="data:image/png;base64,${PIXEL.toString('base64')}"`))
    assert.ok(preview.text.includes('src="cid:gone"'))
    assert.ok(preview.text.includes('<a href="#part">'))
    assert.doesNotMatch(preview.text, /http-equiv|javascript:|_top|ping|action|\/\/evil\.test>/)

    const target = linkIn(preview.text)
    const leave = (who: Visitor | null, to = target) =>
      call(`${service.url}${to}`, who === null ? {} : { headers: { cookie: who.cookie } })
    const page = await leave(owner)
    assert.equal(page.status, 200)
    assert.match(page.text, /<a href="https:\/\/shop.test\/\?a=1&#38;b=%222%22" rel="noopener noreferrer"/)
    assert.match(
      page.headers.get('content-security-policy')!,
      /^default-src 'none'; style-src 'unsafe-inline'; /,
    )
    assert.equal((await leave(owner, target.replace('shop.test', 'evil.test'))).status, 404)

    // Frames of no origin send no cookie: the page asks for itself once more, as a page of this site.
    const first = await leave(null)
    assert.equal(first.status, 200)
    const [, again] = /content="0; url=([^"]+)"/.exec(first.text)!
    assert.doesNotMatch(first.text, /href="https/)
    const same = again!.replaceAll('&#38;', '&')
    assert.equal((await leave(owner, same)).text, page.text)
    assert.equal((await leave(null, same)).status, 404)
    // The link works for no other person, not even for one of the same company.
    for (const who of [viewer, operator, stranger]) assert.equal((await leave(who)).status, 404)
    const later = target.replace(/until=(\d+)/, (_, until: string) => `until=${Number(until) + 1}`)
    assert.equal((await leave(owner, later)).status, 404)
  })

  test('pictures are put into the preview up to 12 MiB, each as often as it is shown, and the others are left out', async () => {
    const most = 12 * 1024 * 1024
    const octets = 2 * 1024 * 1024
    const picture = (fill: number) => Buffer.concat([PIXEL, Buffer.alloc(octets - PIXEL.length, fill)])
    const attachments = ['one', 'two'].map((name, index) => ({
      filename: `${name}.png`,
      content: picture(index).toString('base64'),
      content_id: name,
    }))
    const shown = 40
    const html = Array.from({ length: shown }, (_, n) => `<img src="cid:${n % 2 === 0 ? 'one' : 'two'}">`)
    const id = await api.accepted(mail({ html: html.join('\n'), attachments }))
    const preview = await raw(id, '/preview')
    assert.equal(preview.status, 200)
    const pictures = preview.text.split('data:image/png;base64,').length - 1
    const url = Math.ceil(octets / 3) * 4
    assert.ok(pictures > 0 && pictures * url <= most, `${pictures} pictures`)
    assert.ok(preview.text.length <= most + 64 * 1024, `${preview.text.length} octets`)
  })

  test('the source is shown with its structure and signatures, and downloaded whole', async () => {
    const id = await api.accepted(mail({ attachments: [{ filename: 'ä.txt', content: 'aGk=' }] }))
    const source = ok<{
      text: string
      size: number
      clipped: boolean
      fields: [string, string][]
      parts: { depth: number; type: string; filename: string; start: number }[]
      signatures: { domain: string; key: { record: string } | null; headers: string[] }[]
    }>(await owner.ask('GET', path(id, '/source')))
    assert.deepEqual(
      source.parts.map(({ depth, type }) => [depth, type]),
      [
        [0, 'multipart/mixed'],
        [1, 'multipart/alternative'],
        [2, 'text/plain'],
        [2, 'text/html'],
        [1, 'text/plain'],
      ],
    )
    assert.equal(source.parts[4]!.filename, 'ä.txt')
    const lines = source.text.split('\n')
    assert.match(lines[source.parts[3]!.start - 1]!, /^Content-/)
    assert.equal(source.signatures[0]!.domain, 'acme.example')
    assert.match(source.signatures[0]!.key!.record, /^pr\d+\._domainkey\./)
    assert.ok(source.signatures[0]!.headers.some((name) => name.toLowerCase() === 'from'))
    const whole = await raw(id, '/source.eml')
    assert.equal(Buffer.byteLength(whole.text), source.size)
    assert.match(whole.headers.get('content-disposition')!, /^attachment; filename="[0-9a-f-]+\.eml"/)
  })

  test('large and broken messages are shown as far as possible', async () => {
    const large = await api.accepted(mail({ html: `<p>${'x'.repeat(3_000_000)}</p>`, text: 't' }))
    const content = ok<{ html: string; clipped: string[] }>(await owner.ask('GET', path(large, '/content')))
    assert.deepEqual(content.clipped, ['html'])
    assert.equal(content.html.length, 1024 * 1024)
    const source = ok<{ clipped: boolean; size: number }>(await owner.ask('GET', path(large, '/source')))
    assert.ok(source.clipped && source.size > 3_000_000)
    assert.ok((await raw(large, '/preview')).text.length >= 3_000_000)

    const nested = Array.from(
      { length: 100 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    )
    const message = `From: a@acme.example\r\nTo: b@x.test\r\nSubject: deep\r\nMIME-Version: 1.0\r\n${nested.join('')}\r\n`
    const sent = await api.multipart(
      'acme.example',
      [
        { name: 'to', value: 'b@x.test' },
        { name: 'message', value: message, filename: 'm.mime' },
      ],
      'messages.mime',
    )
    // Either it is refused as it comes in, or it is shown without a structure.
    if (sent.status === 200) {
      const [email] = await service.store.listEmails({ companyId: company.id, limit: 1 })
      const shown = ok<{ trouble: string; text: string }>(await owner.ask('GET', path(email!.id, '/source')))
      assert.match(shown.trouble, /levels/)
      assert.equal((await raw(email!.id, '/preview')).status, 200)
    } else assert.equal(sent.status, 400)
  })

  test('each copy of a batch is shown as its recipient gets it', async () => {
    const reply = await api.form('acme.example', [
      ['from', 'a@acme.example'],
      ['to', 'b@x.test'],
      ['to', 'c@x.test'],
      ['subject', 'Hi %recipient.name%'],
      ['html', '<p>Dear %recipient.name%</p>'],
      ['recipient-variables', JSON.stringify({ 'b@x.test': { name: 'Bea' }, 'c@x.test': { name: 'Cleo' } })],
    ])
    assert.equal(reply.status, 200, reply.text)
    const [email] = await service.store.listEmails({ companyId: company.id, limit: 1 })
    const id = email!.id
    assert.ok(ok<{ individual: boolean }>(await owner.ask('GET', path(id, '/content'))).individual)
    assert.match((await raw(id, '/preview?recipient=c%40x.test')).text, /Dear Cleo/)
    assert.match((await raw(id, '/preview?recipient=b%40x.test')).text, /Dear Bea/)
    assert.equal((await raw(id, '/preview?recipient=d%40x.test')).status, 404)
    const text = async (recipient: string) =>
      ok<{ text: string | null; trouble: string | null }>(
        await owner.ask('GET', path(id, `/text?recipient=${encodeURIComponent(recipient)}`)),
      )
    assert.match((await text('c@x.test')).text!, /^Dear Cleo/)
    assert.match((await text('b@x.test')).text!, /^Dear Bea/)
    assert.equal((await owner.ask('GET', path(id, '/text?recipient=d%40x.test'))).status, 404)
  })

  test('the text of a ready message is decoded from any encoding', async () => {
    const send = async (type: string, body: string) => {
      const message = [
        ...['From: a@acme.example', 'To: b@x.test', 'Subject: Ready', 'MIME-Version: 1.0', type, '', body],
        '',
      ].join('\r\n')
      const parts = [
        { name: 'to', value: 'b@x.test' },
        { name: 'message', value: message, filename: 'm.eml' },
      ]
      const reply = await api.multipart('acme.example', parts, 'messages.mime')
      assert.equal(reply.status, 200, reply.text)
      const [email] = await service.store.listEmails({ companyId: company.id, limit: 1 })
      return ok<{ text: string | null; clipped: boolean; trouble: string | null }>(
        await owner.ask('GET', path(email!.id, '/text')),
      )
    }
    const latin =
      'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable'
    assert.deepEqual(await send(latin, 'Gr=FC=DFe'), { text: 'Grüße\n', clipped: false, trouble: null })
    assert.equal((await send('Content-Type: text/html', '<p>Hi</p>')).text, null)
  })

  test('it is sent again as a new email, once for each click, to the same or to others', async () => {
    const id = await api.accepted(
      mail({
        bcc: 'hidden@x.test',
        headers: { 'X-Kind': 'letter' },
        tags: [{ name: 'kind', value: 'letter' }],
        attachments: [{ filename: 'a.txt', content: 'aGk=' }],
      }),
    )
    const again = (body: object, who = owner) => who.ask('POST', path(id, '/again'), body)
    const first = ok<{ id: string }>(await again({ click: 'click-00001' }))
    assert.notEqual(first.id, id)
    assert.deepEqual(ok(await again({ click: 'click-00001' })), first)
    assert.equal((await again({ click: 'click-00001', to: 'z@x.test' })).status, 409)
    const shown = await settled(first.id)
    assert.deepEqual(
      shown.recipients.map(({ address }) => address),
      ['b@x.test', 'hidden@x.test'],
    )
    const content = ok<{ headers: string[][]; files: { filename: string }[] }>(
      await owner.ask('GET', path(first.id, '/content')),
    )
    assert.deepEqual([content.headers, content.files[0]!.filename], [[['X-Kind', 'letter']], 'a.txt'])
    const { id: other } = ok<{ id: string }>(await again({ click: 'click-00002', to: 'z@x.test' }, operator))
    assert.deepEqual(
      (await settled(other)).recipients.map(({ address }) => address),
      ['z@x.test'],
    )
    assert.equal((await again({ click: 'click-00003', to: 'no address' })).status, 422)
  })

  test('a large email is sent again whole: its bodies, its files, a ready message', async () => {
    const html = `<p>${'é &amp; x\r\n'.repeat(200_000)}`
    const content = Buffer.alloc(2_000_000, 'file').toString('base64')
    const attachments = [1, 2].map((n) => ({ filename: `${n}.bin`, content }))
    const id = await api.accepted(mail({ html, text: 'text', attachments }))
    await settled(id)
    const { id: other } = ok<{ id: string }>(
      await owner.ask('POST', path(id, '/again'), { click: 'click-large' }),
    )
    await settled(other)
    const shown = await api.get(`/emails/${other}`)
    assert.equal(shown.body.html, html)
    assert.equal(shown.body.text, 'text')
    const sizes = (await service.store.listFiles(other)).map(({ size }) => size)
    assert.deepEqual(sizes, [2_000_000, 2_000_000])
    const [before, after] = await Promise.all(
      [id, other].map(async (each) => (await service.store.readCapturedCopy(each, null))!.raw.byteLength),
    )
    assert.ok(Math.abs(before! - after!) < 200, `${before} octets, then ${after}`)
  })

  test('a batch is sent again with each recipient’s own values, and to others with those of the first', async () => {
    const to = Array.from({ length: 120 }, (_, index) => `r${index}@x.test`)
    const values = Object.fromEntries(to.map((address, index) => [address, { n: `${index} é` }]))
    const body = new URLSearchParams({
      ...{ from: 'a@acme.example', to: to.join(','), subject: 'No. %recipient.n%', text: 'Hi' },
      'recipient-variables': JSON.stringify(values),
    })
    const accepted = await call(`${service.url}/v3/acme.example/messages`, {
      method: 'POST',
      headers: { authorization: basic(token) },
      body,
    })
    assert.equal(accepted.status, 200, accepted.text)
    const id = /<([^@]+)@/.exec(String(accepted.body.id))![1]!
    await settled(id)
    const subjectOf = async (email: string, position: number) => {
      const copy = await service.store.readCapturedCopy(email, position)
      return /^Subject: (.*)$/m.exec(Buffer.from(copy!.raw).toString())![1]
    }
    const again = async (more: object) =>
      ok<{ id: string }>(await owner.ask('POST', path(id, '/again'), more)).id
    const same = await again({ click: 'click-batch-1' })
    await settled(same)
    for (const position of [0, 119]) {
      assert.equal(await subjectOf(same, position), await subjectOf(id, position))
    }
    const others = await again({ click: 'click-batch-2', to: 'y@x.test, z@x.test' })
    await settled(others)
    for (const position of [0, 1]) assert.equal(await subjectOf(others, position), await subjectOf(id, 0))
  })

  test('a recipient is suppressed; a finished one cannot be retried', async () => {
    const id = await api.accepted(mail({ to: 'stop@x.test' }))
    await settled(id)
    assert.deepEqual(ok(await owner.ask('POST', path(id, '/suppress'), { position: 0 })), { changed: 1 })
    assert.equal((await owner.ask('POST', path(id, '/suppress'), { position: 0 })).status, 409)
    assert.equal((await owner.ask('POST', path(id, '/suppress'), { position: 7 })).status, 404)
    assert.equal((await owner.ask('POST', path(id, '/retry'))).status, 409)
    const next = await settled(await api.accepted(mail({ to: 'stop@x.test' })))
    assert.deepEqual(next.states, { suppressed: 1 })
  })

  test('links are checked with HEAD, and never at private addresses', async () => {
    const id = await api.accepted(mail())
    const { answers } = ok<{ answers: { outcome: string; detail: string }[] }>(
      await owner.ask('POST', path(id, '/reach'), {
        urls: [
          'http://127.0.0.1/',
          `${service.url}/`,
          'ftp://x.test/',
          'http://[::1]/',
          'http://localhost/x',
        ],
      }),
    )
    assert.deepEqual(
      answers.map(({ outcome }) => outcome),
      Array(5).fill('refused'),
    )
  })
})
