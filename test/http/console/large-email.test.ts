/**
 * The cost of showing a large email, on a service of its own: memory within the plan however many people look at once,
 * and little time of the main thread, for which others wait.
 */
import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { freshMemoryDelay, slowness } from '../../../harness/processor-speed.ts'
import type { ServiceChild } from '../../../harness/service/service-child.ts'
import type { Tenant } from '../../../harness/service/tenant.ts'
import { parseDatabase } from '../../../src/config/parse/database.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { attempt, email, result } from '../../store/samples.ts'
import { Installation } from '../../support/installation.ts'
import { Api, call, type Reply } from '../requests.ts'
import { Visitor } from './visitor.ts'

const MEMORY = 600_000_000
/** Of it: what lies uncollected may add three tenths; a quarter was seen beside other work. */
const MAX = 1.3
/** Of HTML. */
const LARGE = 28_000_000
const AT_ONCE = 150

describe('a large email in the console', {
  skip: process.platform !== 'linux' && 'it looks into /proc',
}, () => {
  let installation: Installation
  let service: ServiceChild
  let store: Store
  let tenant: Tenant
  let other: Api
  let viewer: Visitor
  let id: string

  before(async () => {
    installation = new Installation({ POSTROAD_DELIVERY: 'capture', POSTROAD_MEMORY: '600MB' })
    tenant = await installation.addTenant('large.example')
    const stranger = await installation.addTenant('other.example')
    service = await installation.serve()
    other = new Api(service.url, stranger.token)
    const database = parseDatabase(await installation.databaseUrl())
    store = await openStore(database, { exclusive: false })
    const at = { store, url: service.url }
    viewer = await Visitor.signIn(at, [{ companyId: tenant.companyId, role: 'viewer' }])
    id = await new Api(service.url, tenant.token).accepted({
      from: 'a@large.example',
      to: 'b@x.test',
      subject: 'Large',
      html: `<p>${'x é '.repeat(LARGE / 5)}`,
      // It is composed for who looks, for it has not been sent.
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
  })
  after(async () => {
    await store?.close()
    await service?.kill('SIGKILL')
    await installation?.remove()
  })

  const look = (rest: string, of = id) =>
    call(`${service.url}/console/api/companies/${tenant.companyId}/emails/${of}${rest}`, {
      headers: { cookie: viewer.cookie },
    })
  const mail = { from: 'a@other.example', to: 'b@x.test', text: 'small' }

  /** The most that the process has taken so far, in octets. */
  function most(): number {
    const text = readFileSync(`/proc/${service.pid}/status`, 'latin1')
    return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(text)![1])
  }

  /** Ms of a processor that the main thread has had. */
  function mainThread(): number {
    const text = readFileSync(`/proc/${service.pid}/task/${service.pid}/schedstat`, 'latin1')
    return Number(text.split(' ')[0]) / 1e6
  }

  async function manyLook(rest: string, of = id): Promise<Reply[]> {
    const looks = Array.from({ length: AT_ONCE }, () => look(rest, of))
    // Another person is served meanwhile.
    await other.accepted(mail)
    const replies = await Promise.all(looks)
    await other.accepted(mail)
    return replies
  }

  test(`${AT_ONCE} at once look at one with a thousand long dialogues`, async (t) => {
    const addresses = Array.from({ length: 1_000 }, (_, n) => `r${n}@x.test`)
    const value = { ...email({ id: tenant.companyId }, addresses), id: randomUUIDv7() }
    await store.accept(value, { token: 987_654 })
    // As long as one is kept (delivery/smtp/dialogue.ts).
    const dialogue = `0 < 220 ${'x'.repeat(17_000)}`
    const records = addresses.map((_, n) => attempt(value, 987_654, [result(n)], { dialogue }))
    await Promise.all(records.map((record) => store.record(record)))
    const before = most()
    for (const { status, body } of await manyLook('', value.id)) {
      assert.equal(status, 200)
      assert.equal((body.attempts as unknown[]).length, 100)
    }
    t.diagnostic(`${(most() - before) / 1e6} MB more`)
    assert.ok(most() < MEMORY, `${most()} octets`)
  })

  for (const rest of ['', '/content', '/preview']) {
    test(`${AT_ONCE} at once look at it${rest && ` by ${rest}`}: the memory stays within the plan`, async (t) => {
      const replies = await manyLook(rest)
      const counts = Map.groupBy(replies, ({ status }) => status)
      for (const [status, [first]] of counts) {
        // A request that finds no room for ten seconds is refused with the reason.
        assert.ok([200, 429, 503].includes(status), `${status}: ${first!.text.slice(0, 200)}`)
      }
      assert.ok((counts.get(200)?.length ?? 0) > 0)
      if (rest === '') assert.equal(counts.get(200)!.length, AT_ONCE)
      t.diagnostic(
        `${[...counts].map(([status, { length }]) => `${length} x ${status}`)}, ${most() / 1e6} MB`,
      )
      assert.ok(most() < MAX * MEMORY, `${most()} octets`)
    })
  }

  test('its page costs the main thread no more than that of a small email', async (t) => {
    await look('')
    const before = mainThread()
    for (let n = 0; n < 20; n++) assert.equal((await look('')).status, 200)
    const each = (mainThread() - before) / 20
    t.diagnostic(`${each} ms`)
    assert.ok(each < 20, `${each} ms each`)
  })

  test('showing its copy, once and again, takes little time of the main thread', async (t) => {
    // To compose and sign it takes several times as long. It comes from a thread, goes to a worker and returns.
    const limit = 100 * slowness() + freshMemoryDelay(3 * LARGE)
    for (const rest of ['/preview', '/source', '/text', '/preview', '/source', '/text']) {
      const before = mainThread()
      assert.equal((await look(rest)).status, 200)
      const took = mainThread() - before
      t.diagnostic(`${rest}: ${took} ms`)
      assert.ok(took < limit, `${rest}: ${took} ms of ${limit}`)
    }
  })
})
