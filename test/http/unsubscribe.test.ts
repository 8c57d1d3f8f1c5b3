/** Links by which recipients unsubscribe: in messages, as pages, and as mail programs use them (RFC 8058). */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { parseDelivery } from '../../src/config/parse/delivery.ts'
import { type Service, startService } from '../support/service.ts'
import { type Sink, startSink } from '../support/sink.ts'
import { Api, basic, call } from './requests.ts'

const BASE = 'https://mail.example.com'

describe('links to unsubscribe', () => {
  let sink: Sink
  let service: Service
  let api: Api

  before(async () => {
    sink = await startSink()
    const delivery = parseDelivery(`smtp://127.0.0.1:${sink.port}?tls=off`)
    service = await startService({ delivery, publicUrl: BASE })
    const { key } = await service.tenant('ours.test')
    api = new Api(service.url, key.token)
  })
  after(async () => {
    await service.close()
    await sink.close()
  })

  const send = async (...fields: [string, string][]) => {
    const usual: [string, string][] = [
      ['from', 'a@ours.test'],
      ['subject', 's'],
    ]
    const reply = await api.form('ours.test', [...usual, ...fields])
    assert.equal(reply.status, 200, reply.text)
  }
  const received = async (address: string) => PostalMime.parse((await sink.messageFor(address)).raw)
  type Mail = Awaited<ReturnType<typeof received>>
  const header = ({ headers }: Mail, name: string) => headers.find(({ key }) => key === name)?.value
  /** As its recipient reaches it; here the service has another address. */
  const here = (url: string) => {
    assert.ok(url.startsWith(`${BASE}/unsubscribe/`), url)
    return url.replace(BASE, service.url)
  }
  const linkIn = ({ text = '' }: Mail) => here(/https:\S+/.exec(text)?.[0] ?? '')
  const oneClick = (url: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  const form = (path: string) =>
    call(`${service.url}${path}`, { headers: { authorization: basic(api.token) } })
  const listed = async (address: string) =>
    (await form(`/v3/ours.test/unsubscribes/${encodeURIComponent(address)}`)).body
  const events = async (event: string, recipient: string) => {
    const query = new URLSearchParams({ event, recipient, ascending: 'yes' })
    const { body } = await form(`/v3/ours.test/events?${query}`)
    return body.items as { tags: string[]; 'delivery-status'?: { code: number } }[]
  }

  test('each copy has its own link, and the header fields that mail programs look for', async () => {
    await send(
      ['to', 'ann@x.test'],
      ['to', 'ben@x.test'],
      ['recipient-variables', '{}'],
      ['o:tag', 'news'],
      ['html', '<a href="%unsubscribe_url%">leave</a>'],
      ['text', 'leave: %unsubscribe_url% '],
    )
    const [ann, ben] = await Promise.all([received('ann@x.test'), received('ben@x.test')])
    const url = linkIn(ann)
    assert.notEqual(linkIn(ben), url)
    assert.ok(ann.html!.includes(`href="${url.replace(service.url, BASE)}"`))
    assert.equal(header(ann, 'list-unsubscribe'), `<${url.replace(service.url, BASE)}>`)
    assert.equal(header(ann, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')

    const page = await fetch(url)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
    assert.match(await page.text(), /ann@x\.test.*<form method="post"><button/s)
    assert.equal((await listed('ann@x.test')).message, 'Address not found in unsubscribers table')

    for (const _ of [1, 2]) {
      const done = await oneClick(url)
      assert.equal(done.status, 200)
      assert.match(await done.text(), /is unsubscribed/)
    }
    assert.deepEqual((await listed('ann@x.test')).tags, ['*'])
    const told = await events('unsubscribed', 'ann@x.test')
    assert.deepEqual(
      told.map(({ tags }) => tags),
      [['news']],
    )
    await send(['to', 'ann@x.test'], ['text', 'once more'])
    const [failed] = await eventually(() => events('failed', 'ann@x.test'))
    assert.equal(failed!['delivery-status']!.code, 606)
  })

  test('a link of a message with tags unsubscribes from mail with these tags', async () => {
    const text = 'leave: %tag_unsubscribe_url% '
    await send(['to', 'Cat <cat@x.test>'], ['o:tag', 'news'], ['o:tag', 'shop'], ['text', text])
    const mail = await received('cat@x.test')
    const url = linkIn(mail)
    assert.equal(header(mail, 'list-unsubscribe'), `<${url.replace(service.url, BASE)}>`)
    assert.equal((await oneClick(url)).status, 200)
    assert.deepEqual((await listed('cat@x.test')).tags, ['news', 'shop'])
    await send(['to', 'cat@x.test'], ['o:tag', 'shop'], ['text', 'not this'])
    await eventually(() => events('failed', 'cat@x.test'))
    await send(['to', 'cat@x.test'], ['o:tag', 'bills'], ['text', 'this'])
    await eventually(async () => (await events('delivered', 'cat@x.test')).slice(1))
  })

  test('mail from another domain of the company is still sent, and none from the domain after it was added again', async () => {
    const { company, domain, key } = await service.tenant('letters.test')
    await service.domain(company.id, 'bills.test')
    const own = new Api(service.url, key.token)
    const fields: [string, string][] = [
      ['from', 'a@letters.test'],
      ['to', 'liz@x.test'],
      ['text', '%unsubscribe_url% '],
    ]
    assert.equal((await own.form('letters.test', fields)).status, 200)
    const url = linkIn(await received('liz@x.test'))
    assert.equal((await oneClick(url)).status, 200)
    const isSuppressed = async (name: string) => {
      const mail = { from: `a@${name}`, to: 'liz@x.test', subject: 's', text: 't' }
      const { recipients } = (await service.store.readHistory(await own.accepted(mail)))!
      return recipients[0]!.state === 'suppressed'
    }
    assert.equal(await isSuppressed('letters.test'), true)
    assert.equal(await isSuppressed('bills.test'), false)
    await service.store.removeSuppressions({ companyId: company.id })
    await service.store.removeDomain(domain.id, Date.now())
    const again = await service.domain(company.id, 'letters.test')
    assert.equal((await oneClick(url)).status, 200)
    const [entry] = await service.store.listSuppressions({ companyId: company.id, limit: 2 })
    assert.equal(entry?.domainId, again.id)
  })

  test('the sender’s own unsubscribe fields stay', async () => {
    const own = '<https://ours.test/leave>'
    await send(['to', 'dan@x.test'], ['h:List-Unsubscribe', own], ['text', '%unsubscribe_url% '])
    const dan = await received('dan@x.test')
    assert.equal(header(dan, 'list-unsubscribe'), own)
    assert.equal(header(dan, 'list-unsubscribe-post'), undefined)
    const mixed = '<%unsubscribe_url%>, <%tag_unsubscribe_email%>'
    await send(['to', 'eve@x.test'], ['h:List-Unsubscribe', mixed], ['text', 'hello'])
    const eve = await received('eve@x.test')
    assert.match(header(eve, 'list-unsubscribe')!, /^<https:\/\/mail\.example\.com\/unsubscribe\/[\w-]+>$/)
    assert.equal(header(eve, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  })

  test('a message that several recipients share has none', async () => {
    await send(['to', 'fay@x.test, gus@x.test'], ['text', 'leave: <%unsubscribe_url%>'])
    const mail = await received('fay@x.test')
    assert.equal(mail.text?.trim(), 'leave: <>')
    assert.equal(header(mail, 'list-unsubscribe'), undefined)
  })

  test('an altered link is refused, and has no effect', async () => {
    await send(['to', 'hal@x.test'], ['text', '%unsubscribe_url% '])
    const url = linkIn(await received('hal@x.test'))
    const altered = url.slice(0, -2) + (url.endsWith('AA') ? 'BB' : 'AA')
    for (const wrong of [altered, url.slice(0, -20), `${service.url}/unsubscribe/x`]) {
      assert.equal((await fetch(wrong)).status, 404)
      assert.equal((await oneClick(wrong)).status, 404)
    }
    assert.equal((await listed('hal@x.test')).message, 'Address not found in unsubscribers table')
  })

  test('while the database is unreachable, the page asks people to try again', async () => {
    await send(['to', 'ida@x.test'], ['text', '%unsubscribe_url% '])
    const url = linkIn(await received('ida@x.test'))
    await service.store.close()
    const reply = await oneClick(url)
    assert.equal(reply.status, 503)
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(await reply.text(), /cannot process the request now; please try again/)
  })
})

/** Polls until there is an entry: no event reports the work that the service does after its answer. */
async function eventually<Item>(look: () => Promise<Item[]>): Promise<Item[]> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look()
    if (found.length > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nothing came')
}
