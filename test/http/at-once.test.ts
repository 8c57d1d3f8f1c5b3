/** A key, or a domain, counts in the very next request after the command that made it, on every node; and guessing keys costs little. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import type { Settings } from '../../harness/service/installation.ts'
import type { ServiceChild } from '../../harness/service/service-child.ts'
import { SeverableWay } from '../../harness/severable.ts'
import { newToken } from '../../src/accounts/token.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { Installation } from '../support/installation.ts'
import { execute, freshDatabase, withoutPostgres } from '../support/postgres.ts'
import { type Service, startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, basic, call, RawConnection, type Reply } from './requests.ts'

const NOBODYS = '/emails/01a1fba6-08a9-7e45-998a-efec67aab0d1'

const mailFrom = (domain: string) => ({ from: `a@${domain}`, to: 'b@x.test', text: 't' })

const ENGINES: Record<string, { skip: string | false; settings(): Promise<Settings>; nodes: number }> = {
  SQLite: { skip: false, settings: async () => ({}), nodes: 1 },
  PostgreSQL: {
    skip: withoutPostgres(),
    settings: async () => ({
      POSTROAD_DATABASE_URL: await freshDatabase(),
      POSTROAD_SECRET_KEY: randomBytes(32).toString('hex'),
    }),
    nodes: 2,
  },
}

for (const [engine, { skip, settings, nodes: count }] of Object.entries(ENGINES)) {
  describe(`beside a running service on ${engine}`, { skip }, () => {
    let installation: Installation
    let companyId: string
    const nodes: ServiceChild[] = []

    before(async () => {
      installation = new Installation({ POSTROAD_DELIVERY: 'capture', ...(await settings()) })
      companyId = (await installation.addTenant('old.test')).companyId
      for (let number = 0; number < count; number++) {
        nodes.push(await installation.serve({ settings: { POSTROAD_NODE_NAME: `n${number}` } }))
      }
    })
    after(() => installation.remove())

    const newKey = async (...options: string[]) => {
      const made = ['key', 'create', '--company', companyId, '--name', 'new', ...options]
      return await installation.command<{ id: string; token: string }>(...made)
    }

    /** No node hears of a change at once: more notifications than nodes listen to (src/store/postgres/hints.ts) have just come. */
    async function deafen(): Promise<void> {
      if (engine !== 'PostgreSQL') return
      const flood = "SELECT count(pg_notify('postroad', number::text)) FROM generate_series(1, 6000) number"
      await execute(await installation.databaseUrl(), flood)
    }

    // One alone might be used just when the nodes have looked for changes by themselves.
    for (const round of [1, 2, 3, 4]) {
      test(`a key that \`key create\` has printed sends and reads on every node (${round})`, async () => {
        await deafen()
        const { token } = await newKey()
        for (const { url } of nodes) {
          const api = new Api(url, token)
          const id = await api.accepted(mailFrom('old.test'))
          assert.equal((await api.get(`/emails/${id}`)).status, 200)
        }
      })
    }

    test('a key whose first request is a form works at once as well', async () => {
      await deafen()
      const { token } = await newKey()
      for (const { url } of nodes) {
        const reply = await new Api(url, token).form('old.test', Object.entries(mailFrom('old.test')))
        assert.equal(reply.status, 200, reply.text)
      }
    })

    test('the bounds of a new key count as well', async () => {
      await deafen()
      const { token } = await newKey('--scope', 'management')
      for (const { url } of nodes) {
        assertJsonError(await new Api(url, token).get(NOBODYS), 403, 'restricted_api_key', /`reading` scope/)
      }
    })

    test('a revoked key stops, at the latest when the next unknown key is looked up', async () => {
      const { id, token } = await newKey()
      for (const { url } of nodes) assert.equal((await new Api(url, token).get(NOBODYS)).status, 404)
      await deafen()
      await installation.command('key', 'revoke', id)
      for (const { url } of nodes) {
        for (const each of [newToken().token, token, token]) {
          const reply = await new Api(url, each).get(NOBODYS)
          assertJsonError(reply, 401, 'invalid_api_key', 'API key is invalid')
        }
      }
    })

    for (const way of ['JSON', 'form'] as const) {
      test(`a domain that \`domain activate\` has activated sends, by ${way}`, async () => {
        const { token } = await newKey()
        const name = `${way.toLowerCase()}.test`
        await installation.command('domain', 'add', name, '--company', companyId)
        const send = async (url: string) => {
          const api = new Api(url, token)
          if (way === 'JSON') return await api.send(mailFrom(name))
          return await api.form(name, Object.entries(mailFrom(name)))
        }
        // Known to be inactive.
        for (const { url } of nodes) assert.equal((await send(url)).status, 403)
        await deafen()
        await installation.command('domain', 'activate', name)
        for (const { url } of nodes) {
          const reply = await send(url)
          assert.equal(reply.status, 200, reply.text)
        }
      })

      test(`a domain that was not known at all can send at once, by ${way}`, async () => {
        const { token } = await newKey()
        const name = `unknown-${way.toLowerCase()}.test`
        // The key is known from here on.
        for (const { url } of nodes) assert.equal((await new Api(url, token).get(NOBODYS)).status, 404)
        await deafen()
        await installation.command('domain', 'add', name, '--company', companyId)
        await installation.command('domain', 'activate', name)
        for (const { url } of nodes) {
          const api = new Api(url, token)
          const reply =
            way === 'JSON'
              ? await api.send(mailFrom(name))
              : await api.form(name, Object.entries(mailFrom(name)))
          assert.equal(reply.status, 200, reply.text)
        }
      })
    }
  })
}

/** Queries of the store for unknown keys and domains. */
async function looks({ url }: Service): Promise<number> {
  const { text } = await call(`${url}/metrics`)
  return Number(/^postroad_account_looks_total (\d+)$/m.exec(text)?.[1])
}

describe('the cost of guessing', () => {
  let service: Service
  let known: Api

  before(async () => {
    service = await startService({ metrics: 'same' })
    known = new Api(service.url, (await service.tenant('known.test')).key.token)
  })
  after(() => service.close())

  test('unknown tokens share twenty look-ups a second in the store', async () => {
    const before = await looks(service)
    const began = performance.now()
    let guesses = 0
    const guess = async () => {
      for (let times = 0; times < 25; times++) {
        const { token } = newToken()
        assert.equal((await new Api(service.url, token).get(NOBODYS)).status, 401)
        guesses += 1
      }
    }
    await Promise.all(Array.from({ length: 40 }, guess))
    const seconds = (performance.now() - began) / 1000
    const made = (await looks(service)) - before
    assert.ok(made >= 1)
    assert.ok(made <= 2 + seconds * 21, `${made} looks for ${guesses} guesses in ${seconds} s`)
  })

  test('a malformed token and a known key cause no look-up', async () => {
    const before = await looks(service)
    const { token } = newToken()
    for (const wrong of ['x', `${token}x`, token.slice(0, -1), token.replace('pr_', 'PR_')]) {
      assert.equal((await new Api(service.url, wrong).get(NOBODYS)).status, 401)
    }
    const headers = { authorization: basic(token, 'somebody') }
    assert.equal(
      (await call(`${service.url}/v3/known.test/messages`, { method: 'POST', headers })).status,
      401,
    )
    const id = await known.accepted(mailFrom('known.test'))
    assert.equal((await known.get(`/emails/${id}`)).status, 200)
    assert.equal((await known.form('known.test', Object.entries(mailFrom('known.test')))).status, 200)
    assert.equal(await looks(service), before)
  })

  test('repeated mail from an unknown domain causes no more look-ups than guessing', async () => {
    const before = await looks(service)
    const began = performance.now()
    const send = async () => {
      for (let times = 0; times < 10; times++) {
        assertJsonError(await known.send(mailFrom('nobodys.test')), 403, 'validation_error')
        assertFormError(await known.form('nobodys.test', Object.entries(mailFrom('nobodys.test'))), 404)
      }
    }
    await Promise.all(Array.from({ length: 10 }, send))
    const seconds = (performance.now() - began) / 1000
    const made = (await looks(service)) - before
    assert.ok(made <= 2 + seconds * 21, `${made} looks for 200 requests in ${seconds} s`)
  })
})

describe('while the store does not answer', { skip: withoutPostgres() }, () => {
  const open = async (url: string) =>
    await startService({
      database: parseDatabase(url),
      secretKey: randomBytes(32),
      trustedProxies: ['127.0.0.1'],
    })

  test('at most five hundred unknown keys wait; source addresses share the places; known keys are not affected', async () => {
    const url = await freshDatabase()
    await using service = await open(url)
    const { key } = await service.tenant('known.test')
    await using lock = await connect(url)
    await lock.client.query('BEGIN; LOCK TABLE counters IN ACCESS EXCLUSIVE MODE')
    const strangers = Array.from({ length: 40 }, () => {
      const connection = new RawConnection(service.url)
      // As many as are begun on one connection before its first is answered.
      const requests = Array.from({ length: 16 }, () => request(newToken().token, '203.0.113.7'))
      connection.write(requests.join(''))
      return connection
    })
    // Each with a connection of its own, so that no answer waits for another.
    const guess = () => get(service, newToken().token, '203.0.113.7')
    const more = Array.from({ length: 40 }, guess)
    const first = await Promise.race(more)
    assertJsonError(first, 503, 'application_error')
    assert.ok(Number(first.headers.get('retry-after')) > 0)
    assert.equal((await get(service, key.token, '203.0.113.7')).status, 404)

    const elsewhere = get(service, newToken().token, '198.51.100.1')
    await lock.client.query('ROLLBACK')
    assertJsonError(await elsewhere, 401, 'invalid_api_key')

    for (const { status } of await Promise.all(more)) assert.ok(status === 401 || status === 503)
    let refused = 0
    for (const connection of strangers) {
      await connection.until(/(?:HTTP\/1\.1 (?:401|503) .*?){16}/s)
      refused += connection.received.match(/HTTP\/1\.1 401 /g)?.length ?? 0
      connection.socket.destroy()
    }
    assert.ok(refused > 0 && refused <= 500, `${refused} were looked up`)
    // Places are free again.
    assertJsonError(await guess(), 401, 'invalid_api_key')
  })

  test('an unknown token is not called invalid, because that is not known', async () => {
    const database = new URL(await freshDatabase())
    await using way = await SeverableWay.to(database.hostname, Number(database.port))
    database.port = String(way.port)
    await using service = await open(database.href)
    const stranger = new Api(service.url, newToken().token)
    assertJsonError(await stranger.get(NOBODYS), 401, 'invalid_api_key')
    way.severByReset()
    const reply = await stranger.get(NOBODYS)
    assertJsonError(reply, 503, 'application_error')
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
    way.mend()
  })
})

function request(token: string, address: string): string {
  return (
    `GET ${NOBODYS} HTTP/1.1\r\nHost: postroad.test\r\nAuthorization: Bearer ${token}\r\n` +
    `X-Forwarded-For: ${address}\r\n\r\n`
  )
}

function get({ url }: Service, token: string, address: string): Promise<Reply> {
  return call(`${url}${NOBODYS}`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
  })
}

async function connect(url: string): Promise<{ client: Client } & AsyncDisposable> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
