import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { ClaimedEmail, NewEmail } from '../../../src/store/store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { acme, attempt, claimRequest, deferred, email, NOW, node, result } from '../samples.ts'

const NODE = node('node')

async function nodes(context: TestContext, count: number) {
  const url = await freshDatabase(context)
  const stores = await Promise.all(Array.from({ length: count }, () => PostgresStore.open(url)))
  for (const store of stores) context.after(() => store.close())
  const tokens = await Promise.all(stores.map((store) => store.join(NODE)))
  return { url, stores, tokens, first: stores[0]! }
}

describe('several nodes on one database', { skip: withoutPostgres() }, () => {
  test('start at once on an empty database', async (t) => {
    const { tokens } = await nodes(t, 6)
    assert.equal(new Set(tokens).size, 6)
  })

  test('claim at the same time without taking the same recipient twice', async (t) => {
    const { stores, tokens, first } = await nodes(t, 3)
    const owners = [await acme(first, 'One'), await acme(first, 'Two')]
    const values = Array.from({ length: 60 }, (_, n) =>
      email(
        owners[n % 2]!,
        Array.from({ length: 20 }, (_, r) => `r${r}@x${r % 3}.test`),
      ),
    )
    await Promise.all(values.map((value) => first.accept(value, null)))
    const taken: string[] = []
    await Promise.all(
      stores.map(async (store, index) => {
        for (let works: ClaimedEmail[] | null = null; works === null || works.length > 0; ) {
          works = await store.claim(claimRequest(tokens[index]!, { maxRecipients: 17 }))
          for (const { id, recipients } of works) {
            for (const { position } of recipients) taken.push(`${id}:${position}`)
          }
        }
      }),
    )
    assert.equal(new Set(taken).size, taken.length)
    // A node that finds everything in another's hands stops before that one has taken it.
    while (taken.length < 1_200) {
      const works = await first.claim(claimRequest(tokens[0]!))
      assert.ok(works.length > 0, `${taken.length} of 1200`)
      for (const { id, recipients } of works)
        for (const { position } of recipients) taken.push(`${id}:${position}`)
    }
    assert.equal(new Set(taken).size, 1_200)
  })

  test('write everything there is to write without standing in each other’s way', async (t) => {
    const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
    t.diagnostic(`SEED=${seed}`)
    const random = generator(seed)
    const { url, stores, tokens, first } = await nodes(t, 3)
    const owners = [await acme(first, 'One'), await acme(first, 'Two')]
    const emails: NewEmail[] = []
    const unfinished: { index: number; work: ClaimedEmail }[] = []
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

    const steps: (() => Promise<unknown>)[] = Array.from({ length: 700 }, () => {
      const index = Math.floor(random() * stores.length)
      const store = stores[index]!
      const kind = random()
      const key = random() < 0.3 ? { key: `k${Math.floor(random() * 6)}`, fingerprint: 'f' } : null
      const file = random() < 0.3 ? Buffer.from(`file ${Math.floor(random() * 4)}`) : null
      return async () => {
        if (kind < 0.45) {
          const base = email(pick(owners), ['a@x.test', 'b@y.test', 'c@z.test'], { idempotency: key })
          const attachments = file === null ? [] : [attachment(file)]
          const value = { ...base, content: { ...base.content, attachments } }
          const lease = random() < 0.5 ? { token: tokens[index]! } : null
          const answer = await store.accept(value, lease)
          if (answer.kind !== 'accepted') return
          emails.push(value)
          const recipients = value.recipients.map((to, position) => ({
            ...to,
            position,
            attempts: 0,
            preferredServer: null,
            uncertain: false,
            postponedSince: null,
            suspicion: 0 as const,
          }))
          if (answer.leased.length > 0) unfinished.push({ index, work: { ...value, recipients } })
        } else if (kind < 0.65) {
          const works = await store.claim(claimRequest(tokens[index]!, { now: NOW + 10, maxRecipients: 9 }))
          for (const work of works) unfinished.push({ index, work })
        } else if (kind < 0.85) {
          await Promise.all(
            unfinished.splice(0, 4).map(({ index, work }) => {
              const results = work.recipients.map(({ position }) =>
                random() < 0.5
                  ? result(position, { suppress: random() < 0.2, state: 'bounced' })
                  : deferred(position, NOW + Math.floor(random() * 20), { held: random() < 0.5 }),
              )
              return stores[index]!.record(attempt(work, tokens[index]!, results))
            }),
          )
        } else if (kind < 0.9 && emails.length > 0) {
          await store.cancel(pick(emails).id, NOW)
        } else if (kind < 0.94) {
          await store.releaseHeld('domain', { now: NOW, dueBefore: NOW + 100 })
        } else if (kind < 0.96) {
          await store.leave(tokens[index]!)
          tokens[index] = await store.join(NODE)
        } else if (kind < 0.98) {
          await store.recover({ now: NOW, jitterMs: 5 })
        } else {
          await store.retain({ contentBefore: NOW + 1, emailsBefore: NOW - 1, limit: 5 })
        }
      }
    })
    // Eight at a time, in an order that the database decides.
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step()
      }),
    )
    for (const { id } of emails) {
      const { recipients } = (await first.readHistory(id))!
      assert.equal(recipients.length, 3)
      // Throws when a file is gone that the email refers to.
      const work = await first.readWork(id)
      if (recipients.some(({ state }) => state === 'waiting' || state === 'sending')) assert.ok(work !== null)
    }
    for (const store of stores) await store.close()
    // The conflicts of a connection are in the statistics once it has ended.
    const sql = 'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()'
    assert.deepEqual(await execute(url, sql), [{ deadlocks: 0 }])
  })
})

function attachment(content: Uint8Array) {
  return { filename: 'a.txt', contentType: 'text/plain', content, disposition: 'attachment' as const }
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
