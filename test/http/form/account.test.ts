/** The objects of a whole company in the form dialect: its API keys and its webhooks. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Company, SendingDomain } from '../../../src/accounts/account.ts'
import { type Service, startService, type TestKey } from '../../support/service.ts'
import { Receiver } from '../../webhooks/receiver.ts'
import { Api, assertFormError, basic, call, type Reply } from '../requests.ts'

type Fields = [string, string][]

function asking(service: Service, token: string) {
  return (method: string, path: string, fields?: Fields): Promise<Reply> =>
    call(`${service.url}${path}`, {
      method,
      headers: { authorization: basic(token) },
      ...(fields && { body: new URLSearchParams(fields) }),
    })
}

interface Tenant {
  company: Company
  domain: SendingDomain
  key: TestKey
  ask: ReturnType<typeof asking>
}

let service: Service
let mine: Tenant
let theirs: Tenant

async function tenant(name: string): Promise<Tenant> {
  const { company, domain } = await service.tenant(name)
  const key = await service.key(company.id, { scopes: ['management', 'reading', 'sending'] })
  return { company, domain, key, ask: asking(service, key.token) }
}

before(async () => {
  service = await startService({ allowPrivateNetworks: true })
  mine = await tenant('mine.test')
  theirs = await tenant('theirs.test')
})
after(() => service.close())

describe('/v1/keys', () => {
  const made = async (fields: Fields) => {
    const { status, text, body } = await mine.ask('POST', '/v1/keys', fields)
    assert.equal(status, 200, text)
    assert.equal(body.message, 'great success')
    return body.key as Record<string, string | boolean | null> & { id: string; secret: string }
  }
  const listed = async (query = '') => {
    const { body, text } = await mine.ask('GET', `/v1/keys${query}`)
    const { items, total_count: total } = body as { items: { id: string }[]; total_count: number }
    assert.equal(items.length, total, text)
    return items
  }

  test('a key is made with a role, listed without its secret, and revoked at once', async () => {
    const { secret, ...key } = await made([
      ['role', 'sending'],
      ['kind', 'domain'],
      ['domain_name', 'mine.test'],
      ['description', 'Shop'],
    ])
    const { id, created_at: createdAt } = key
    assert.match(String(createdAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.deepEqual(key, {
      ...{ id, description: 'Shop', kind: 'domain', role: 'sending', domain_name: 'mine.test' },
      ...{
        created_at: createdAt,
        updated_at: createdAt,
        requestor: null,
        user_name: null,
        is_disabled: false,
      },
    })
    assert.deepEqual(
      (await listed()).find((each) => each.id === id),
      key,
    )
    const shop = new Api(service.url, secret)
    const message: Fields = [
      ['from', 'a@mine.test'],
      ['to', 'b@x.test'],
      ['text', 't'],
    ]
    assert.equal((await shop.form('mine.test', message)).status, 200)
    assertFormError(await asking(service, secret)('GET', '/v1/keys'), 403, /lacks the management scope/)
    assert.deepEqual((await mine.ask('DELETE', `/v1/keys/${id}`)).body, { message: 'key deleted' })
    assert.equal((await shop.form('mine.test', message)).status, 401)
    assertFormError(await mine.ask('DELETE', `/v1/keys/${id}`), 404)
    assert.ok(!(await listed()).some((each) => each.id === id))
  })

  test('roles and kinds, an expiry, and features that are missing here', async () => {
    const admin = await made([['role', 'admin']])
    assert.deepEqual([admin.kind, admin.role, admin.domain_name], ['user', 'admin', null])
    const basicKey = await made([
      ['role', 'basic'],
      ['expiration', '3600'],
      ['user_name', 'Jane'],
      ['email', 'jane@example.com'],
    ])
    assert.equal(basicKey.role, 'basic')
    const left = Date.parse(`${basicKey.expires_at}Z`) - Date.now()
    assert.ok(left > 3_500_000 && left <= 3_600_000, String(left))
    const kinds = async (query: string) => (await listed(query)).map(({ id }) => id)
    assert.ok(!(await kinds('?kind=domain')).includes(admin.id))
    assert.ok((await kinds('?kind=user')).includes(admin.id))
    assert.deepEqual(await kinds('?kind=web'), [])
    assert.deepEqual(await kinds('?domain_name=mine.test'), [])
    for (const [fields, message] of [
      [[], /role parameter is missing/],
      [[['role', 'owner']], /role parameter is not valid.*admin, developer, basic, sending/],
      [
        [
          ['role', 'admin'],
          ['kind', 'web'],
        ],
        /kind parameter is not valid.*domain, user/,
      ],
      [
        [
          ['role', 'admin'],
          ['kind', 'domain'],
        ],
        /domain_name parameter is missing/,
      ],
      [
        [
          ['role', 'admin'],
          ['kind', 'user'],
          ['domain_name', 'mine.test'],
        ],
        /domain_name parameter is not valid/,
      ],
      [
        [
          ['role', 'admin'],
          ['expiration', '-1'],
        ],
        /expiration parameter is not valid/,
      ],
    ] as [Fields, RegExp][]) {
      assertFormError(await mine.ask('POST', '/v1/keys', fields), 400, message)
    }
  })

  test('a key cannot give another key more rights than its own, and a key for one domain creates none', async () => {
    const { token } = await service.key(mine.company.id, { scopes: ['management'] })
    const manage = asking(service, token)
    assertFormError(
      await manage('POST', '/v1/keys', [['role', 'admin']]),
      403,
      /cannot give it to another key/,
    )
    const bound = await service.key(mine.company.id, {
      scopes: ['management', 'sending', 'reading'],
      domainId: mine.domain.id,
    })
    const ofDomain = asking(service, bound.token)
    assertFormError(await ofDomain('POST', '/v1/keys', [['role', 'sending']]), 403, /one domain only/)
    assert.deepEqual(
      ((await ofDomain('GET', '/v1/keys')).body.items as { domain_name: string }[]).map(
        ({ domain_name: name }) => name,
      ),
      ['mine.test'],
    )
    assertFormError(await ofDomain('DELETE', `/v1/keys/${mine.key.id}`), 404)
  })

  test('keys and domains of another company are not found', async () => {
    const nobodys = '01a1fba6-08a9-7e45-998a-efec67aab0d1'
    const unknown = await mine.ask('DELETE', `/v1/keys/${nobodys}`)
    assertFormError(unknown, 404)
    const foreign = await mine.ask('DELETE', `/v1/keys/${theirs.key.id}`)
    assert.equal(foreign.text, unknown.text.replace(nobodys, theirs.key.id))
    assert.ok(!(await listed()).some(({ id }) => id === theirs.key.id))
    assertFormError(await mine.ask('GET', '/v1/keys?domain_name=theirs.test'), 404, /Domain not found/)
    const fields: Fields = [
      ['role', 'sending'],
      ['domain_name', 'theirs.test'],
    ]
    assertFormError(await mine.ask('POST', '/v1/keys', fields), 404, /Domain not found/)
    assert.equal((await theirs.ask('GET', '/v1/keys')).status, 200)
  })
})

describe('/v1/webhooks', () => {
  const ONE = 'https://one.example/hook'
  const TWO = 'https://two.example/hook'
  const given = (url: string, ...words: string[]): Fields => [
    ['url', url],
    ...words.map((word): [string, string] => ['event_types', word]),
  ]
  const made = async (fields: Fields): Promise<string> => {
    const { status, text, body } = await mine.ask('POST', '/v1/webhooks', fields)
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(body), ['webhook_id'])
    return String(body.webhook_id)
  }
  const listed = async (query = '') => {
    const { body } = await mine.ask('GET', `/v1/webhooks${query}`)
    return body.webhooks as { webhook_id: string; url: string; event_types: string[] }[]
  }
  const withoutContent = (reply: Reply) => {
    const named = ['content-length', 'content-type'].map((name) => reply.headers.get(name))
    assert.deepEqual([reply.status, reply.text, ...named], [204, '', null, null])
  }

  test('a webhook is created, shown, replaced and removed', async () => {
    const id = await made([...given(ONE, 'delivered', 'opened'), ['description', 'All of it']])
    const { body: shown } = await mine.ask('GET', `/v1/webhooks/${id}`)
    assert.ok(Math.abs(Date.parse(String(shown.created_at)) - Date.now()) < 60_000)
    assert.deepEqual(shown, {
      ...{ webhook_id: id, description: '', url: ONE, event_types: ['delivered', 'opened'] },
      created_at: shown.created_at,
    })
    withoutContent(await mine.ask('PUT', `/v1/webhooks/${id}`, given(TWO, 'permanent_fail')))
    assert.deepEqual(
      (await listed()).map(({ url, event_types: types }) => [url, types]),
      [[TWO, ['permanent_fail']]],
    )
    // A domain's list does not have it, nor does this one have a domain's.
    assert.deepEqual((await mine.ask('GET', '/v3/domains/mine.test/webhooks')).body, { webhooks: {} })
    await mine.ask('POST', '/v3/domains/mine.test/webhooks', [
      ['id', 'delivered'],
      ['url', ONE],
    ])
    assert.equal((await listed()).length, 1)
    withoutContent(await mine.ask('DELETE', `/v1/webhooks/${id}`))
    assertFormError(await mine.ask('GET', `/v1/webhooks/${id}`), 404)
    assertFormError(await mine.ask('DELETE', `/v1/webhooks/${id}`), 404)
  })

  test('several are removed at once: by id, and all', async () => {
    const ids: string[] = []
    for (const word of ['a', 'b', 'c']) ids.push(await made(given(`https://${word}.example/`, 'delivered')))
    assertFormError(await mine.ask('POST', '/v1/webhooks', given(TWO, 'delivered')), 400, /at most 3 URLs/)
    assertFormError(await mine.ask('POST', '/v1/webhooks', given('https://a.example/', 'opened')), 409)
    assert.equal((await listed(`?webhook_ids=${ids[0]},${ids[1]}`)).length, 2)
    const unknown = '01a1fba6-08a9-7e45-998a-efec67aab0d1'
    assertFormError(await mine.ask('DELETE', `/v1/webhooks?webhook_ids=${ids[0]},${unknown}`), 404)
    assert.equal((await listed()).length, 3)
    withoutContent(await mine.ask('DELETE', `/v1/webhooks?webhook_ids=${ids[0]}&all=true`))
    assert.equal((await listed()).length, 2)
    assertFormError(await mine.ask('DELETE', '/v1/webhooks'), 400, /webhook_ids parameter is missing/)
    withoutContent(await mine.ask('DELETE', '/v1/webhooks?all=true'))
    assert.deepEqual(await listed(), [])
    assert.deepEqual(Object.keys((await mine.ask('GET', '/v3/domains/mine.test/webhooks')).body.webhooks!), [
      'delivered',
    ])
  })

  test('a missing or unknown field is named', async () => {
    for (const [fields, message] of [
      [given(ONE), /event_types parameter is missing/],
      [given(ONE, ' '), /event_types parameter is missing/],
      [given(ONE, 'eaten'), /event_types.*no event "eaten"/],
      [[['event_types', 'delivered']], /url parameter is missing/],
      [given('ftp://x.example', 'delivered'), /neither an https/],
    ] as [Fields, RegExp][]) {
      assertFormError(await mine.ask('POST', '/v1/webhooks', fields), 400, message)
    }
  })

  test('a key for one domain, and another company, do not see them', async () => {
    const id = await made(given(ONE, 'delivered'))
    const { token } = await service.key(mine.company.id, {
      scopes: ['management', 'reading'],
      domainId: mine.domain.id,
    })
    const ofDomain = asking(service, token)
    for (const [method, path, fields] of [
      ['GET', '/v1/webhooks'],
      ['GET', `/v1/webhooks/${id}`],
      ['POST', '/v1/webhooks', given(TWO, 'delivered')],
      ['PUT', `/v1/webhooks/${id}`, given(TWO, 'delivered')],
      ['DELETE', `/v1/webhooks/${id}`],
      ['DELETE', '/v1/webhooks?all=true'],
    ] as [string, string, Fields?][]) {
      assertFormError(await ofDomain(method, path, fields), 403, /one domain only/)
    }
    assert.deepEqual((await theirs.ask('GET', '/v1/webhooks')).body, { webhooks: [] })
    for (const [method, fields] of [['GET'], ['PUT', given(TWO, 'delivered')], ['DELETE']] as [
      string,
      Fields?,
    ][]) {
      assertFormError(await theirs.ask(method, `/v1/webhooks/${id}`, fields), 404)
    }
    withoutContent(await theirs.ask('DELETE', '/v1/webhooks?all=true'))
    assert.equal((await listed()).length, 1)
    withoutContent(await mine.ask('DELETE', `/v1/webhooks/${id}`))
  })

  test('a webhook gets events of mail of every domain', async (t) => {
    const receiver = await Receiver.start()
    t.after(() => receiver[Symbol.asyncDispose]())
    await service.domain(mine.company.id, 'second.test')
    await made(given(receiver.url, 'delivered'))
    const api = new Api(service.url, mine.key.token)
    for (const domain of ['mine.test', 'second.test']) {
      const sent = await api.form(domain, [
        ['from', `a@${domain}`],
        ['to', 'b@x.test'],
        ['text', 't'],
      ])
      assert.equal(sent.status, 200, sent.text)
    }
    await receiver.until((received) => received.length === 2)
  })
})
