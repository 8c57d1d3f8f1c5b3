import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { PostgresCluster } from '../../../harness/postgres-cluster.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { type NewEmail, StoreUnavailable } from '../../../src/store/store.ts'
import { createDatabase, execute, withoutPostgres } from '../../support/postgres.ts'
import { acme, attempt, claimRequest, email, NOW, node, result } from '../samples.ts'

const NODE = node('node')

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`

describe('the server under load', { skip: withoutPostgres() }, () => {
  test('is killed and restarted, and its backends ended: accepted mail is there, refused mail is not, nothing hangs', async (t) => {
    const cluster = await PostgresCluster.start()
    t.after(() => cluster.remove())
    const url = await createDatabase(cluster.url)
    const store = await PostgresStore.open(url)
    t.after(() => store.close())
    const owner = await acme(store)
    const token = await store.join(NODE)
    const accepted = new Map<string, NewEmail>()
    const refused: string[] = []
    const recorded = new Set<string>()
    let over = false

    const accepting = Array.from({ length: 20 }, async (_, worker) => {
      for (let n = 0; !over; n++) {
        const leased = worker % 2 === 0
        const key = worker % 4 === 1 ? { key: `${worker}-${n}`, fingerprint: 'f' } : null
        const value = email(owner, [`a@x${n % 5}.test`], { idempotency: key })
        try {
          await store.accept(value, leased ? { token } : null)
          accepted.set(value.id, value)
          if (leased && n % 2 === 0) {
            await store.record(attempt(value, token, [result(0)]))
            recorded.add(value.id)
          }
        } catch (error) {
          assert.ok(error instanceof StoreUnavailable, String(error))
          assert.doesNotMatch(error.message, new RegExp(new URL(url).password))
          if (!accepted.has(value.id)) refused.push(value.id)
          // Refusals are quick while nothing answers: the server is to get its turn.
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
    })
    const progress = async () => {
      for (const before = accepted.size; accepted.size < before + 300; ) await turn()
    }
    await progress()
    for (const mode of ['kill', 'fast', 'immediate'] as const) {
      await cluster.restart(mode)
      await progress()
    }
    for (let n = 0; n < 5; n++) {
      await execute(url, TERMINATE)
      await progress()
    }
    over = true
    await Promise.all(accepting)
    await store.close()

    const after = await PostgresStore.open(url)
    t.after(() => after.close())
    for (const id of accepted.keys()) assert.ok((await after.readEmail(id)) !== null, `${id} was accepted`)
    for (const id of refused) assert.equal(await after.readEmail(id), null, `${id} was refused`)
    for (const id of recorded) {
      const { recipients, attempts } = (await after.readHistory(id))!
      assert.equal(recipients[0]?.state, 'delivered')
      assert.equal(attempts.length, 1)
    }
    await after.leave(token)
    await after.recover({ now: NOW, jitterMs: 0 })
    const left = new Set<string>()
    for (let works = await after.claim(claimRequest(token + 1)); works.length > 0; ) {
      for (const { id } of works) left.add(id)
      works = await after.claim(claimRequest(token + 1))
    }
    for (const id of accepted.keys()) {
      if (left.has(id) || recorded.has(id)) continue
      // Its record was written, but the answer was lost.
      assert.equal((await after.readHistory(id))?.recipients[0]?.state, 'delivered', id)
    }
    for (const id of left) assert.ok(accepted.has(id) && !recorded.has(id), id)
  })
})
