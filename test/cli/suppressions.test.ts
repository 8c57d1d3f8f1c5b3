import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { NO_LIMITS } from '../../src/accounts/account.ts'
import { newWorkplaceOnEngine, type Workplace } from './postroad.ts'

interface Listed {
  address: string
  type: string
  tags: string[] | null
  reason: string
  code: number | null
  created_at: string
}

interface Report {
  added: number
  present: number
  bad: number
  bad_lines: { line: number; why: string }[]
}

describe('lists of suppressions', () => {
  let place: Workplace
  before(async () => {
    place = await newWorkplaceOnEngine()
    for (const name of ['Acme', 'Other']) await place.json('company', 'create', name)
  })
  after(() => place.remove())

  const listed = async (company: string): Promise<string[]> => {
    const list = await place.json<Listed[]>('suppression', 'list', '--company', company)
    return list.map(({ address, type }) => `${address} ${type}`).sort()
  }

  test('are imported from the files of other services, and bad lines are reported', async () => {
    const file = join(place.folder, 'bounces.csv')
    writeFileSync(
      file,
      '\ufeffEmail Address;Error Code;Error;Created-At;Source\r\n' +
        'Jane@x.test;550;"5.1.1 no such user; ""jane""";Fri, 21 Oct 2011 11:02:55 UTC;api\r\n' +
        'nobody;550;;;\r\n' +
        '\r\n' +
        'joe@x.test;abc;;;\r\n' +
        'jim@x.test;;;1700000000;\r\n' +
        '=cmd@x.test;;+1;yesterday;\r\n' +
        '"broken@x.test;;;\r\n',
    )
    const run = await place.run(
      'suppression',
      'import',
      file,
      '--company',
      'Acme',
      '--type',
      'bounce',
      '--json',
    )
    const report = JSON.parse(run.stdout) as Report
    assert.equal(run.code, 1)
    assert.deepEqual([report.added, report.present, report.bad], [2, 0, 4], run.stdout)
    assert.deepEqual(
      report.bad_lines.map(({ line }) => line),
      [3, 5, 7, 8],
    )
    assert.match(report.bad_lines[0]!.why, /nobody/)
    assert.match(report.bad_lines[1]!.why, /code "abc"/)
    assert.match(report.bad_lines[2]!.why, /time "yesterday"/)
    assert.match(report.bad_lines[3]!.why, /quotation mark/)
    const [jim, jane] = await place.json<Listed[]>('suppression', 'list', '--company', 'Acme')
    assert.deepEqual([jim?.address, jim?.created_at], ['jim@x.test', '2023-11-14T22:13:20.000Z'])
    assert.deepEqual(
      [jane?.address, jane?.type, jane?.code, jane?.reason, jane?.created_at],
      ['Jane@x.test', 'bounce', 550, '5.1.1 no such user; "jane"', '2011-10-21T11:02:55.000Z'],
    )
    const again = await place.run('suppression', 'import', file, '--company', 'Acme', '--type', 'bounce')
    assert.match(again.stdout, /^Added 0; 2 were already on the list; 4 are invalid\./)
    assert.match(again.stderr, /^line 3: /m)
  })

  test('may be one address a line', async () => {
    const file = join(place.folder, 'plain.txt')
    writeFileSync(file, 'a@plain.test\nb@plain.test\n')
    const report = await place.json<Report>('suppression', 'import', file, '--company', 'Other')
    assert.deepEqual(report, { added: 2, present: 0, bad: 0, bad_lines: [] })
    assert.deepEqual(await listed('Other'), ['a@plain.test manual', 'b@plain.test manual'])
    const missing = await place.run(
      'suppression',
      'import',
      join(place.folder, 'no.csv'),
      '--company',
      'Other',
    )
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /^postroad: .*no\.csv cannot be read: there is no such file\n$/)
  })

  test('name tags and times in the ways that other services have', async () => {
    await place.json('company', 'create', 'Ways')
    const file = join(place.folder, 'ways.csv')
    const rows = [
      ['1@w.test', 'a|b c', '2023-11-14 22:13:20'],
      ['2@w.test', 'a,b', '1700000000.5'],
      ['3@w.test', '["*"]', '1700000000000'],
      ['4@w.test', '', 'Tue, 14 Nov 2023 22:13:20 +0000'],
    ]
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    writeFileSync(file, `email,tags,date\n${rows.map((row) => row.map(cell).join()).join('\n')}\n`)
    await place.json('suppression', 'import', file, '--company', 'Ways', '--type', 'unsubscribe')
    const list = await place.json<Listed[]>('suppression', 'list', '--company', 'Ways')
    const shown = list.map(({ address, tags, created_at: at }) => [address, tags, Date.parse(at) - 1.7e12])
    assert.deepEqual(shown.sort(), [
      ['1@w.test', ['a', 'b c'], 0],
      ['2@w.test', ['a', 'b'], 500],
      ['3@w.test', null, 0],
      ['4@w.test', null, 0],
    ])
  })

  test('are imported beyond an unclosed quotation mark, and its line is reported', async () => {
    await place.json('company', 'create', 'Quoted')
    const file = join(place.folder, 'quoted.csv')
    const line = (index: number) =>
      index > 650 && index < 700 ? 'nobody,gone' : `${index === 700 ? '"' : ''}q${index}@x.test,gone`
    for (const count of [702, 9_000]) {
      writeFileSync(file, ['email,reason', ...Array.from({ length: count }, (_, at) => line(at))].join('\n'))
      const { code, stderr } = await place.run('suppression', 'import', file, '--company', 'Quoted')
      assert.equal(code, 1)
      assert.match(stderr, /^line 653: /m)
      const { stdout } = await place.run('suppression', 'export', '--company', 'Quoted')
      assert.equal(stdout.trim().split('\n').length, 1 + count - 50)
    }
    const folder = await place.run('suppression', 'import', place.folder, '--company', 'Quoted')
    assert.match(folder.stderr, /^postroad: .+ cannot be read: /m)
  })

  test('come back as they were written, whatever is in them', async () => {
    for (const name of ['From', 'To']) await place.json('company', 'create', name)
    const add = (...args: string[]) => place.json('suppression', 'add', ...args, '--company', 'From')
    await add('=1+1@x.test', '--reason', '=HYPERLINK("http://x.test")')
    await add("'-x@x.test", '--type', 'complaint', '--reason', 'one, two\nthree; "four"')
    await add('u@x.test', '--type', 'unsubscribe', '--tag', 'news', '--tag', 'a:b, "c" | d')
    await add('u@x.test', '--type', 'unsubscribe', '--tag', 'more')
    await add('u@x.test', '--type', 'bounce')
    const { stdout } = await place.run('suppression', 'export', '--company', 'From')
    assert.match(stdout, /^address,type,tags,reason,code,created_at,sending_domain\n/)
    for (const line of stdout.split('\n')) assert.doesNotMatch(line, /^[=+@-]|,[=+@-]/, 'no formulas')
    const file = join(place.folder, 'exported.csv')
    writeFileSync(file, stdout)
    const report = await place.json<Report>('suppression', 'import', file, '--company', 'To')
    assert.deepEqual(report, { added: 4, present: 0, bad: 0, bad_lines: [] })
    const all = async (company: string) => {
      const list = await place.json<Record<string, unknown>[]>('suppression', 'list', '--company', company)
      return list.map(({ id, company_id, ...rest }) => JSON.stringify(rest)).sort()
    }
    assert.deepEqual(await all('To'), await all('From'))
    const lines = await place.run('suppression', 'export', '--company', 'From', '--type', 'bounce', '--json')
    assert.deepEqual(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Listed).address),
      ['u@x.test'],
    )
  })

  test('an unsubscription stops mail from its domain; a bounce or a complaint stops mail from every domain', async () => {
    await place.json('company', 'create', 'Two')
    for (const name of ['a.test', 'b.test']) await place.json('domain', 'add', name, '--company', 'Two')
    const two = ['--company', 'Two']
    const add = (...args: string[]) => place.run('suppression', 'add', 'u@x.test', ...two, ...args)
    const from = (name: string) => ['--domain', name]
    const type = (name: string) => ['--type', name]
    assert.match(
      (await add(...from('a.test'), ...type('unsubscribe'))).stdout,
      /^Two no longer sends from a\.test to u@x\.test\.$/m,
    )
    assert.match((await add(...from('b.test'), ...type('unsubscribe'))).stdout, /from b\.test/)
    assert.match(
      (await add(...from('b.test'), ...type('bounce'))).stdout,
      /^Two no longer sends to u@x\.test\.$/m,
    )
    assert.match((await add(...from('b.test'), ...type('bounce'))).stderr, /is already on/)
    assert.match((await add(...from('acme.example'))).stderr, /there is no sending domain "acme\.example"/)

    const scopes = async (...args: string[]) => {
      const list = await place.json<Record<string, string>[]>('suppression', 'list', ...args)
      return list.map(({ type, domain, scope }) => `${type} ${domain} ${scope}`).sort()
    }
    const all = ['bounce b.test company', 'unsubscribe a.test domain', 'unsubscribe b.test domain']
    assert.deepEqual(await scopes(...two), all)
    assert.deepEqual(await scopes(...from('b.test')), [all[0], all[2]])
    const table = (await place.run('suppression', 'list', ...from('b.test'))).stdout
    assert.match(table, /u@x\.test +Two +\S+ \S+ +unsubscribe +b\.test /)
    assert.match(table, /u@x\.test +Two +\S+ \S+ +bounce +all domains /)

    const { stdout } = await place.run('suppression', 'export', ...two)
    const file = join(place.folder, 'two.csv')
    writeFileSync(file, `${stdout}new@x.test,unsubscribe,,,,,gone.test\n`)
    const removed = await place.run('suppression', 'remove', 'u@x.test', ...two, ...from('b.test'))
    assert.match(removed.stdout, /is still on the list as unsubscribe for a\.test\.$/m)
    await place.run('suppression', 'remove', 'u@x.test', ...two)
    assert.equal((await place.json<Report>('suppression', 'import', file, ...two)).added, 4)
    assert.deepEqual(await scopes(...two), [...all, 'unsubscribe null company'].sort())
    await place.json('suppression', 'import', file, ...two, ...from('a.test'))
    assert.equal((await scopes(...from('a.test'))).length, 3)
  })

  test('are changed by type and tag', async () => {
    const text = await place.run('suppression', 'list', '--company', 'From', '--address', 'u@x.test')
    assert.match(text.stdout, /u@x\.test +From +\S+ \S+ +unsubscribe \(news, a:b, "c" \| d, more\)/)
    const left = await place.run('suppression', 'remove', 'u@x.test', '--company', 'From', '--type', 'bounce')
    assert.match(left.stdout, /^Removed\. u@x\.test is still on the list as unsubscribe/)
    const twice = await place.run('suppression', 'add', '=1+1@x.test', '--company', 'From')
    assert.equal(twice.code, 1)
    assert.match(twice.stderr, /is already on the suppression list of From/)
    const wrong = await place.run('suppression', 'add', 'z@x.test', '--company', 'From', '--tag', 'x')
    assert.match(wrong.stderr, /tags are only possible for an unsubscription/)
    const unknown = await place.run('suppression', 'add', 'z@x.test', '--company', 'From', '--type', 'spam')
    assert.equal(unknown.code, 2)
  })

  test('know addresses and domains that bounces do not put there', async () => {
    const allow = (...args: string[]) => place.run('suppression', ...args, '--company', 'Acme')
    assert.match((await allow('allow', 'Partner.test', '--reason', 'ours')).stdout, /no longer suppress/)
    assert.match((await allow('allow', 'partner.test')).stdout, /is already on the allow list/)
    assert.match((await allow('allowed')).stdout, /^partner\.test +domain +\S+ \S+ +ours$/m)
    assert.match((await allow('allow', 'not a domain')).stderr, /^postroad: /)
    assert.match((await allow('disallow', 'partner.test')).stdout, /again/)
    assert.match((await allow('disallow', 'partner.test')).stderr, /is not on the allow list/)
  })
})

describe('limits of a company', () => {
  let place: Workplace
  before(async () => {
    place = await newWorkplaceOnEngine()
    await place.json('company', 'create', 'Acme')
  })
  after(() => place.remove())

  test('are set one by one, shown, and ended', async () => {
    type Shown = { limits: object; used: object }
    await place.json('company', 'limit', 'Acme', '--daily', '100', '--rate', '20')
    const second = await place.json<Shown>('company', 'limit', 'Acme', '--monthly', '2000', '--rate', 'none')
    assert.deepEqual(second.limits, { ...NO_LIMITS, daily: 100, monthly: 2000 })
    const shown = await place.json<Shown>('company', 'show', 'Acme')
    assert.deepEqual(shown.limits, second.limits)
    assert.deepEqual(shown.used, { daily: 0, monthly: 0 })
    const { stdout } = await place.run('company', 'show', 'Acme')
    assert.match(stdout, /^Daily quota: +100 recipients \(0 so far\)$/m)
    assert.match(stdout, /^Rate: +none$/m)
    for (const wrong of [['--daily', '0'], ['--daily', '1.5'], ['--rate', 'x'], []]) {
      assert.equal((await place.run('company', 'limit', 'Acme', ...wrong)).code, 2, wrong.join(' '))
    }
  })
})
