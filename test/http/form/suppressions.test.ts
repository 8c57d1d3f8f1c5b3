/** Bounces, unsubscribes, complaints and whitelists of the form dialect, as its clients keep them. */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { suppression } from '../../store/samples.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'
import { newestClient, oldClient } from './clients.ts'

describe('suppressions of the form dialect', () => {
  let service: Service
  let key: string
  let api: Api
  let mg: ReturnType<typeof newestClient>

  before(async () => {
    service = await startService()
    const { company } = await service.tenant('list.test')
    key = (await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })).token
    api = new Api(service.url, key)
    mg = newestClient(service.url, key)
  })
  after(() => service.close())

  const ask = (path: string, init: RequestInit = {}): Promise<Reply> =>
    call(`${service.url}/v3/list.test/${path}`, { ...init, headers: { authorization: basic(key) } })
  const remove = (path: string) => ask(path, { method: 'DELETE' })

  test('entries are added to each list one by one or together, shown and removed', async () => {
    const one = await ask('bounces', {
      method: 'POST',
      body: new URLSearchParams({
        address: 'one@x.test',
        code: '552',
        error: 'Mailbox full',
        created_at: 'Sun, 26 Jan 2025 07:29:04 UTC',
      }),
    })
    assert.deepEqual(one.body, {
      message: 'Address has been added to the bounces table',
      address: 'one@x.test',
    })
    assert.deepEqual((await ask('bounces/one%40x.test')).body, {
      address: 'one@x.test',
      code: '552',
      error: 'Mailbox full',
      created_at: 'Sun, 26 Jan 2025 07:29:04 UTC',
    })
    const many = await mg.suppressions.create('list.test', 'complaints', [
      { address: 'a@x.test' },
      { address: 'b@x.test' },
    ])
    assert.equal(many.message, '2 complaint addresses have been added to the complaints table')
    const unsubscribed = await mg.suppressions.create('list.test', 'unsubscribes', {
      address: 'u@x.test',
      tag: 'news',
    })
    assert.equal(unsubscribed.message, 'Address has been added to the unsubscribes table')
    await mg.suppressions.create('list.test', 'unsubscribes', [{ address: 'v@x.test' }])
    const unsubscribes = await mg.suppressions.list('list.test', 'unsubscribes')
    assert.deepEqual(
      unsubscribes.items.map((item) => [
        (item as { address: string }).address,
        (item as { tags: string[] }).tags,
      ]),
      [
        ['u@x.test', ['news']],
        ['v@x.test', ['*']],
      ],
    )
    assert.deepEqual((await remove('unsubscribes/v%40x.test')).body, {
      address: 'v@x.test',
      message: 'Unsubscribe event has been removed',
    })
    assert.deepEqual((await remove('complaints/a%40x.test')).body, {
      address: 'a@x.test',
      message: 'Spam complaint has been removed',
    })
    assert.deepEqual((await remove('bounces/one%40x.test')).body, {
      address: 'one@x.test',
      message: 'Bounced address has been removed',
    })
    await mg.suppressions.create('list.test', 'bounces', { address: 'two@x.test' })
    const destroyed = await mg.suppressions.destroy('list.test', 'bounces', 'two@x.test')
    assert.equal(destroyed.message, 'Bounced address has been removed')
    assert.equal(destroyed.address, 'two@x.test')
  })

  test('a missing entry is reported with the sentences that clients know', async () => {
    for (const [path, message] of [
      ['bounces/no%40x.test', 'Address not found in bounces table'],
      ['bounces/none', 'Address not found in bounces table'],
      ['unsubscribes/no%40x.test', 'Address not found in unsubscribers table'],
      ['complaints/no%40x.test', 'No spam complaints found for this address'],
      ['whitelists/no.test', 'Address/Domain not found in whitelists table'],
    ] as const) {
      assertFormError(await ask(path), 404, message)
      assertFormError(await remove(path), 404, message)
    }
    const add = (body: string, type = 'application/json') =>
      call(`${service.url}/v3/list.test/bounces`, {
        method: 'POST',
        headers: { authorization: basic(key), 'content-type': type },
        body,
      })
    assertFormError(await add('[{"address":"not one"}]'), 400)
    assertFormError(await add('[]'), 400)
    assertFormError(await add('[{"code":"550"}]'), 400)
    assertFormError(await add('[{"address":"a@x.test","created_at":"soon"}]'), 400, /created_at/)
    const reader = (await service.tenant('reader.test')).key.token
    const init = { method: 'DELETE', headers: { authorization: basic(reader) } }
    assertFormError(await call(`${service.url}/v3/reader.test/bounces`, init), 403, /management scope/)
    assertFormError(await call(`${service.url}/v3/list.test/bounces`, init), 403)
    const read = { headers: { authorization: basic(reader) } }
    assertFormError(await call(`${service.url}/v3/list.test/bounces`, read), 404, /Domain not found/)
  })

  test('lists have pages, sorted by address', async () => {
    const addresses = Array.from({ length: 5 }, (_, index) => `p${index}@pages.test`)
    await mg.suppressions.create(
      'list.test',
      'bounces',
      addresses.map((address) => ({ address })),
    )
    const found: string[] = []
    let page = await mg.suppressions.list('list.test', 'bounces', { limit: 2 })
    while (page.items.length > 0) {
      found.push(...page.items.map((item) => (item as { address: string }).address))
      page = await mg.suppressions.list('list.test', 'bounces', { limit: 2, page: page.pages.next!.page! })
    }
    assert.deepEqual(found, addresses)
    const last = await ask('bounces?page=last&limit=2')
    const shown = ({ body }: Reply) => (body.items as { address: string }[]).map(({ address }) => address)
    assert.deepEqual(shown(last), addresses.slice(-2))
    const { previous } = last.body.paging as { previous: string }
    const before = await call(previous, { headers: { authorization: basic(key) } })
    assert.deepEqual(shown(before), addresses.slice(1, 3))
    assert.deepEqual(shown(await ask('bounces?term=p3')), ['p3@pages.test'])
    assert.deepEqual((await remove('bounces')).body, {
      message: 'Bounced addresses for this domain have been removed',
    })
    assert.deepEqual(shown(await ask('bounces')), [])
  })

  test('a list of two types has pages in both directions, with each address once', async () => {
    const { companyId, id: domainId } = (await service.store.accounts()).domains.find(
      ({ name }) => name === 'list.test',
    )!
    const names = Array.from({ length: 9 }, (_, index) => `q${index}@types.test`)
    // Bounced, put there by hand, or both.
    for (const [index, address] of names.entries()) {
      const types = [['bounce'], ['manual'], ['bounce', 'manual']][index % 3] as ('bounce' | 'manual')[]
      await service.store.addSuppressions(
        types.map((type) => suppression({ id: companyId }, address, { type, id: randomUUIDv7(), domainId })),
      )
    }
    const at = async (path: string) => {
      const reply = await call(path, { headers: { authorization: basic(key) } })
      assert.equal(reply.status, 200, reply.text)
      const { items, paging } = reply.body as {
        items: { address: string }[]
        paging: { next: string; previous: string }
      }
      return { shown: items.map(({ address }) => address), ...paging }
    }
    const list = `${service.url}/v3/list.test/bounces?term=q&limit=2`
    const forth: string[][] = []
    let page = await at(list)
    for (; page.shown.length > 0; page = await at(page.next)) forth.push(page.shown)
    assert.deepEqual(forth.flat(), names)
    const back: string[][] = []
    page = await at(`${list}&page=last`)
    for (; page.shown.length > 0; page = await at(page.previous)) back.unshift(page.shown)
    assert.deepEqual(back.flat(), names)
    assert.deepEqual(back.at(-1), names.slice(-2))
    assert.ok(back.slice(1).every(({ length }) => length === 2))
    assert.equal((await remove('bounces')).status, 200)
  })

  test('tags of an unsubscription are written as they are read: "*" means all mail, and is no tag', async () => {
    const given: [what: string, fields: object, tags: string[]][] = [
      ['nothing', {}, ['*']],
      ['"*" as a tag', { tag: '*' }, ['*']],
      ['"*" among tags', { tags: ['*'] }, ['*']],
      ['"*" beside another tag', { tag: ['news', '*'] }, ['*']],
      ['"*" beside other tags', { tag: 'news', tags: ['offers', '*'] }, ['*']],
      ['empty tags', { tag: '', tags: [''] }, ['*']],
      ['a tag and tags', { tag: 'news', tags: ['offers'] }, ['news', 'offers']],
    ]
    const post = (body: object) =>
      call(`${service.url}/v3/list.test/unsubscribes`, {
        method: 'POST',
        headers: { authorization: basic(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    for (const [index, [what, fields, tags]] of given.entries()) {
      const address = `star${index}@x.test`
      const path = `unsubscribes/${encodeURIComponent(address)}`
      assert.equal((await post([{ address, ...fields }])).status, 200, what)
      const shown = (await ask(path)).body
      assert.deepEqual([...(shown.tags as string[])].sort(), tags, what)
      // A client that moves its list posts the entries that it has read.
      await remove(path)
      assert.equal((await post([shown])).status, 200, what)
      assert.deepEqual([...((await ask(path)).body.tags as string[])].sort(), tags, what)
      const sent = await api.form('list.test', [
        ['from', 'me@list.test'],
        ['text', 'x'],
        ['to', address],
      ])
      assert.equal(sent.status, 200, sent.text)
      const query = `events?event=accepted+OR+failed&recipient=${encodeURIComponent(address)}`
      const { items } = (await ask(query)).body as { items: { event: string }[] }
      const stopped = items.some(({ event }) => event === 'failed')
      assert.equal(stopped, tags.includes('*'), `${what}: mail without a tag`)
    }
  })

  test('an address that was added by hand is listed and removed with the bounces', async () => {
    const { companyId } = (await service.store.accounts()).domains.find(({ name }) => name === 'list.test')!
    const { addSuppression } = await import('../../../src/operate/suppressions.ts')
    const { OPERATOR } = await import('../../../src/operate/authority.ts')
    const { operationOn } = await import('../../../src/operate/open.ts')
    const op = operationOn(service.settings, service.store, OPERATOR, await service.store.accounts())
    const entry = { company: companyId, address: 'hand@x.test', type: 'manual' } as const
    await addSuppression(op, { ...entry, domain: 'list.test' })
    await addSuppression(op, { ...entry, address: 'all@x.test' })
    const { items } = (await ask('bounces')).body as { items: { address: string }[] }
    assert.deepEqual(
      items.map(({ address }) => address),
      ['hand@x.test'],
    )
    assert.equal((await remove('bounces/hand%40x.test')).status, 200)
  })

  test('each domain of a company has its own lists, and clearing one leaves the others', async () => {
    const { company } = await service.tenant('one.test')
    await service.domain(company.id, 'two.test')
    const { token } = await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })
    const headers = { authorization: basic(token) }
    const at = (path: string, init: RequestInit = {}) =>
      call(`${service.url}/v3/${path}`, { ...init, headers })
    const values = async (path: string) => {
      const { items } = (await at(path)).body as { items: { address?: string; value?: string }[] }
      return items.map(({ address, value }) => address ?? value)
    }
    const lists = ['bounces', 'complaints', 'unsubscribes', 'whitelists']
    for (const list of lists) {
      for (const [name, ...addresses] of [
        ['one.test', 'both@x.test', 'one@x.test'],
        ['two.test', 'both@x.test', 'two@x.test'],
      ]) {
        for (const address of addresses) {
          const body = new URLSearchParams({ address })
          assert.equal((await at(`${name}/${list}`, { method: 'POST', body })).status, 200)
        }
      }
    }
    for (const list of lists) {
      assert.deepEqual(await values(`one.test/${list}`), ['both@x.test', 'one@x.test'], list)
      assertFormError(await at(`one.test/${list}/two@x.test`), 404)
      assertFormError(await at(`one.test/${list}/two@x.test`, { method: 'DELETE' }), 404)
      assert.equal((await at(`one.test/${list}/both@x.test`, { method: 'DELETE' })).status, 200)
      assert.equal((await at(`two.test/${list}/both@x.test`)).status, 200)
      assert.equal((await at(`one.test/${list}`, { method: 'DELETE' })).status, 200)
      assert.deepEqual(await values(`one.test/${list}`), [], list)
      assert.deepEqual(await values(`two.test/${list}`), ['both@x.test', 'two@x.test'], list)
    }
    const csv = new FormData()
    csv.append('file', new Blob(['address,sending_domain\nfile@x.test,two.test\n']), 'list.csv')
    assert.equal((await at('one.test/unsubscribes/import', { method: 'POST', body: csv })).status, 202)
    assert.deepEqual(await values('one.test/unsubscribes'), ['file@x.test'])
  })

  test('a CSV file is imported, whatever its name and type', async () => {
    const csv =
      'address,tags,created_at\ni1@csv.test,news,"Sun, 26 Jan 2025 07:29:04 UTC"\nnot one,,\ni2@csv.test,,\n'
    const answer = await mg.suppressions.upload('list.test', 'unsubscribes', csv)
    assert.equal(answer.message, 'file uploaded successfully')
    const { items } = (await ask('unsubscribes?term=i')).body as { items: object[] }
    assert.deepEqual(items[0], {
      address: 'i1@csv.test',
      created_at: 'Sun, 26 Jan 2025 07:29:04 UTC',
      tags: ['news'],
    })
    assert.equal(items.length, 2)
  })

  test('a file is read by a worker, so that the main thread stays free', async () => {
    const upload = async (text: string) => {
      const form = new FormData()
      form.append('file', new Blob([text]), 'list.csv')
      const { user, system } = process.threadCpuUsage()
      const reply = await call(`${service.url}/v3/list.test/bounces/import`, {
        method: 'POST',
        headers: { authorization: basic(api.token) },
        body: form,
      })
      const now = process.threadCpuUsage()
      assert.equal(reply.status, 202, reply.text)
      const { added, present, bad } = reply.body as { added: number; present: number; bad: number }
      return { counts: [added, present, bad], worked: (now.user - user + now.system - system) / 1_000 }
    }
    await upload('first@worst.test\n')
    for (const [text, bad] of [
      ['a"'.repeat(30_000), 1],
      ['a"'.repeat(2_000_000), 1],
      ['"'.repeat(4_000_000), 1],
      [','.repeat(4_000_000), 1],
      ['\0'.repeat(4_000_000), 1],
      ['\n'.repeat(1_000_000), 0],
      ['\r'.repeat(1_000_000), 0],
    ] as const) {
      const { counts, worked } = await upload(text)
      assert.deepEqual(counts, [0, 0, bad], JSON.stringify(text.slice(0, 4)))
      // Its client runs in this thread too. csv-parse took 24 s for the first of them.
      assert.ok(worked < 1_000, `${JSON.stringify(text.slice(0, 4))}: ${worked} ms`)
    }
    const lines = Array.from({ length: 200 }, (_, at) => `six${at}@worst.test`)
    lines[5] = '"x@example.com" y'
    assert.deepEqual((await upload(lines.join('\n'))).counts, [199, 0, 1])
  })

  test('a file that is not a list is not read to its end', async () => {
    const form = new FormData()
    form.append('file', new Blob([`address\ngood@nolist.test\n${'none\n'.repeat(100_000)}`]), 'none.csv')
    const reply = await call(`${service.url}/v3/list.test/bounces/import`, {
      method: 'POST',
      headers: { authorization: basic(api.token) },
      body: form,
    })
    assertFormError(
      reply,
      400,
      /^1\d{4} of the lines up to line 1\d{4}, which is most of them, are invalid; the first is line 3/,
    )
  })

  test('the allow list holds addresses and domains', async () => {
    const made = await mg.suppressions.create('list.test', 'whitelists', {
      domain: 'kept.test',
      reason: 'ours',
    } as object as { address: string })
    assert.equal(made.message, 'Address/Domain has been added to the whitelists table')
    assert.equal(made.value, 'kept.test')
    await mg.suppressions.create('list.test', 'whitelists', { address: 'kept@x.test' })
    const { items } = await mg.suppressions.list('list.test', 'whitelists')
    assert.deepEqual(
      items.map((item) => (item as { value: string }).value),
      ['kept.test', 'kept@x.test'],
    )
    const shown = (await ask('whitelists/kept.test')).body
    assert.deepEqual([shown.type, shown.reason], ['domain', 'ours'])
    const gone = await mg.suppressions.destroy('list.test', 'whitelists', 'kept.test')
    assert.equal(gone.value, 'kept.test')
    const csv = 'address,domain,reason\nmore@x.test,,ours\n,more.test,\n,no domain,\n'
    const { message } = await mg.suppressions.upload('list.test', 'whitelists' as 'bounces', csv)
    assert.equal(message, 'file uploaded successfully')
    const { items: all } = (await ask('whitelists')).body as { items: { value: string }[] }
    assert.deepEqual(
      all.map(({ value }) => value),
      ['kept@x.test', 'more.test', 'more@x.test'],
    )
    await mg.suppressions.destroyAll('list.test', 'whitelists')
    assert.deepEqual((await ask('whitelists')).body.items, [])
  })

  test('mail to a suppressed address fails with the code of its list, and is sent again after the removal', async () => {
    const lists = [
      ['bounces', 605, 'suppress-bounce'],
      ['unsubscribes', 606, 'suppress-unsubscribe'],
      ['complaints', 607, 'suppress-complaint'],
    ] as const
    for (const [list] of lists) {
      await ask(list, { method: 'POST', body: new URLSearchParams({ address: `${list}@codes.test` }) })
    }
    const to = lists.map(([list]): [string, string] => ['to', `${list}@codes.test`])
    const sent = await api.form('list.test', [['from', 'me@list.test'], ['text', 'x'], ...to])
    assert.equal(sent.status, 200, sent.text)
    const { items } = (await ask('events?event=failed&recipient=NOT+x&ascending=yes')).body as {
      items: { recipient: string; reason: string; severity: string; 'delivery-status': { code: number } }[]
    }
    for (const [list, code, reason] of lists) {
      const failed = items.find(({ recipient }) => recipient === `${list}@codes.test`)
      assert.ok(failed, list)
      assert.deepEqual(
        [failed['delivery-status'].code, failed.reason, failed.severity],
        [code, reason, 'permanent'],
      )
    }
    const old = oldClient(service.url, key, 'list.test')
    await old.delete('/list.test/bounces/bounces@codes.test')
    const again = await api.form('list.test', [
      ['from', 'me@list.test'],
      ['text', 'x'],
      ['to', 'bounces@codes.test'],
    ])
    assert.equal(again.status, 200)
    await until(async () => {
      const { body } = await ask('events?event=delivered&recipient=bounces@codes.test')
      return (body.items as unknown[]).length === 1
    }, 'mail to an address that is off the list')
  })
})
