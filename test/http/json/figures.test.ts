/** `GET /emails/metrics` and `GET /usage`: figures in the JSON dialect. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type GetEmailsMetricsOptions, Resend } from 'resend'
import type { Company, SendingDomain } from '../../../src/accounts/account.ts'
import { type Service, startService } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { Api, assertJsonError } from '../requests.ts'

describe('figures of the JSON dialect', () => {
  let service: Service
  let company: Company
  let first: SendingDomain
  let second: SendingDomain
  let resend: Resend
  let api: Api

  before(async () => {
    service = await startService()
    ;({ company, domain: first } = await service.tenant('first.test'))
    second = await service.domain(company.id, 'second.test')
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading'] })
    api = new Api(service.url, token)
    resend = new Resend(token, { baseUrl: service.url })
    await api.accepted({ from: 'a@first.test', to: ['a@x.test', 'b@x.test'], text: 't' })
    await api.accepted({ from: 'a@first.test', to: 'bounced@simulator.test', text: 't' })
    await api.accepted({ from: 'a@second.test', to: 'a@y.test', text: 't' })
    // Counts follow the log.
    await until(async () => {
      const { delivered, bounced } = (await metrics()).totals
      return delivered === 3 && bounced === 1
    }, 'the counts of what was sent')
  })
  after(() => service.close())

  async function metrics(options: GetEmailsMetricsOptions = {}) {
    const { data, error } = await resend.emails.metrics(options)
    assert.ok(data, JSON.stringify(error))
    return data
  }

  test('totals of the last seven days, of all metrics', async () => {
    const { totals, data, ...others } = await metrics()
    assert.equal(data, undefined)
    assert.deepEqual([others.object, others.dimensions, others.granularity], ['metrics', [], 'daily'])
    const span = Date.parse(others.end_date) - Date.parse(others.start_date)
    assert.ok(span > 6 * 86_400_000 && span <= 7 * 86_400_000)
    assert.deepEqual(Object.keys(totals).toSorted(), others.metrics.toSorted())
    assert.equal(others.metrics.length, 22)
    const expected = { sent: 4, delivered: 3, bounced: 1, bounced_permanent: 1, opened: 0, received: 0 }
    for (const [name, value] of Object.entries({ ...expected, delivery_rate: 0.75, bounce_rate: 0.25 })) {
      assert.equal(totals[name as keyof typeof totals], value, name)
    }
  })

  test('by period and domain, of some metrics', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const byDomain = await metrics({ metrics: ['sent', 'delivered'], dimensions: ['period', 'domain'] })
    assert.deepEqual(byDomain.totals, { sent: 4, delivered: 3 })
    const rows = byDomain.data!.toSorted((a, b) => a.domain_name!.localeCompare(b.domain_name!))
    assert.deepEqual(rows, [
      { period: day, domain_id: first.id, domain_name: 'first.test', sent: 3, delivered: 2 },
      { period: day, domain_id: second.id, domain_name: 'second.test', sent: 1, delivered: 1 },
    ])
    const byPeriod = await metrics({ metrics: ['sent'], dimensions: ['period'] })
    assert.equal(byPeriod.data!.length, 7)
    assert.deepEqual(byPeriod.data!.at(-1), { period: day, sent: 4 })
    assert.deepEqual(byPeriod.data![0]!.sent, 0)
    for (const [granularity, form] of [
      ['hourly', /^\d{4}-\d\d-\d\dT\d\d:00:00$/],
      ['weekly', /^\d{4}-\d\d-\d\d$/],
      ['monthly', /^\d{4}-\d\d-01$/],
    ] as const) {
      const { data } = await metrics({ metrics: ['sent'], dimensions: ['period'], granularity })
      assert.equal(
        data!.reduce((sum, { sent }) => sum + sent!, 0),
        4,
        granularity,
      )
      for (const { period } of data!) assert.match(period!, form)
    }
  })

  test('of some domains only', async () => {
    const options = { metrics: ['sent'] as ['sent'] }
    assert.deepEqual((await metrics({ ...options, domainId: [second.id] })).totals, { sent: 1 })
    const both = await metrics({ ...options, domainId: [first.id, second.id], dimensions: ['domain'] })
    assert.deepEqual([both.totals.sent, both.data!.length], [4, 2])
  })

  test('periods follow a time zone', async () => {
    for (const [timezone, hours] of [
      ['Asia/Tokyo', 9],
      ['America/Phoenix', -7],
    ] as const) {
      const { data } = await metrics({ metrics: ['sent'], dimensions: ['period'], timezone })
      const { period } = data!.find(({ sent }) => sent === 4)!
      const there = [0, 60_000].map((before) => new Date(Date.now() + hours * 3_600_000 - before))
      assert.ok(
        there.some((at) => at.toISOString().startsWith(period!)),
        `${timezone}: ${period}`,
      )
      assert.equal(data!.length, 7)
    }
    const [from, to] = ['2026-03-28', '2026-03-29']
    const spring = await metrics({
      ...{ dimensions: ['period'], metrics: ['sent'], granularity: 'hourly', timezone: 'Europe/Berlin' },
      ...{ startDate: from, endDate: to },
    })
    // Two days of which one has 23 hours.
    assert.equal(spring.data!.length, 47)
    assert.deepEqual(
      [spring.start_date, spring.end_date],
      ['2026-03-27T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    )
  })

  test('the error of an invalid query names the field', async () => {
    for (const [query, message] of [
      ['granularity=yearly', /granularity/],
      ['timezone=Mars/Olympus', /timezone.*zone/],
      ['start_date=soon', /start_date.*ISO 8601/],
      ['start_date=2026-11-03&end_date=2026-11-01', /start_date.*after the end/],
      ['start_date=2016-01-01', /start_date.*three years/],
      ['start_date=2026-01-01&granularity=hourly', /start_date.*100 days/],
      ['metrics=joy', /metrics.*delivered/],
      ['dimensions=planet', /dimensions.*period, domain/],
      ['dimensions=__proto__', /dimensions.*period, domain/],
      ['dimensions=email', /dimensions.*GET \/emails\/\{id\}/],
      ['dimensions=period,broadcast', /dimensions.*no broadcasts/],
      ['email_id=x', /email_id/],
      ['broadcast_id=x', /broadcast_id.*no broadcasts/],
    ] as const) {
      assertJsonError(await api.get(`/emails/metrics?${query}`), 422, 'validation_error', message)
    }
  })

  test('a key for one domain sees its figures, and no usage', async () => {
    const { token } = await service.key(company.id, { scopes: ['reading'], domainId: second.id })
    const own = new Api(service.url, token)
    const totals = async (query: string) =>
      (await own.get(`/emails/metrics?metrics=sent${query}`)).body.totals
    assert.deepEqual(await totals(''), { sent: 1 })
    assert.deepEqual(await totals(`&domain_id=${second.id}`), { sent: 1 })
    const sister = await own.get(`/emails/metrics?domain_id=${first.id}`)
    assertJsonError(sister, 404, 'not_found')
    const unknown = '0198f0c0-0000-7000-8000-000000000000'
    const nobodys = await own.get(`/emails/metrics?domain_id=${unknown}`)
    assert.equal(sister.text, nobodys.text.replace(unknown, first.id))
    const rows = (await own.get('/emails/metrics?dimensions=domain')).body.data as { domain_id: string }[]
    assert.deepEqual(
      rows.map(({ domain_id: id }) => id),
      [second.id],
    )
    assertJsonError(await own.get('/usage'), 403, 'restricted_api_key', /one domain only/)
  })

  test('another company has figures of its own', async () => {
    const other = await service.tenant('other.test')
    const { token } = await service.key(other.company.id, { scopes: ['reading', 'sending'] })
    const theirs = new Resend(token, { baseUrl: service.url })
    assert.equal((await theirs.emails.metrics()).data?.totals.sent, 0)
    assert.equal((await theirs.emails.metrics({ domainId: [first.id] })).error?.name, 'not_found')
    assert.equal((await theirs.usage.get()).data?.emails.monthly.used, 0)
    const { token: sending } = await service.key(company.id, { scopes: ['sending'] })
    for (const path of ['/usage', '/emails/metrics']) {
      const refused = await new Api(service.url, sending).get(path)
      assertJsonError(refused, 403, 'restricted_api_key', /reading/)
    }
  })

  test('usage: the emails accepted today and this month, and the limits', async () => {
    const { data, error } = await resend.usage.get()
    assert.ok(data, JSON.stringify(error))
    const { daily, monthly } = data.emails
    assert.deepEqual(
      [daily.used, daily.sent, daily.received, daily.limit, monthly.used, monthly.limit],
      [4, 4, 0, null, 4, null],
    )
    assert.ok(Date.parse(daily.resets_at) > Date.now())
    assert.ok(Date.parse(monthly.resets_at) >= Date.parse(daily.resets_at))
    assert.deepEqual(data.domains, { used: 2, limit: 1_000 })
    assert.equal(data.rate_limit.duration, '1s')
    assert.deepEqual(data.contacts, { used: 0, limit: null })

    // A quota counts from the time it is set.
    const limits = { daily: 100, monthly: 1_000, domains: 5, rate: 50 }
    await service.store.updateCompany(company.id, { limits })
    await service.app.refreshAccounts()
    await api.accepted({ from: 'a@first.test', to: ['a@x.test', 'b@x.test'], text: 't' })
    const limited = (await resend.usage.get()).data!
    assert.deepEqual([limited.emails.daily.used, limited.emails.daily.limit], [2, 100])
    assert.deepEqual([limited.emails.monthly.used, limited.emails.monthly.limit], [2, 1_000])
    assert.deepEqual([limited.domains.limit, limited.rate_limit.limit], [5, 50])
  })
})
