/** The list of emails: its rows, pages, filters and companies. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import type { EmailRowJson } from '../../../src/http/console/emails/email-row.ts'
import { email } from '../../store/samples.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api } from '../requests.ts'
import { Visitor } from './visitor.ts'

interface Page {
  emails: EmailRowJson[]
  next: string | null
  unfinished: string | null
  cursor: number
  words: { id: string; place: string; excerpt: string }[]
  texts: { count: number; all: boolean } | null
}

describe('the list of emails', () => {
  let service: Service
  let mine: Company
  let theirs: Company
  let api: Api
  let member: Visitor
  let operator: Visitor
  let foreign: string
  const sent: string[] = []

  const send = async (change: Record<string, unknown>) => {
    const id = await api.accepted({
      from: 'a@mine.test',
      to: 'you@x.test',
      subject: 'Hi',
      text: 'Hi',
      ...change,
    })
    sent.unshift(id)
    return id
  }
  const list = async (query = '', visitor = member, company = mine.id): Promise<Page> => {
    const reply = await visitor.ask('GET', `/companies/${company}/emails${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body as unknown as Page
  }
  const ids = ({ emails }: Page) => emails.map(({ id }) => id)

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('mine.test')
    mine = tenant.company
    api = new Api(service.url, tenant.key.token)
    const other = await service.tenant('theirs.test')
    theirs = other.company
    foreign = await new Api(service.url, other.key.token).accepted({
      ...{ from: 'b@theirs.test', to: 'you@x.test', subject: 'Confidential', text: 'secret' },
    })
    member = await Visitor.signIn(service, [{ companyId: mine.id, role: 'viewer' }])
    operator = await Visitor.signIn(service, 'operator')
    for (let n = 0; n < 5; n++) await send({ subject: `Number ${n}` })
    await send({
      to: ['Ann <ann@x.test>', 'bob@x.test'],
      cc: 'carol@x.test',
      subject: 's'.repeat(900),
      tags: [{ name: 'kind', value: 'welcome' }],
    })
    await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString(), subject: 'Later' })
    await until(async () => {
      const { emails } = await list()
      return emails.every(({ lastEvent }) => lastEvent === 'delivered' || lastEvent === 'scheduled')
    }, 'everything to be delivered')
  })
  after(() => service.close())

  test('has the newest first, each with the fields of a row', async () => {
    const page = await list()
    assert.deepEqual(ids(page), sent)
    assert.equal(page.next, null)
    assert.equal(page.cursor, await service.store.settledEventNumber())
    const [later, many] = page.emails as [EmailRowJson, EmailRowJson]
    assert.equal(later.lastEvent, 'scheduled')
    assert.ok(Date.parse(later.scheduledAt!) > Date.parse(later.createdAt))
    assert.deepEqual(
      { ...many, createdAt: '' },
      {
        ...{
          id: sent[1],
          company: mine.id,
          domain: 'mine.test',
          from: 'a@mine.test',
          to: 'Ann <ann@x.test>',
        },
        ...{
          subject: `${'s'.repeat(300)}…`,
          tags: ['kind:welcome'],
          tagCount: 1,
          createdAt: '',
          scheduledAt: null,
        },
        ...{
          lastEvent: 'delivered',
          recipients: 3,
          states: [{ state: 'captured', status: 'captured', count: 3 }],
        },
      },
    )
  })

  test('has pages that omit nothing and repeat nothing', async () => {
    const found: string[] = []
    let pages = 0
    for (let next: string | null = ''; next !== null; pages++) {
      const page = await list(`?limit=3${next && `&cursor=${encodeURIComponent(next)}`}`)
      found.push(...ids(page))
      next = page.next
    }
    assert.deepEqual(found, sent)
    assert.equal(pages, 3)
  })

  test('is narrowed by each filter', async () => {
    const at = (index: number) => sent.at(index)!
    const rows: [query: string, wanted: string[]][] = [
      ['event=scheduled', [at(0)]],
      ['event=scheduled,delivered', sent],
      ['subject=number', sent.slice(2)],
      ['to=bob@x.test', [at(1)]],
      ['from=A@MINE', sent],
      ['from=nobody', []],
      ['tag=kind:welcome', [at(1)]],
      ['tag=kind', [at(1)]],
      ['domain=mine.test', sent],
      [`since=${new Date(Date.now() + 60_000).toISOString()}`, []],
      [`until=${new Date(Date.now() - 3_600_000).toISOString()}`, []],
      ['subject=number&to=you@x.test&limit=1', [at(2)]],
      ['key=test%20key', sent],
      ['q=number', sent.slice(2)],
      ['q=number%203', [at(3)]],
      ['q=bob@x.test', [at(1)]],
      ['status=scheduled', [at(0)]],
      ['status=scheduled,captured,held', sent],
      ['status=retrying', []],
      ['status=waiting,captured', sent],
      ['q=status:bounced,waiting', [at(0)]],
      ['q=status:scheduled,captured%20number', sent.slice(2)],
      ['q=status:waiting', [at(0)]],
      ['q=status:captured%20event:sent', sent.slice(1)],
      ['q=event:scheduled', [at(0)]],
      ['q=event:delivered%20tag:kind', [at(1)]],
      ['q=number&event=scheduled', []],
      ['q=after:1h&zone=Europe/Berlin', sent],
      ['q=before:yesterday', []],
      [`q=${at(4)}`, [at(4)]],
      [`q=${foreign}`, []],
    ]
    for (const [query, wanted] of rows) assert.deepEqual(ids(await list(`?${query}`)), wanted, query)
  })

  test('lists the results of an unfinished search while the person types, and refuses it otherwise', async () => {
    const q = 'q=status:scheduled%20after:2026-1'
    const typed = await list(`?typing=true&${q}`)
    assert.deepEqual(ids(typed), [sent[0]])
    assert.match(String(typed.unfinished), /"after:" needs a date.*"2026-1" is none of these/)
    assert.equal((await list('?typing=true&q=number')).unfinished, null)
    for (const route of ['emails', 'emails/count']) {
      const reply = await member.ask('GET', `/companies/${mine.id}/${route}?${q}`)
      assert.equal(reply.status, 422, reply.text)
      assert.match(reply.text, /\\"after:\\" needs a date/)
    }
    const wrong = await member.ask('GET', `/companies/${mine.id}/emails?typing=true&q=event:lost`)
    assert.equal(wrong.status, 422)
    const twice = await member.ask('GET', `/companies/${mine.id}/emails?q=event:sent&event=sent`)
    assert.match(twice.text, /\\"event:\\" is also set beside the search/)
  })

  test('explains an invalid filter, and refuses an unknown one', async () => {
    const wrong = ['q=tag:a&tag=b', 'zone=Nowhere/City&q=after:today']
    for (const query of [
      'event=lost',
      'status=lost',
      'since=soon',
      'cursor=x',
      'limit=0',
      'limit=101',
      'colour=red',
      ...wrong,
    ]) {
      const reply = await member.ask('GET', `/companies/${mine.id}/emails?${query}`)
      assert.equal(reply.status, 422, `${query}: ${reply.text}`)
      assert.equal((reply.body.error as { field: string }).field, query.split('=')[0])
    }
    const unknown = await member.ask('GET', `/companies/${mine.id}/emails?domain=theirs.test`)
    const nowhere = await member.ask('GET', `/companies/${mine.id}/emails?domain=nowhere.test`)
    assert.equal(unknown.status, 404)
    assert.equal(unknown.text, nowhere.text.replaceAll('nowhere', 'theirs'))
  })

  test('shows where words were found that are not in the subject', async () => {
    const id = await send({ subject: 'Your parcel', text: 'The tracking number is QX-5519.' })
    const byText = await list('?q=QX-5519')
    assert.deepEqual(ids(byText), [id])
    assert.deepEqual(byText.words, [{ id, place: 'text', excerpt: 'The tracking number is QX-5519.' }])
    assert.deepEqual(byText.texts, { count: sent.length, all: true })
    assert.deepEqual(ids(await list('?q=body:tracking%20parcel')), [id])
    assert.deepEqual((await list('?q=parcel')).words, [])
    assert.equal((await list('?q=subject:parcel')).texts, null)
    // The text of another company.
    assert.deepEqual(ids(await list('?q=secret')), [])
    assert.deepEqual(ids(await list('?q=body:secret', operator, 'all')), [foreign])
    const bounced = await send({ to: 'bounced@simulator.test', subject: 'Refused' })
    await until(async () => ids(await list('?q=reply:mailbox')).length > 0, 'the bounce')
    const { words } = await list('?q=refused%20mailbox')
    assert.deepEqual(
      words.map(({ id, place }) => [id, place]),
      [[bounced, 'reply']],
    )
    for (const each of [id, bounced]) sent.splice(sent.indexOf(each), 1)
    await service.store.removeEmails([id, bounced])
  })

  test('is counted up to a thousand, with the filters of the list', async () => {
    const count = async (query: string, visitor = member, company = mine.id) => {
      const reply = await visitor.ask('GET', `/companies/${company}/emails/count${query}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body
    }
    assert.deepEqual(await count(''), { count: sent.length, more: false })
    assert.deepEqual(await count('?q=number'), { count: 5, more: false })
    assert.deepEqual(await count('?q=number&toDomain=X.test'), { count: 5, more: false })
    assert.deepEqual(await count('?toDomain=y.test'), { count: 0, more: false })
    assert.deepEqual(ids(await list('?toDomain=x.test')), sent)
    assert.deepEqual(await count(`?q=${sent[0]}`), { count: 1, more: false })
    assert.deepEqual(await count(`?q=${foreign}`), { count: 0, more: false })
    assert.deepEqual(await count('', operator, 'all'), { count: sent.length + 1, more: false })
    const twice = await member.ask('GET', `/companies/${mine.id}/emails/count?q=to:@x.test&toDomain=x.test`)
    assert.equal(twice.status, 422)
  })

  test('shows the beginning of each email, and marks those with files', async () => {
    const file = { filename: 'a.txt', content: btoa('a') }
    const whole = await send({
      subject: 'Snippet',
      text: `  One\n\n two ${'x'.repeat(300)}`,
      attachments: [file],
    })
    const html = await send({ subject: 'Snippet', html: '<style>p{}</style><p>Hi <b>Ann</b>', text: '' })
    const snippets = async (wanted: string[], visitor = member, company = mine.id) => {
      const reply = await visitor.ask('GET', `/companies/${company}/emails/snippets?ids=${wanted.join(',')}`)
      assert.equal(reply.status, 200, reply.text)
      const found = reply.body.snippets as { id: string; text: string; attached: boolean }[]
      return new Map(found.map(({ id, ...snippet }) => [id, snippet]))
    }
    const found = await snippets([whole, html, foreign, 'x'])
    assert.equal(found.size, 2)
    assert.deepEqual(found.get(whole), { text: `One two ${'x'.repeat(152)}`, attached: true })
    assert.equal(found.get(html)!.attached, false)
    assert.deepEqual([...(await snippets([foreign], operator, 'all')).keys()], [foreign])
    const many = Array.from({ length: 26 }, () => 'x').join(',')
    const refused = await member.ask('GET', `/companies/${mine.id}/emails/snippets?ids=${many}`)
    assert.equal(refused.status, 422)
    for (const id of [whole, html]) sent.splice(sent.indexOf(id), 1)
    await service.store.removeEmails([whole, html])
  })

  test('gives the texts of emails in full that rows clip, and none of another company', async () => {
    const tags = Array.from({ length: 9 }, (_, n) => ({ name: `n${n}`, value: 'v'.repeat(100) }))
    const subject = 's'.repeat(900)
    const clipped = await send({ tags, subject })
    const read = async (wanted: string[], visitor = member, company = mine.id) => {
      const reply = await visitor.ask('GET', `/companies/${company}/emails/unclipped?ids=${wanted.join(',')}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.emails as { id: string; subject: string; tags: string[] }[]
    }
    const { from, to } = (await list(`?q=${clipped}`)).emails[0]!
    const all = { id: clipped, from, to, subject, tags: tags.map(({ name, value }) => `${name}:${value}`) }
    assert.deepEqual(await read([foreign, clipped, 'x']), [all])
    assert.deepEqual(
      (await read([foreign, clipped], operator, 'all')).map(({ id }) => id),
      [foreign, clipped],
    )
    sent.splice(sent.indexOf(clipped), 1)
    await service.store.removeEmails([clipped])
  })

  test('has the emails of one company, or of all for operators', async () => {
    for (const company of [theirs.id, 'all', 'nobody']) {
      const reply = await member.ask('GET', `/companies/${company}/emails`)
      assert.equal(reply.status, 404, company)
      assert.doesNotMatch(reply.text, /Confidential/)
    }
    assert.deepEqual(ids(await list('', operator, theirs.id)), [foreign])
    const all = await list('', operator, 'all')
    assert.deepEqual(new Set(ids(all)), new Set([foreign, ...sent]))
    assert.deepEqual(new Set(all.emails.map(({ company }) => company)), new Set([mine.id, theirs.id]))
    assert.deepEqual(ids(await list('?subject=confid', operator, 'all')), [foreign])
  })

  // The last of these: operators see its emails among all.
  test('has more emails than are counted', async () => {
    const many = await service.tenant('many.test')
    const emails = Array.from({ length: 1_001 }, () => email(many.company, ['a@x.test']))
    await service.store.acceptAll({ emails, idempotency: null }, null)
    const visitor = await Visitor.signIn(service, [{ companyId: many.company.id, role: 'viewer' }])
    const reply = await visitor.ask('GET', `/companies/${many.company.id}/emails/count`)
    assert.deepEqual(reply.body, { count: 1_000, more: true })
  })
})
