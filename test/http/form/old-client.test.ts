/** mailgun-js, the client before today's: every method of it that concerns sending, called once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api } from '../requests.ts'
import { oldClient } from './clients.ts'

type Answer = Record<string, unknown>
/** A path as this client spells it: `domains('a.test').tracking().open().update({...})`. */
type Step = (value?: unknown) => Promise<Answer> & Path
interface Path extends Record<string, Step> {}

const D = 'old.test'
const isOne = (items: unknown) => (items as unknown[]).length === 1

describe('mailgun-js', () => {
  let service: Service
  let mg: Path
  let key: string

  before(async () => {
    service = await startService()
    const { company } = await service.tenant(D)
    key = (await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })).token
    const client = oldClient(service.url, key, D)
    mg = client as object as Path
    await new Api(service.url, key).form(D, [
      ['from', `me@${D}`],
      ['to', 'a@x.test'],
      ['text', 'x'],
      ['o:tag', 'spring'],
    ])
    await until(async () => isOne((await client.get(`/${D}/tags`)).items), 'the count of the tag')
  })
  after(() => service.close())

  const calls: [name: string, call: () => Promise<Answer>, told: Answer | ((answer: Answer) => unknown)][] = [
    [
      'domains().create()',
      () => mg.domains!().create!({ name: 'more.test', smtp_password: 'x' }),
      ({ domain }) => (domain as Answer).name === 'more.test',
    ],
    ['domains().list()', () => mg.domains!().list!(), ({ total_count }) => total_count === 2],
    [
      'domains(d).info()',
      () => mg.domains!('more.test').info!(),
      ({ sending_dns_records }) => (sending_dns_records as unknown[]).length > 0,
    ],
    [
      'domains(d).verify()',
      () => mg.domains!('more.test').verify!().verify!(),
      { message: 'Domain DNS records have been updated' },
    ],
    ['domains(d).delete()', () => mg.domains!('more.test').delete!(), { message: 'Domain has been deleted' }],
    [
      'tracking().open().update()',
      () => mg.domains!(D).tracking!().open!().update!({ active: true }),
      { message: 'Domain tracking settings have been updated' },
    ],
    [
      'tracking().click().update()',
      () => mg.domains!(D).tracking!().click!().update!({ active: 'htmlonly' }),
      { message: 'Domain tracking settings have been updated' },
    ],
    [
      'tracking().unsubscribe().update()',
      () => mg.domains!(D).tracking!().unsubscribe!().update!({ active: false, text_footer: 'Bye' }),
      { message: 'Domain tracking settings have been updated' },
    ],
    [
      'tracking().info()',
      () => mg.domains!(D).tracking!().info!(),
      ({ tracking }) => {
        const { open, click, unsubscribe } = tracking as Record<string, Answer>
        assert.deepEqual([open!.active, click!.active], [true, 'htmlonly'])
        return unsubscribe!.text_footer === 'Bye'
      },
    ],
    ['tags().list()', () => mg.tags!().list!(), ({ items }) => (items as Answer[])[0]!.tag === 'spring'],
    ['tags(t).info()', () => mg.tags!('spring').info!(), ({ tag }) => tag === 'spring'],
    [
      'tags(t).stats().info()',
      () => mg.tags!('spring').stats!().info!({ event: ['accepted'] }),
      ({ stats }) => {
        const totals = (stats as { accepted: { total: number } }[]).map(({ accepted }) => accepted.total)
        return totals.reduce((sum, each) => sum + each, 0) === 1
      },
    ],
    ['tags(t).delete()', () => mg.tags!('spring').delete!(), { message: 'Tag deleted' }],
    ['events().get()', () => mg.events!().get!({ event: 'accepted' }), ({ items }) => isOne(items)],
    [
      'bounces().create()',
      () => mg.bounces!().create!({ address: 'b@x.test', code: 550 }),
      {
        message: 'Address has been added to the bounces table',
      },
    ],
    ['bounces().list()', () => mg.bounces!().list!(), ({ items }) => isOne(items)],
    ['bounces(a).info()', () => mg.bounces!('b@x.test').info!(), ({ code }) => code === '550'],
    [
      'bounces(a).delete()',
      () => mg.bounces!('b@x.test').delete!(),
      { message: 'Bounced address has been removed' },
    ],
    [
      'unsubscribes().create()',
      () => mg.unsubscribes!().create!({ address: 'u@x.test', tag: '*' }),
      {
        message: 'Address has been added to the unsubscribes table',
      },
    ],
    ['unsubscribes().list()', () => mg.unsubscribes!().list!(), ({ items }) => isOne(items)],
    [
      'unsubscribes(a).info()',
      () => mg.unsubscribes!('u@x.test').info!(),
      ({ address }) => address === 'u@x.test',
    ],
    [
      'unsubscribes(a).delete()',
      () => mg.unsubscribes!('u@x.test').delete!(),
      {
        message: 'Unsubscribe event has been removed',
      },
    ],
    [
      'complaints().create()',
      () => mg.complaints!().create!({ address: 'c@x.test' }),
      {
        message: 'Address has been added to the complaints table',
      },
    ],
    ['complaints().list()', () => mg.complaints!().list!(), ({ items }) => isOne(items)],
    [
      'complaints(a).info()',
      () => mg.complaints!('c@x.test').info!(),
      ({ address }) => address === 'c@x.test',
    ],
    [
      'complaints(a).delete()',
      () => mg.complaints!('c@x.test').delete!(),
      {
        message: 'Spam complaint has been removed',
      },
    ],
    [
      'credentials().list()',
      () => mg.domains!(D).credentials!().list!(),
      ({ total_count }) => total_count === 0,
    ],
  ]
  for (const [name, call, told] of calls) {
    test(name, async () => {
      const answer = await call()
      if (typeof told === 'function') assert.ok(told(answer), JSON.stringify(answer))
      else assert.deepEqual({ ...answer, ...told }, answer)
    })
  }

  test('DKIM keys, by paths for which it has no methods', async () => {
    const client = oldClient(service.url, key, D)
    // It asks below /v3 alone.
    const renamed = await client.put(`/domains/${D}/dkim_selector?dkim_selector=fresh`)
    assert.equal(renamed.message, 'Domain DKIM selector updated')
    const { sending_dns_records: records } = await client.get(`/domains/${D}`)
    assert.match((records as { name: string }[])[0]!.name, /^fresh\._domainkey\./)
    const authority = await client.put(`/domains/${D}/dkim_authority?self=true`)
    assert.equal(authority.changed, false)
  })

  test('a login accepts a chosen password, and the refusal of a short one gives the reason', async () => {
    const credentials = () => mg.domains!(D).credentials!()
    const made = await credentials().create!({ login: 'bob', password: 'plover-harvest-7' })
    assert.equal(made.message, 'Created 1 credentials pair(s)')
    const short = credentials().create!({ login: 'ann', password: 'secret1' })
    await assert.rejects(short, { statusCode: 400, message: /at least 10 characters/ })
  })
})
