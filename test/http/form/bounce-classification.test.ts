/** The reasons for refused and late mail, as the form dialect counts them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import {
  type FigureNames,
  failuresIn,
  figureItems,
} from '../../../src/http/form/analytics/failure-figures.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'

const METRICS = '/v2/bounce-classification/metrics'

interface Item {
  metrics: Record<string, number | null>
  [dimension: string]: unknown
}

describe('bounce classification', () => {
  let service: Service
  let company: Company
  let key: string

  before(async () => {
    service = await startService()
    const tenant = await service.tenant('one.test')
    company = tenant.company
    await service.domain(company.id, 'two.test')
    const foreign = await service.tenant('foreign.test')
    key = (await service.key(company.id, { scopes: ['sending', 'reading'] })).token
    for (const [token, domain, to] of [
      [key, 'one.test', 'bounced+1@simulator.test'],
      [key, 'one.test', 'bounced+2@simulator.test'],
      [key, 'one.test', 'delivered@simulator.test'],
      [key, 'two.test', 'bounced+3@simulator.test'],
      [foreign.key.token, 'foreign.test', 'bounced+4@simulator.test'],
    ] as const) {
      const api = new Api(service.url, token)
      const sent = await api.form(domain, [
        ['from', `me@${domain}`],
        ['to', to],
        ['text', 'x'],
        ['subject', 'x'],
      ])
      assert.equal(sent.status, 200, sent.text)
    }
    // Counts follow the log.
    await until(async () => {
      const [all] = itemsOf(await ask({ dimensions: ['account.name'] }))
      return all?.metrics.classified_failures_count === 3 && all.metrics.delivered_smtp_count === 1
    }, 'the counts of what bounced and was delivered')
  })
  after(() => service.close())

  const ask = (body: object, token = key): Promise<Reply> =>
    call(`${service.url}${METRICS}`, {
      method: 'POST',
      headers: { authorization: basic(token), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const itemsOf = ({ body, text }: Reply): Item[] => {
    assert.ok(Array.isArray(body.items), text)
    return body.items as Item[]
  }
  const counted = (items: Item[], dimension: string) =>
    items.map((item) => [item[dimension], item.metrics.classified_failures_count])

  test('as the Python client requests it: an item for each provider and domain', async () => {
    const now = Date.now()
    const date = (at: number) => new Date(at).toUTCString().replace('GMT', 'UTC')
    const names = [
      ...['critical_bounce_count', 'non_critical_bounce_count', 'critical_delay_count'],
      ...['non_critical_delay_count', 'delivered_smtp_count', 'classified_failures_count'],
      ...['critical_bounce_rate', 'non_critical_bounce_rate'],
      ...['critical_delay_rate', 'non_critical_delay_rate'],
    ]
    const reply = await ask({
      start: date(now - 86_400_000),
      end: date(now),
      resolution: 'day',
      duration: '24h0m0s',
      dimensions: ['entity-name', 'domain.name'],
      metrics: names,
      filter: { AND: [{ attribute: 'domain.name', comparator: '=', values: [{ value: 'one.test' }] }] },
      include_subaccounts: true,
      pagination: { sort: 'entity-name:asc', limit: 10 },
    })
    assert.equal(reply.status, 200, reply.text)
    const { body } = reply
    assert.deepEqual([body.resolution, body.duration], ['day', '24h0m0s'])
    assert.deepEqual(body.dimensions, ['entity-name', 'domain.name'])
    assert.deepEqual(body.pagination, { sort: 'entity-name:asc', skip: 0, limit: 10, total: 1 })
    const counts = { critical_bounce_count: 0, non_critical_bounce_count: 2, critical_delay_count: 0 }
    assert.deepEqual(body.items, [
      {
        'entity-name': 'Others',
        'domain.name': 'one.test',
        metrics: {
          ...counts,
          ...{ non_critical_delay_count: 0, delivered_smtp_count: null, classified_failures_count: 2 },
          ...{ critical_bounce_rate: null, non_critical_bounce_rate: null },
          ...{ critical_delay_rate: null, non_critical_delay_rate: null },
        },
      },
    ])
  })

  test('by domain, with the deliveries and in pages', async () => {
    const items = itemsOf(await ask({ dimensions: ['domain.name'] }))
    assert.deepEqual(counted(items, 'domain.name'), [
      ['one.test', 2],
      ['two.test', 1],
    ])
    const [one, two] = items.map(({ metrics }) => metrics)
    assert.deepEqual([one!.delivered_smtp_count, one!.non_critical_bounce_rate], [1, 2])
    assert.deepEqual([two!.delivered_smtp_count, two!.non_critical_bounce_rate], [0, null])
    const page = await ask({ dimensions: ['domain.name'], pagination: { skip: 1, limit: 1 } })
    assert.deepEqual(counted(itemsOf(page), 'domain.name'), [['two.test', 1]])
    assert.equal((page.body.pagination as { total: number }).total, 2)
  })

  test('by category, severity and time', async () => {
    const dimensions = ['category', 'severity', 'criticality', 'account.name', 'timestamp']
    const [item, ...others] = itemsOf(await ask({ dimensions, resolution: 'hour', duration: '2h' }))
    assert.deepEqual(others, [])
    const { timestamp, metrics, ...values } = item!
    assert.deepEqual(values, {
      category: 'address_unknown',
      severity: 'permanent',
      criticality: 'non-critical',
      'account.name': company.name,
    })
    assert.equal(metrics.classified_failures_count, 3)
    assert.equal(Date.parse(String(timestamp)) % 3_600_000, 0)
  })

  test('filtered by each field of an item', async () => {
    const where = (attribute: string, comparator: string, ...values: string[]) =>
      ask({
        dimensions: ['category'],
        filter: { AND: [{ attribute, comparator, values: values.map((value) => ({ value })) }] },
      })
    assert.equal(itemsOf(await where('category', '=', 'mailbox_full', 'Address_Unknown')).length, 1)
    assert.equal(itemsOf(await where('category', 'contains', 'unknown')).length, 1)
    assert.deepEqual(itemsOf(await where('category', 'not contains', 'unknown')), [])
    assert.deepEqual(itemsOf(await where('severity', '!=', 'permanent')), [])
    assertFormError(await where('domain.name', '=', 'foreign.test'), 404, 'Domain not found: foreign.test')
    assertFormError(await where('group-id', '=', 'x'), 400, /no attribute "group-id"/)
  })

  test('a key for one domain counts that domain, and unknown names are refused', async () => {
    const { domains } = await service.store.accounts()
    const domainId = domains.find(({ name }) => name === 'two.test')!.id
    const { token } = await service.key(company.id, { scopes: ['reading'], domainId })
    const items = itemsOf(await ask({ dimensions: ['domain.name'] }, token))
    assert.deepEqual(counted(items, 'domain.name'), [['two.test', 1]])
    const { token: sending } = await service.key(company.id, { scopes: ['sending'] })
    assert.equal((await ask({}, sending)).status, 403)
    assertFormError(await ask({ dimensions: ['tag'] }), 400, /dimensions/)
    assertFormError(await ask({ metrics: ['joy'] }), 400, /metrics/)
    assertFormError(await ask({ pagination: { sort: 'joy:asc' } }), 400, /pagination.sort/)
  })
})

test('bad reputation, spam and failed authentication are critical; delays are not bounces', () => {
  const names: FigureNames = { account: 'Acme', domain: (id) => `${id}.test` }
  const groups = [
    { start: null, value: 'd1 reputation Gmail', sums: { bounced: 3, delivery_delayed: 4 } },
    { start: null, value: 'd1 content_spam ', sums: { bounced: 1 } },
    { start: null, value: 'd2 mailbox_full Microsoft 365', sums: { failed: 2, delivery_delayed: 5 } },
  ]
  const failures = failuresIn({ groups, total: 3, sums: {} }, names)
  const items = figureItems(failures, ['entity-name', 'severity'], null)
  assert.deepEqual(
    items.map(({ values, figures }) => [
      values['entity-name'],
      values.severity,
      figures.critical_bounce_count,
      figures.non_critical_bounce_count,
      figures.critical_delay_count,
      figures.non_critical_delay_count,
    ]),
    [
      ['Gmail', 'permanent', 3, 0, 0, 0],
      ['Gmail', 'temporary', 0, 0, 4, 0],
      ['Others', 'permanent', 1, 0, 0, 0],
      ['Microsoft 365', 'permanent', 0, 2, 0, 0],
      ['Microsoft 365', 'temporary', 0, 0, 0, 5],
    ],
  )
})
