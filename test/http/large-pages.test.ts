/** Pages of large emails and events: the size of an answer is bounded. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { Api, basic, call } from './requests.ts'

/** Octets that one answer may have here. */
const MAX = 5 * 1024 ** 2
const RECIPIENTS = 30
const EMAILS = 25
const TAGS = [{ name: 'kind', value: 'large' }]

describe('pages of large emails', () => {
  let service: Service
  let api: Api
  const ids: string[] = []

  before(async () => {
    service = await startService()
    const { key } = await service.tenant('large.test')
    api = new Api(service.url, key.token)
    const to = Array.from({ length: RECIPIENTS }, (_, index) => {
      return `"${'N'.repeat(500)}" <reader${index}@many.test>`
    })
    const [from, subject] = ['me@large.test', 'S'.repeat(200_000)]
    for (let sent = 0; sent < EMAILS; sent++) {
      // All but one wait: what is delivered has one event more for each recipient.
      const later = sent === 0 ? {} : { scheduled_at: 'in 1 day' }
      ids.push(await api.accepted({ from, to, subject, text: 'x', tags: TAGS, ...later }))
    }
  })
  after(() => service.close())

  const get = async (url: string, authorization: string) => {
    const reply = await call(url.startsWith('http') ? url : `${service.url}${url}`, {
      headers: { authorization },
    })
    assert.equal(reply.status, 200, reply.text.slice(0, 500))
    assert.ok(reply.text.length < MAX, `${reply.text.length} octets`)
    return reply.body
  }

  for (const filter of ['', '&tag=kind:large', '&subject=sss']) {
    test(`each email is listed once, page by page ${filter}`, async () => {
      const found: string[] = []
      for (let after = ''; ; ) {
        const page = await get(`/emails?limit=100${filter}${after}`, `Bearer ${api.token}`)
        const data = page.data as { id: string }[]
        found.push(...data.map(({ id }) => id))
        if (page.has_more !== true) break
        assert.notEqual(data.length, 0)
        after = `&after=${data.at(-1)!.id}`
      }
      assert.deepEqual(found, ids.toReversed())
    })
  }

  for (const order of ['yes', 'no']) {
    test(`each event is listed once, page by page, ascending: ${order}`, async () => {
      const found: string[] = []
      // Each recipient is accepted once, and those of the first email are delivered.
      const wanted = EMAILS * RECIPIENTS + RECIPIENTS
      let url = `/v3/large.test/events?limit=300&ascending=${order}`
      for (;;) {
        const page = await get(url, basic(api.token))
        const items = page.items as { id: string }[]
        found.push(...items.map(({ id }) => id))
        url = (page.paging as { next: string }).next
        if (items.length > 0) continue
        if (order === 'no' || found.length >= wanted) break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.equal(new Set(found).size, found.length)
      assert.equal(found.length, wanted)
    })
  }
})
