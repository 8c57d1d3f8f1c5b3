/** Lists of suppressions through the API of the console: search, changes, import and export. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { SUPPRESSION_TYPES } from '../../../src/email/suppression.ts'
import { suppression } from '../../store/samples.ts'
import { type Service, startService } from '../../support/service.ts'
import { ok, refused, Visitor } from './visitor.ts'

interface Shown {
  id: string
  address: string
  type: string
  reason: string
}
interface Page {
  data: Shown[]
  previous: string | null
  next: string | null
}
interface Imported {
  added: number
  present: number
  bad: number
  badLines: { line: number; why: string }[]
}

describe('suppressions in the console', () => {
  let service: Service
  let developer: Visitor
  let viewer: Visitor
  let stranger: Visitor
  let operator: Visitor
  let of: string

  before(async () => {
    service = await startService()
    const company = await service.company()
    const other = await service.company()
    of = `/companies/${company.id}`
    developer = await Visitor.signIn(service, [{ companyId: company.id, role: 'developer' }])
    viewer = await Visitor.signIn(service, [{ companyId: company.id, role: 'viewer' }])
    stranger = await Visitor.signIn(service, [{ companyId: other.id, role: 'owner' }])
    operator = await Visitor.signIn(service, 'operator')
  })
  after(() => service.close())

  const page = async (query = '', who = viewer, path = of): Promise<Page> =>
    ok<Page>(await who.ask('GET', `${path}/suppressions${query}`))
  const add = async (address: string, type = 'manual', more: object = {}): Promise<void> => {
    ok(await developer.ask('POST', `${of}/suppressions`, { address, type, ...more }), 201)
  }
  const addresses = ({ data }: Page) => data.map(({ address }) => address)
  const bring = async (body: object, who = developer): Promise<Imported> =>
    ok<Imported>(await who.ask('POST', `${of}/suppressions/import`, body))

  test('entries that begin with a term are paged in both directions, each address with all of its types', async () => {
    const names = Array.from({ length: 35 }, (_, index) => `w${String(index).padStart(2, '0')}@walk.test`)
    const { companyId } = developer.person.memberships[0]!
    await service.store.addSuppressions(
      names.flatMap((address, index) =>
        SUPPRESSION_TYPES.slice(0, 1 + (index % 3)).map((type) =>
          suppression({ id: companyId }, address, { type, id: randomUUIDv7() }),
        ),
      ),
    )
    const at = (place: string) => page(`?term=w&limit=10${place}`)
    const forth: Page[] = []
    let next = await at('')
    for (;;) {
      forth.push(next)
      if (next.next === null) break
      next = await at(`&after=${encodeURIComponent(next.next)}`)
    }
    assert.deepEqual([...new Set(forth.flatMap(addresses))], names)
    assert.ok(forth.length > 3)
    const types = (pages: Page[]) =>
      pages.flatMap(({ data }) => data).map(({ address, type }) => `${address} ${type}`)
    const back: Page[] = []
    let before = forth.at(-1)!
    for (; before.previous !== null; before = back[0]!) {
      back.unshift(await at(`&before=${encodeURIComponent(before.previous)}`))
    }
    assert.deepEqual(types([...back, forth.at(-1)!]), types(forth))
    assert.equal(new Set(types(forth)).size, types(forth).length)
  })

  test('an address is added, found by how it begins, and removed for one type', async () => {
    await add('Zoe@find.test')
    await add('Zoe@find.test', 'bounce', { reason: 'it is gone' })
    await add('zora@find.test')
    assert.deepEqual(
      (await page('?term=zo')).data.map(({ address, type }) => [address.toLowerCase(), type]),
      [
        ['zoe@find.test', 'bounce'],
        ['zoe@find.test', 'manual'],
        ['zora@find.test', 'manual'],
      ],
    )
    assert.deepEqual(addresses(await page('?term=zo&type=manual')).length, 2)
    const [bounce] = (await page('?term=zoe&type=bounce')).data
    assert.equal(bounce!.reason, 'it is gone')
    ok(await developer.ask('DELETE', `${of}/suppressions/${bounce!.id}`))
    refused(await developer.ask('DELETE', `${of}/suppressions/${bounce!.id}`), 404, 'not_found')
    assert.equal((await page('?term=zoe')).data.length, 1)
    const total = async (query: string) =>
      ok<{ count: number; more: boolean }>(await viewer.ask('GET', `${of}/suppressions/count${query}`))
    assert.deepEqual(await total('?term=zo'), { count: 2, more: false })
    assert.deepEqual(await total('?term=zo&type=bounce'), { count: 0, more: false })
    refused(
      await developer.ask('POST', `${of}/suppressions`, { address: 'zora@find.test', type: 'manual' }),
      409,
      'already_exists',
    )
    refused(
      await developer.ask('POST', `${of}/suppressions`, { address: 'nobody', type: 'manual' }),
      422,
      'invalid',
    )
  })

  test('pages go in both directions, and never split an address', async () => {
    const all = Array.from({ length: 25 }, (_, nth) => `page${String(nth).padStart(2, '0')}@pages.test`)
    const types = ['bounce', 'complaint', 'manual', 'unsubscribe']
    for (const address of all) for (const type of types) await add(address, type)
    const seen: string[] = []
    const places: Page[] = []
    let from: string | null = ''
    while (from !== null) {
      const found: Page = await page(`?term=page&limit=10${from}`)
      // Whole addresses: two of four types are all that fits.
      assert.ok(found.data.length <= 13 && found.data.length % types.length === 0, `${found.data.length}`)
      seen.push(...addresses(found))
      places.push(found)
      from = found.next === null ? null : `&after=${encodeURIComponent(found.next)}`
    }
    assert.deepEqual(
      seen,
      all.flatMap((address) => types.map(() => address)),
    )
    assert.equal(places[0]!.previous, null)
    const back = await page(`?term=page&limit=10&before=${encodeURIComponent(places[1]!.previous!)}`)
    assert.deepEqual(back.data, places[0]!.data)
    assert.equal(back.previous, null)

    const newest = await page('?limit=10')
    assert.equal(newest.data[0]!.address, 'page24@pages.test')
    const older = await page(`?limit=10&after=${newest.next}`)
    assert.deepEqual((await page(`?limit=10&before=${older.previous}`)).data, newest.data)
  })

  test('a file is imported in pieces, and its bad lines are reported by number', async () => {
    const head = 'E-Mail;Reason;Type'
    const first = await bring({ list: 'bounce', text: `${head}\none@file.test;gone;\nnobody;;\n` })
    assert.deepEqual([first.added, first.present, first.bad], [1, 0, 1])
    assert.equal(first.badLines[0]!.line, 3)
    const rest = { list: 'bounce', begun: { head, lines: 3 } }
    const second = await bring({
      ...rest,
      text: 'two@file.test;=1+1;spam\nthree@file.test;;what\none@file.test;;',
    })
    assert.deepEqual([second.added, second.present, second.bad], [1, 1, 1])
    assert.deepEqual(
      second.badLines.map(({ line }) => line),
      [5],
    )
    assert.deepEqual(
      (await page('?term=two@file')).data.map(({ type, reason }) => [type, reason]),
      [['complaint', '=1+1']],
    )
    // The head of a list without names of columns is its first address, and counts once.
    const plain = await bring({ list: 'manual', text: 'a@plain.test\nb@plain.test\n' })
    const more = await bring({
      list: 'manual',
      text: 'c@plain.test\n,\n',
      begun: { head: 'a@plain.test', lines: 2 },
    })
    assert.deepEqual([plain.added, more.added, more.present, more.badLines[0]!.line], [2, 1, 0, 4])
    // A quotation mark that is not closed costs its line.
    const open = await bring({ ...rest, text: 'four@file.test;"never closed\nfive@file.test\n' })
    assert.deepEqual([open.added, open.bad, open.badLines[0]!.line], [1, 1, 4])
    const most = 'x@many.test\n'.repeat(30_000)
    refused(
      await developer.ask('POST', `${of}/suppressions/import`, { list: 'manual', text: most }),
      413,
      'too_large',
    )
  })

  test('a list is exported as a file that spreadsheets take as text, and that can be imported again', async () => {
    await add('formula@out.test', 'manual', { reason: '=HYPERLINK("https://evil.test")' })
    const reply = await viewer.ask('GET', `${of}/suppressions/export`)
    assert.equal(reply.status, 200)
    assert.match(reply.headers.get('content-disposition')!, /^attachment; filename="suppressions\.csv"$/)
    assert.match(reply.headers.get('content-type')!, /^text\/csv/)
    assert.ok(reply.text.includes(`"'=HYPERLINK(""https://evil.test"")"`), reply.text)
    const rows = parse(reply.text, { columns: true }) as { address: string; type: string }[]
    const again = await bring({ list: 'manual', text: reply.text })
    assert.deepEqual([again.added, again.present, again.bad], [0, rows.length, 0])
    const bounces = await viewer.ask('GET', `${of}/suppressions/export?type=bounce`)
    const onlyBounces = parse(bounces.text, { columns: true }) as { type: string }[]
    assert.ok(onlyBounces.length > 0 && onlyBounces.every(({ type }) => type === 'bounce'))
    assert.match(bounces.headers.get('content-disposition')!, /filename="bounce\.csv"/)
  })

  test('a list longer than one answer is exported whole', async () => {
    const text = Array.from({ length: 3_000 }, (_, nth) => `many${nth}@long.test,${'why '.repeat(10)}`).join(
      '\n',
    )
    for (let at = 0; at < 3; at++) {
      const lines = text.split('\n').slice(at * 1_000, (at + 1) * 1_000)
      const begun = at === 0 ? {} : { begun: { head: 'address,reason', lines: at * 1_000 + 1 } }
      const piece = at === 0 ? ['address,reason', ...lines] : lines
      assert.equal((await bring({ list: 'manual', text: `${piece.join('\n')}\n`, ...begun })).added, 1_000)
    }
    const { text: csv } = await viewer.ask('GET', `${of}/suppressions/export?type=manual`)
    const rows = parse(csv, { columns: true }) as { address: string }[]
    const long = new Set(
      rows.map(({ address }) => address).filter((address) => address.endsWith('@long.test')),
    )
    assert.equal(long.size, 3_000)
  })

  test('the allow list has addresses and domains', async () => {
    ok(await developer.ask('POST', `${of}/allowed`, { value: 'Kept.TEST', reason: 'ours' }), 201)
    ok(await developer.ask('POST', `${of}/allowed`, { value: 'a/b@kept.test' }), 201)
    refused(await developer.ask('POST', `${of}/allowed`, { value: 'kept.test' }), 409, 'already_exists')
    const listed = ok<{ data: { value: string; kind: string }[] }>(await viewer.ask('GET', `${of}/allowed`))
    assert.deepEqual(
      listed.data.map(({ value, kind }) => [value, kind]),
      [
        ['a/b@kept.test', 'address'],
        ['kept.test', 'domain'],
      ],
    )
    ok(await developer.ask('DELETE', `${of}/allowed/${encodeURIComponent('a/b@kept.test')}?list=company`))
    assert.equal((await bring({ list: 'allowed', text: 'more.test\n' })).added, 1)
  })

  test('an entry of the allow list is removed from the one list that it is on', async () => {
    const { companyId } = developer.person.memberships[0]!
    const domain = await service.domain(companyId, 'twice.example')
    const entry = { companyId, value: 'twice.test', kind: 'domain', reason: null, createdAt: 1 } as const
    // As a removed domain leaves them behind, the last one.
    const lists = [null, domain.id, randomUUIDv7()]
    await service.store.addAllowed(lists.map((domainId) => ({ ...entry, domainId })))
    const listed = async () => {
      const path = `${of}/allowed?term=twice`
      const { data } = ok<{ data: { list: string; domain: string | null }[] }>(await viewer.ask('GET', path))
      return data.map(({ list, domain }) => [list, domain]).sort()
    }
    const all = [
      ['company', null],
      [domain.id, domain.name],
      [lists[2]!, null],
    ].sort()
    assert.deepEqual(await listed(), all)
    for (const list of ['company', lists[2]!]) {
      const path = `${of}/allowed/twice.test?list=${list}`
      ok(await developer.ask('DELETE', path))
      refused(await developer.ask('DELETE', path), 404, 'not_found')
    }
    assert.deepEqual(await listed(), [[domain.id, domain.name]])
    ok(await developer.ask('DELETE', `${of}/allowed/twice.test?list=${domain.id}`))
    assert.deepEqual(await listed(), [])
  })

  test('a viewer changes nothing, and nothing of other companies is shown', async () => {
    const changes: [string, string, object?][] = [
      ['POST', `${of}/suppressions`, { address: 'a@b.test', type: 'manual' }],
      ['DELETE', `${of}/suppressions/${(await page('?term=zora')).data[0]!.id}`],
      ['POST', `${of}/suppressions/import`, { list: 'manual', text: 'a@b.test' }],
      ['POST', `${of}/allowed`, { value: 'b.test' }],
      ['DELETE', `${of}/allowed/b.test?list=company`],
    ]
    for (const [method, path, body] of changes) {
      refused(await viewer.ask(method, path, body), 403, 'not_allowed')
      refused(await stranger.ask(method, path, body), 404, 'not_found')
    }
    for (const path of ['suppressions', 'suppressions/count', 'suppressions/export', 'allowed']) {
      refused(await stranger.ask('GET', `${of}/${path}`), 404, 'not_found')
    }
    assert.deepEqual((await page('?term=zora@find.test', operator, '/companies/all')).data.length, 1)
    refused(await operator.ask('GET', '/companies/all/suppressions?term=zo'), 422, 'invalid')
    assert.equal((await page('?limit=10', operator, '/companies/all')).data.length, 10)
  })
})
