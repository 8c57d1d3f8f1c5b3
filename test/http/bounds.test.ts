/** The limits on everything that a request may contain or ask for. The maximum is accepted, and one more is refused with an explanation. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { Visitor } from './console/visitor.ts'
import { Api, basic, call, type Reply } from './requests.ts'

const DOMAIN = 'acme.example'
const MAIL = { from: `a@${DOMAIN}`, to: 'b@x.test', text: 'hello' }

describe('the most of', () => {
  let service: Service
  let api: Api
  let owner: Visitor
  let companyId: string

  before(async () => {
    service = await startService()
    const { company } = await service.tenant(DOMAIN)
    companyId = company.id
    const { token } = await service.key(company.id, { scopes: ['sending', 'reading', 'management'] })
    api = new Api(service.url, token)
    owner = await Visitor.signIn(service, [{ companyId, role: 'owner' }])
    await api.form(DOMAIN, [...Object.entries(MAIL), ['o:tag', 'known']])
    await until(async () => (await asked('GET', `/v3/${DOMAIN}/tags/known`)).status === 200, 'the tag')
  })
  after(() => service.close())

  const asked = (method: string, path: string, body?: object): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method,
      headers: {
        authorization: path.startsWith('/v') ? basic(api.token) : `Bearer ${api.token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const form = (path: string, fields: [string, string][]): Promise<Reply> =>
    call(`${service.url}/v3/${DOMAIN}/${path}`, {
      method: 'POST',
      headers: { authorization: basic(api.token) },
      body: new URLSearchParams(fields),
    })
  const console = (method: string, path: string, body?: object) =>
    owner.ask(method, `/companies/${companyId}${path}`, body)
  const several = <One>(count: number, make: (index: number) => One): One[] =>
    Array.from({ length: count }, (_, index) => make(index))
  const addresses = (count: number) => several(count, (index) => `a${index}@x.test`)
  const tagged = (tags: string[]) =>
    asked('POST', `/v3/${DOMAIN}/unsubscribes`, [{ address: 'u@x.test', tags }])

  interface Bound {
    what: string
    most: number
    ask(count: number): Promise<Reply>
    /** Said to one more. */
    words: RegExp
  }

  const bounds: Bound[] = [
    {
      what: 'entries of a list that are put there together',
      most: 1_000,
      ask: (count) =>
        asked(
          'POST',
          `/v3/${DOMAIN}/bounces`,
          addresses(count).map((address) => ({ address })),
        ),
      words: /1000/,
    },
    {
      what: 'tags of an unsubscription',
      most: 100,
      ask: (count) => tagged(several(count, (index) => `t${index}`)),
      words: /1 to 100 tags/,
    },
    {
      what: 'characters of a tag of an unsubscription',
      most: 256,
      ask: (count) => tagged(['t'.repeat(count)]),
      words: /1 to 256 characters/,
    },
    {
      what: 'characters of the reason of a bounce',
      most: 1_000,
      ask: (count) =>
        form('bounces', [
          ['address', 'r@x.test'],
          ['error', 'e'.repeat(count)],
        ]),
      words: /at most 1000 characters/,
    },
    {
      what: 'addresses put on the list of suppressions together',
      most: 100,
      ask: (count) => asked('POST', '/suppressions/batch/add', { emails: addresses(count) }),
      words: /100/,
    },
    {
      what: 'addresses taken off the list of suppressions together',
      most: 100,
      ask: (count) => asked('POST', '/suppressions/batch/remove', { emails: addresses(count) }),
      words: /100/,
    },
    {
      what: 'ids taken off the list of suppressions together',
      most: 100,
      ask: (count) =>
        asked('POST', '/suppressions/batch/remove', { ids: several(count, (index) => `id${index}`) }),
      words: /100/,
    },
    {
      what: 'hours that are counted one by one',
      most: 1_999,
      ask: (count) =>
        asked('GET', `/v3/${DOMAIN}/stats/total?event=accepted&resolution=hour&duration=${count}h`),
      words: /more than 2000 of these steps/,
    },
    {
      what: 'months that are counted one by one',
      most: 1_999,
      ask: (count) => {
        const end = Date.UTC(2026, 0, 15)
        const start = new Date(Date.UTC(2026, -count, 15)).toISOString()
        const query = new URLSearchParams({
          event: 'accepted',
          resolution: 'month',
          start,
          end: String(end / 1_000),
        })
        return asked('GET', `/v3/${DOMAIN}/stats/total?${query}`)
      },
      words: /more than 2000 of these steps/,
    },
    {
      what: 'tags that are listed with their figures',
      most: 20,
      ask: (limit) => asked('POST', '/v1/analytics/tags', { include_metrics: true, pagination: { limit } }),
      words: /at most 20 with include_metrics/,
    },
    {
      what: 'characters that describe a tag',
      most: 1_000,
      ask: (count) => asked('PUT', `/v3/${DOMAIN}/tags/known`, { description: 'd'.repeat(count) }),
      words: /at most 1000 characters/,
    },
    {
      what: 'URLs that one kind of event is told to',
      most: 3,
      ask: async (count) => {
        const url = several(count, (index) => `https://hook.example/${index}`)
        const reply = await asked('POST', `/v3/domains/${DOMAIN}/webhooks`, { id: 'opened', url })
        if (reply.status === 200) await asked('DELETE', `/v3/domains/${DOMAIN}/webhooks/opened`)
        return reply
      },
      words: /at most 3 are allowed/,
    },
    {
      what: 'fields of a form that is no mail',
      most: 2_000,
      ask: (count) =>
        form('bounces', [
          ['address', 'f@x.test'],
          ...several(count - 1, (index): [string, string] => [`x${index}`, '']),
        ]),
      words: /2000/,
    },
    {
      what: 'ranges of addresses that a key works from',
      most: 100,
      ask: (count) =>
        console('POST', '/keys', {
          name: 'bounded',
          scopes: ['reading'],
          networks: several(count, (index) => `192.0.2.${index}`),
        }),
      words: /at most 100 address ranges/,
    },
  ]

  for (const { what, most, ask, words } of bounds) {
    test(`${what}: ${most}`, async () => {
      const taken = await ask(most)
      assert.ok(taken.status < 300, taken.text)
      const refused = await ask(most + 1)
      assert.ok([400, 413, 422].includes(refused.status), `${refused.status}: ${refused.text}`)
      assert.match(refused.text, words)
    })
  }
})
