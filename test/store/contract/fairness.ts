import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Company } from '../../../src/accounts/account.ts'
import type { ClaimedEmail, Store } from '../../../src/store/store.ts'
import {
  accept,
  acme,
  attempt,
  claimRequest,
  deferred,
  email,
  HOUR,
  NOW,
  result,
  skipped,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'

/** In batch sending each recipient is claimed by itself. */
async function flood(store: Store, owner: Company, emails: number, addresses: (n: number) => string[]) {
  const values = Array.from({ length: emails }, (_, n) => email(owner, addresses(n), { individual: true }))
  await Promise.all(values.map((value) => store.accept(value, null)))
}

function perCompany(claimed: readonly ClaimedEmail[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { companyId, recipients } of claimed) {
    counts.set(companyId, (counts.get(companyId) ?? 0) + recipients.length)
  }
  return counts
}

/** Ends everything an earlier run left, so that each run (and each step of shrinking) starts alike. */
async function drain(store: Store, now: number, token: number): Promise<void> {
  await store.recover({ now, jitterMs: 0 })
  for (let some = true; some; ) {
    const works = await store.claim(claimRequest(token, { now }))
    const ended = works.map((work) => {
      const results = work.recipients.map(({ position }) => result(position))
      return store.record(attempt(work, token, results))
    })
    await Promise.all(ended)
    some = works.length > 0
  }
}

export function fairnessContract(open: OpenBench): void {
  describe('fairness', () => {
    test('one email behind another company’s twenty thousand recipients is in the first claim', async (t) => {
      const { store } = await open(t)
      const large = await acme(store, 'Large')
      const small = await acme(store, 'Small')
      await flood(store, large, 40, (n) => Array.from({ length: 500 }, (_, i) => `r${i}@x${n % 7}.test`))
      await accept(store, email(small, ['a@x0.test'], { dueAt: NOW, createdAt: NOW }))
      const claimed = await store.claim(claimRequest(1, { maxRecipients: 50 }))
      const counts = perCompany(claimed)
      assert.equal(counts.get(small.id), 1)
      assert.equal(counts.get(large.id), 49)
    })

    test('companies share a claim evenly, and take turns when there are more than places', async (t) => {
      const { store } = await open(t)
      const owners: Company[] = []
      for (let n = 0; n < 8; n++) owners.push(await acme(store, `Company ${n}`))
      for (const owner of owners) await flood(store, owner, 10, () => ['a@x.test'])
      const even = perCompany(await store.claim(claimRequest(1, { maxRecipients: 32 })))
      assert.deepEqual([...even.values()], Array(8).fill(4))
      const first = perCompany(await store.claim(claimRequest(1, { maxRecipients: 4 })))
      const second = perCompany(await store.claim(claimRequest(1, { maxRecipients: 4 })))
      assert.equal(new Set([...first.keys(), ...second.keys()]).size, 8)
    })

    test('a claim takes at most the requested number of one company, however much mail waits', async (t) => {
      const { store } = await open(t)
      const one = await acme(store, 'One')
      await flood(store, one, 20, (n) => ['a', 'b', 'c'].map((name) => `${name}@x${n % 3}.test`))
      const alone = perCompany(await store.claim(claimRequest(1, { maxPerCompany: 5 })))
      assert.deepEqual([...alone], [[one.id, 5]])
      const two = await acme(store, 'Two')
      await flood(store, two, 20, (n) => ['a', 'b', 'c'].map((name) => `${name}@x${n % 3}.test`))
      const both = perCompany(await store.claim(claimRequest(1, { maxPerCompany: 5 })))
      assert.deepEqual(
        both,
        new Map([
          [one.id, 5],
          [two.id, 5],
        ]),
      )
    })

    test('a claim goes beyond the requested number of a company only to complete one transaction', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      for (let n = 0; n < 20; n++) await accept(store, email(owner, ['a@x.test', 'b@x.test', 'c@x.test']))
      const claimed = await store.claim(claimRequest(1, { maxPerCompany: 5 }))
      assert.deepEqual(
        claimed.map(({ recipients }) => recipients.length),
        [3, 3],
      )
    })

    test('a destination with a long queue leaves their turns to the other destinations of the company', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      await flood(store, owner, 500, () => ['a@crowded.test'])
      await accept(store, email(owner, ['a@quiet.test'], { dueAt: NOW - 1 + 1 }))
      const claimed = await store.claim(claimRequest(1, { maxRecipients: 10 }))
      const domains = claimed.flatMap(({ recipients }) => recipients.map(({ domain }) => domain))
      assert.ok(domains.includes('quiet.test'), domains.join())
      assert.equal(domains.length, 10)
    })

    test('scheduled mail costs a claim nothing and hides no due mail', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const later = Array.from({ length: 3_000 }, (_, n) => {
        return email(owner, [`a@later${n}.test`], { dueAt: NOW + HOUR + n, scheduledAt: NOW + HOUR + n })
      })
      await Promise.all(later.map((value) => store.accept(value, null)))
      const due = await accept(store, email(owner, ['a@zzz.test']))
      const claimed = await store.claim(claimRequest(1))
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [due.id],
      )
      const all = new Set<string>()
      for (let n = 0; n < 40; n++) {
        for (const { id } of await store.claim(claimRequest(1, { now: NOW + 2 * HOUR }))) all.add(id)
      }
      assert.equal(all.size, 3_000)
    })

    test('every recipient is claimed exactly once, whatever happens in between', async (t) => {
      const { store } = await open(t)
      const owners: Company[] = []
      for (let n = 0; n < 3; n++) owners.push(await acme(store, `Company ${n}`))
      const step = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            kind: fc.constant('accept' as const),
            owner: fc.nat(2),
            domains: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
            delay: fc.nat(50),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('claim' as const),
            limit: fc.integer({ min: 1, max: 8 }),
            pass: fc.nat(30),
            skip: fc.nat(4),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('finish' as const),
            retry: fc.boolean(),
            wait: fc.nat(40),
          }),
        },
      )
      let now = NOW
      let token = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          now += 1_000
          await drain(store, now, ++token)
          const unfinished = new Map<string, number>()
          const held: { token: number; work: ClaimedEmail }[] = []
          const take = async (limit: number, skip: string[]) => {
            token++
            const works = await store.claim(
              claimRequest(token, { now, maxRecipients: limit, rooms: skipped(skip) }),
            )
            for (const work of works) {
              held.push({ token, work })
              for (const { position, domain } of work.recipients) {
                const name = `${work.id}:${position}`
                assert.ok(unfinished.get(name)! <= now, `${name} was due`)
                assert.ok(!skip.includes(`${work.companyId}\0${domain}`))
                unfinished.delete(name)
              }
            }
            return works.length
          }
          const finish = async (retry: boolean, wait: number) => {
            const item = held.shift()
            if (item === undefined) return
            const { work } = item
            const results = work.recipients.map(({ position }) => {
              if (!retry) return result(position)
              unfinished.set(`${work.id}:${position}`, now + wait)
              return deferred(position, now + wait)
            })
            assert.deepEqual(await store.record(attempt(work, item.token, results)), { refused: [] })
          }
          for (const step of steps) {
            if (step.kind === 'accept') {
              const addresses = step.domains.map((n, i) => `r${i}@x${n}.test`)
              const value = email(owners[step.owner]!, addresses, { dueAt: now + step.delay })
              await accept(store, value)
              for (const position of addresses.keys()) unfinished.set(`${value.id}:${position}`, value.dueAt)
            } else if (step.kind === 'claim') {
              now += step.pass
              await take(step.limit, [`${owners[0]!.id}\0x${step.skip}.test`])
            } else {
              await finish(step.retry, step.wait)
            }
            const earliest = Math.min(...unfinished.values())
            assert.equal(await store.nextDue(), unfinished.size === 0 ? null : earliest)
          }
          now += 100
          while ((await take(8, [])) > 0);
          assert.deepEqual([...unfinished.keys()], [])
          while (held.length > 0) await finish(false, 0)
        }),
        { numRuns: 40 },
      )
    })
  })
}
