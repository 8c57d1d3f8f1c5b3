import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Company } from '../../../src/accounts/account.ts'
import type { NewEmail, Store } from '../../../src/store/store.ts'
import { acme, attempt, DAY, email, HOUR, NOW, result } from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** Accepted at `createdAt` with these files, and delivered by default. */
async function past(
  store: Store,
  owner: Company,
  createdAt: number,
  files: Uint8Array[] = [],
  deliver = true,
): Promise<NewEmail> {
  const value = email(owner, ['a@x.test'], { createdAt })
  value.content.attachments = files.map((content, n) => {
    return { filename: `f${n}`, contentType: 'text/plain', content, disposition: 'attachment' }
  })
  await store.accept(value, deliver ? { token: 1 } : null)
  if (deliver) await store.record(attempt(value, 1, [result(0)], { captured: Uint8Array.of(1) }))
  return value
}

async function retainAll(
  store: Store,
  contentBefore: number,
  emailsBefore: number,
  limit = 2,
): Promise<number> {
  let touched = 0
  while (true) {
    const step = await store.retain({ contentBefore, emailsBefore, limit })
    assert.ok(step <= limit)
    if (step === 0) return touched
    touched += step
  }
}

export function retentionContract(open: OpenBench): void {
  describe('retain', () => {
    test('removes the content of some companies and domains earlier, and goes on where it has stopped', async (t) => {
      const { store } = await open(t)
      const [short, other] = [await acme(store), await acme(store, 'Other')]
      const of = [await past(store, short, NOW - 4 * DAY), await past(store, short, NOW - 3 * DAY)]
      const foreign = await past(store, other, NOW - 3 * DAY)
      const unfinished = await past(store, short, NOW - 3 * DAY, [], false)
      const last = await past(store, short, NOW - 2 * DAY)
      const young = await past(store, short, NOW - HOUR)
      const removed = async ({ id }: NewEmail) => (await store.readEmail(id))!.contentRemoved
      const which = async () =>
        await Promise.all([...of, foreign, unfinished, last, young].map((each) => removed(each)))
      const companies = new Map([[short.id, DAY]])
      const request = { companies, domains: new Map(), now: NOW, after: null, limit: 2 }
      const first = await store.retainShorter(request)
      assert.deepEqual([first.touched, first.done], [2, false])
      assert.deepEqual(await which(), [true, true, false, false, false, false])
      const second = await store.retainShorter({ ...request, after: first.reached })
      assert.deepEqual([second.touched, second.done], [1, true])
      assert.deepEqual(await which(), [true, true, false, false, true, false])
      // The young one is looked at again when it is old enough.
      const third = await store.retainShorter({ ...request, after: second.reached, now: NOW + DAY })
      assert.deepEqual([third.touched, third.done], [1, true])
      assert.deepEqual(await which(), [true, true, false, false, true, true])
      // By domain, from the oldest again: each owner has its own period.
      const keptLonger = await store.retainShorter({
        ...request,
        domains: new Map([[foreign.domainId, 3 * DAY + 1]]),
      })
      assert.deepEqual([keptLonger.touched, keptLonger.done], [0, true])
      const fourth = await store.retainShorter({
        ...request,
        domains: new Map([[foreign.domainId, 2 * DAY]]),
      })
      assert.deepEqual([fourth.touched, fourth.done], [1, true])
      assert.deepEqual(await which(), [true, true, true, false, true, true])
      const none = new Map([['x', DAY]])
      const nobody = await store.retainShorter({ ...request, companies: none, domains: none })
      assert.deepEqual([nobody.touched, nobody.done], [0, true])
    })

    test('removes content first, then the email with everything', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const old = [await past(store, owner, NOW - 10 * DAY), await past(store, owner, NOW - 9 * DAY)]
      const middle = [await past(store, owner, NOW - 5 * DAY), await past(store, owner, NOW - 4 * DAY)]
      const young = await past(store, owner, NOW)
      await retainAll(store, NOW - 3 * DAY, NOW - 8 * DAY)

      for (const { id } of old) {
        assert.equal(await store.readEmail(id), null)
        assert.equal(await store.readHistory(id), null)
      }
      for (const { id } of middle) {
        const stored = await store.readEmail(id)
        assert.equal(stored?.contentRemoved, true)
        assert.equal(stored?.content.text, undefined)
        assert.equal(stored?.content.subject, `Subject of ${id}`)
        assert.equal(await store.readWork(id), null)
        assert.deepEqual(await store.readCaptured(id), [])
        const history = await store.readHistory(id)
        assert.equal(history?.events.length, 2)
        assert.equal(history?.attempts.length, 1)
      }
      assert.equal((await store.readEmail(young.id))?.contentRemoved, false)
      assert.equal((await store.readCaptured(young.id)).length, 1)
      assert.equal(await retainAll(store, NOW - 3 * DAY, NOW - 8 * DAY), 0)
    })

    test('leaves waiting mail and mail under way alone, and removes it once it is done', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const waiting = await past(store, owner, NOW - 10 * DAY, [], false)
      const leased = email(owner, ['a@x.test'], { createdAt: NOW - 10 * DAY })
      await store.accept(leased, { token: 5 })
      const done = await past(store, owner, NOW - 10 * DAY)
      assert.ok((await retainAll(store, NOW, NOW)) >= 1)
      assert.equal((await store.readEmail(waiting.id))?.contentRemoved, false)
      assert.equal((await store.readEmail(leased.id))?.contentRemoved, false)
      assert.equal(await store.readEmail(done.id), null)
      await store.record(attempt(leased, 5, [result(0)]))
      assert.ok((await retainAll(store, NOW, NOW)) >= 1)
      assert.equal(await store.readEmail(leased.id), null)
    })

    test('a file that emails share stays until the last of them goes', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const file = randomBytes(50_000)
      const first = await past(store, owner, NOW - 10 * DAY, [file, file])
      const second = await past(store, owner, NOW - 5 * DAY, [randomBytes(10), file])
      const foreign = await past(store, other, NOW - 10 * DAY, [file])
      await retainAll(store, NOW - 8 * DAY, NOW - 100 * DAY)
      assert.equal(await store.readWork(first.id), null)
      assert.equal(await store.readWork(foreign.id), null)
      const kept = await store.readWork(second.id)
      assert.deepEqual(kept?.content.attachments[1]?.content, new Uint8Array(file))
      await retainAll(store, NOW, NOW - 100 * DAY)
      const third = await past(store, owner, NOW, [file])
      const again = await store.readWork(third.id)
      assert.deepEqual(again?.content.attachments[0]?.content, new Uint8Array(file))
    })

    test('walks past any number of unfinished emails', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const unfinished = Array.from({ length: 1_100 }, () =>
        email(owner, ['a@x.test'], { createdAt: NOW - DAY }),
      )
      await Promise.all(unfinished.map((value) => store.accept(value, null)))
      const done = await past(store, owner, NOW - DAY)
      await retainAll(store, NOW, NOW, 100)
      assert.equal(await store.readEmail(done.id), null)
      assert.equal((await store.counts(NOW)).waiting, 1_100)
    })

    test('finds old mail behind mail accepted while the clock was ahead', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const ahead = Array.from({ length: 600 }, () =>
        email(owner, ['a@x.test'], { createdAt: Date.now() + DAY }),
      )
      await Promise.all(ahead.map((value) => store.accept(value, null)))
      const done = await past(store, owner, NOW - DAY)
      await retainAll(store, NOW, NOW, 100)
      assert.equal(await store.readEmail(done.id), null)
      assert.equal((await store.readEmail(ahead[0]!.id))?.contentRemoved, false)
    })

    test('single emails are removed completely, at any age, and leave searches and the log in order', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const file = randomBytes(100)
      const [kept, gone, newest] = [
        await past(store, owner, NOW, [file]),
        await past(store, owner, NOW + 1, [file]),
        await past(store, owner, NOW + 2),
      ]
      const waiting = await past(store, owner, NOW + 3, [], false)
      const wanted = [gone.id, newest.id, waiting.id, 'no id', gone.id]
      assert.deepEqual(new Set(await store.removeEmails(wanted)), new Set([gone.id, newest.id]))
      assert.deepEqual(await store.removeEmails(wanted), [])
      for (const { id } of [gone, newest]) {
        assert.deepEqual(
          [await store.readHistory(id), await store.readCaptured(id), await store.listFiles(id)],
          [null, [], []],
        )
      }
      assert.deepEqual(
        Buffer.from((await store.readFile(kept.id, 0))!),
        file,
        'a file that another email has stays',
      )
      const listed = async () =>
        (await store.listEmails({ companyId: owner.id, limit: 9 })).map(({ id }) => id)
      assert.deepEqual(await listed(), [waiting.id, kept.id])
      await store.cancel(waiting.id, NOW)
      assert.deepEqual(await store.removeEmails([waiting.id]), [waiting.id])
      const next = await past(store, owner, NOW + 4)
      assert.deepEqual(await listed(), [next.id, kept.id])
      assert.equal((await store.readHistory(next.id))?.events.length, 2)
    })

    test('idempotency keys older than a day are forgotten', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const idempotency = { key: 'k', fingerprint: 'f' }
      const long = Date.now() - 2 * DAY
      await store.accept(email(owner, ['a@x.test'], { idempotency, createdAt: long }), null)
      assert.equal(await store.retain({ contentBefore: 0, emailsBefore: 0, limit: 10 }), 0)
      const again = email(owner, ['a@x.test'], { idempotency, createdAt: long + 1 })
      assert.equal((await store.accept(again, null)).kind, 'accepted')
    })
  })
}
