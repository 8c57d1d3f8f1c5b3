/** The largest figures that a key may request, over the most counts that a company may have. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EVENT_TYPES } from '../../../src/email/event.ts'
import { METRICS, STATS } from '../../../src/http/form/stats/figures.ts'
import { COUNT_SIZES, type DigestCount, EVERY_COMPANY } from '../../../src/store/digest.ts'
import { node } from '../../store/samples.ts'
import { type Service, startService } from '../../support/service.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'

const TYPES = ['accepted', ...EVENT_TYPES]
/** Counts at most that one answer adds up. */
const MAX_COUNTS = 50_000
const TAGS = Math.floor(MAX_COUNTS / TYPES.length)
/** Hours, most that one answer has. */
const STEPS = 2_000
/** Ms of the processor for the request, its client and all else in this process: many times what it takes. */
const MAX_MS = 400
const DAY = COUNT_SIZES.day

describe('the costliest figures', () => {
  let service: Service
  let key: string
  const name = 'costly.test'
  const today = Math.floor(Date.now() / DAY) * DAY

  before(async () => {
    service = await startService()
    const { domain, key: first } = await service.tenant(name)
    key = first.token
    const { store } = service
    // The log has the company's number.
    await new Api(service.url, key).accepted({
      from: `me@${name}`,
      to: 'a@one.test',
      subject: 's',
      text: 'x',
    })
    const { digest: own } = await store.digestAfter(0, 10)
    const of = {
      company: own.counts.find(({ company }) => company !== EVERY_COMPANY)!.company,
      domainId: domain.id,
      n: 3,
    }
    const counts: DigestCount[] = []
    for (const type of TYPES) {
      for (let tag = 0; tag < TAGS; tag++) {
        counts.push({ ...of, size: DAY, dimension: 'tag', start: today, value: `tag${tag}`, type })
      }
      for (let hour = 0; hour < STEPS; hour++) {
        const start = today - hour * COUNT_SIZES.hour
        counts.push({ ...of, size: COUNT_SIZES.hour, dimension: 'all', start, value: '', type })
      }
    }
    const token = await store.join(node('filling'))
    let from = (await store.takeFollower('filling', token, 0))!
    for (let at = 0; at < counts.length; at += 5_000, from++) {
      const digest = { lists: [], spans: [], counts: counts.slice(at, at + 5_000) }
      assert.ok(await store.keepDigest({ name: 'filling', token, from, to: from + 1 }, digest))
    }
  })
  after(() => service.close())

  const ask = (path: string, body?: object): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: basic(key), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  /** The answer, and ms that the processor worked for it in the thread that serves all others. */
  async function measured(path: string, body?: object): Promise<{ reply: Reply; ms: number }> {
    await ask(path, body)
    const before = process.threadCpuUsage()
    const reply = await ask(path, body)
    const { user, system } = process.threadCpuUsage(before)
    return { reply, ms: (user + system) / 1_000 }
  }

  test('every metric of 1,500 tags', async (t) => {
    const pagination = { limit: 1_500 }
    const metrics = Object.keys(METRICS)
    const asked = {
      duration: '1d',
      dimensions: ['tag', 'time'],
      metrics,
      pagination,
      include_aggregates: true,
    }
    const { reply, ms } = await measured('/v1/analytics/metrics', asked)
    t.diagnostic(`${ms.toFixed(0)} ms, ${reply.text.length} octets`)
    const {
      items,
      pagination: page,
      aggregates,
    } = reply.body as {
      items: { metrics: Record<string, unknown> }[]
      pagination: { total: number }
      aggregates: { metrics: Record<string, unknown> }
    }
    assert.equal(items.length, 1_500)
    assert.equal(page.total, TAGS)
    assert.deepEqual(Object.keys(items[0]!.metrics), metrics)
    assert.equal(aggregates.metrics.accepted_count, 3 * TAGS)
    assert.ok(ms < MAX_MS, `${ms} ms`)
  })

  test('a metric is returned once, however often it is named, and more names than metrics are refused', async () => {
    const asked = (times: number) => ({ metrics: Array.from({ length: times }, () => 'opened_count') })
    const { body } = await ask('/v1/analytics/metrics', { ...asked(20), dimensions: ['tag'] })
    const [item] = body.items as { metrics: object }[]
    assert.deepEqual(item!.metrics, { opened_count: 3 })
    assertFormError(
      await ask('/v1/analytics/metrics', asked(10_000)),
      400,
      /metrics.* must have 100 entries or less/,
    )
  })

  test('every event by the hour, with the most steps', async (t) => {
    const events = Object.keys(STATS)
      .map((event) => `event=${event}`)
      .join('&')
    const { reply, ms } = await measured(
      `/v3/${name}/stats/total?${events}&resolution=hour&duration=${STEPS - 2}h`,
    )
    t.diagnostic(`${ms.toFixed(0)} ms, ${reply.text.length} octets`)
    assert.equal((reply.body.stats as object[]).length, STEPS - 1)
    assert.ok(ms < MAX_MS, `${ms} ms`)
  })

  for (const [path, body] of [
    [`/v3/${name}/tags?limit=1000`],
    ['/v1/analytics/tags', { pagination: { limit: 1_000, sort: 'tag:desc', include_total: true } }],
    ['/v1/analytics/tags', { pagination: { limit: 20 }, include_metrics: true }],
  ] as const) {
    test(`${TAGS} tags: ${path} ${JSON.stringify(body ?? '')}`, async (t) => {
      const { reply, ms } = await measured(path, body)
      t.diagnostic(`${ms.toFixed(0)} ms, ${reply.text.length} octets`)
      assert.equal(reply.status, 200, reply.text)
      assert.ok(ms < MAX_MS, `${ms} ms`)
    })
  }
})
