import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { accept, acme, attempt, claimRequest, email, NOW, result } from '../samples.ts'

const digest = (octets: Uint8Array) => createHash('sha256').update(octets).digest('hex')

/** `longest`: ms of processor time of this thread. */
async function longestTurn<T>(work: () => Promise<T>): Promise<{ value: T; longest: number }> {
  let longest = 0
  let isOver = false
  const working = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const before = process.threadCpuUsage()
    await turn()
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
  }
  return { value: await working, longest }
}

describe('sizes in PostgreSQL', { skip: withoutPostgres() }, () => {
  test('messages of 40 MB among small ones come back octet for octet', async (t) => {
    const store = await PostgresStore.open(await freshDatabase(t))
    t.after(() => store.close())
    const owner = await acme(store)
    const raw = randomBytes(40 * 1024 * 1024)
    const size = raw.byteLength
    const values = Array.from({ length: 20 }, (_, n) =>
      email(owner, ['a@x.test'], n % 10 === 5 ? { raw, size } : {}),
    )
    await Promise.all(values.map((value) => accept(store, value)))
    const sizes = new Map<string, number>()
    for (let works = await store.claim(claimRequest(1)); works.length > 0; ) {
      for (const work of works) {
        sizes.set(work.id, work.raw?.byteLength ?? 0)
        if (work.raw !== null) assert.equal(digest(work.raw), digest(raw))
      }
      works = await store.claim(claimRequest(1))
    }
    assert.deepEqual(
      [...values.map(({ id }) => sizes.get(id))],
      values.map((value) => value.raw?.byteLength ?? 0),
    )
  })

  test('reading an email of 24 MB blocks the thread only for short turns', async (t) => {
    const store = await PostgresStore.open(await freshDatabase(t))
    t.after(() => store.close())
    const owner = await acme(store)
    const size = 24 * 1024 * 1024
    const file = { filename: 'f', contentType: 'image/png', disposition: 'attachment' } as const
    const base = email(owner, ['a@x.test'], { raw: null, size })
    const attachments = [{ ...file, content: randomBytes(size) }]
    await accept(store, { ...base, content: { ...base.content, html: randomBytes(size), attachments } })
    const reads = {
      claim: async () => (await store.claim(claimRequest(1)))[0]!.content.html,
      readEmail: async () => (await store.readEmail(base.id))!.content.html,
      readFile: () => store.readFile(base.id, 0),
    }
    for (const [name, read] of Object.entries(reads)) {
      const { value, longest } = await longestTurn(read)
      assert.equal(value!.length, size)
      assert.ok(longest < 50, `a turn of ${name} took ${longest} ms of processor time`)
    }
  })

  test('an email to many recipients, all recorded at once', async (t) => {
    const store = await PostgresStore.open(await freshDatabase(t))
    t.after(() => store.close())
    const owner = await acme(store)
    const value = email(
      owner,
      Array.from({ length: 10_000 }, (_, n) => `r${n}@x${n % 10}.test`),
    )
    const answer = await store.accept(value, { token: 1 })
    assert.equal(answer.kind === 'accepted' && answer.leased.length, 10_000)
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, site) => {
        const positions = Array.from({ length: 1_000 }, (_, n) => n * 10 + site)
        return store.record(
          attempt(
            value,
            1,
            positions.map((position) => result(position)),
          ),
        )
      }),
    )
    assert.deepEqual(recorded, Array(10).fill({ refused: [] }))
    assert.deepEqual(await store.counts(NOW), { waiting: 0, sending: 0, quarantined: 0, due: 0 })
  })
})
