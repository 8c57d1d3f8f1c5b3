import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type NewEmail, StoreConflict } from '../../../src/store/store.ts'
import { acme, company, DAY, email, eventNames, HOUR, NOW, newId, states, suppression } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function togetherContract(open: OpenBench): void {
  describe('emails that are accepted together', () => {
    test('are there in one commit, each as if it had come alone', async (t) => {
      const { store, commits } = await open(t)
      const owner = await acme(store)
      await store.addSuppressions([suppression(owner, 'gone@x.test')])
      const content = Uint8Array.of(1, 2, 3)
      const file = { filename: 'f', contentType: 'image/png', disposition: 'attachment', content } as const
      const plain = email(owner, ['a@x.test'])
      const emails: NewEmail[] = [
        plain,
        email(owner, ['b@x.test', 'gone@x.test', 'c@x.test']),
        email(owner, ['d@x.test'], { scheduledAt: NOW + HOUR, dueAt: NOW + HOUR }),
        { ...email(owner, ['e@x.test']), content: { ...plain.content, attachments: [file] } },
      ]
      const before = commits()
      const accepted = await store.acceptAll({ emails, idempotency: null }, { token: 1 })
      assert.equal(commits() - before, 1)
      assert.deepEqual(accepted, { kind: 'accepted', leased: [[0], [0, 2], [], [0]] })
      assert.deepEqual(await states(store, emails[1]!.id), ['sending', 'suppressed', 'sending'])
      assert.deepEqual(await eventNames(store, emails[2]!.id), ['scheduled'])
      const work = await store.readWork(emails[3]!.id)
      assert.deepEqual([...work!.content.attachments[0]!.content], [1, 2, 3])
      assert.deepEqual(await store.acceptAll({ emails: [], idempotency: null }, null), {
        kind: 'accepted',
        leased: [],
      })
    })

    test('are all there or none', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const first = email(owner, ['a@x.test'])
      const twin = { ...email(owner, ['b@x.test']), id: first.id }
      const idempotency = { key: 'k', fingerprint: 'f' }
      const attempts = [
        [email(owner, ['a@x.test']), email(company('Nobody'), ['b@x.test'])],
        [email(company('Nobody'), ['b@x.test'])],
        [first, email(owner, ['c@x.test']), twin],
      ]
      for (const emails of attempts) {
        await assert.rejects(store.acceptAll({ emails, idempotency }, null), StoreConflict)
      }
      assert.deepEqual(await store.listEmails({ limit: 10 }), [])
      // Beside others that share its commit.
      const [alone, failed] = await Promise.allSettled([
        store.accept(email(owner, ['d@x.test']), null),
        store.acceptAll({ emails: attempts[2]!, idempotency }, null),
      ])
      assert.deepEqual([alone.status, failed.status], ['fulfilled', 'rejected'])
      assert.equal((await store.listEmails({ limit: 10 })).length, 1)
      const kept = await store.acceptAll({ emails: [first], idempotency }, null)
      assert.equal(kept.kind, 'accepted', 'what was refused has not used up its key')
    })

    test('have one idempotency key, which answers with all of them for a day', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const idempotency = { key: 'order-7', fingerprint: 'f' }
      const made = (createdAt = NOW) => [1, 2, 3].map((n) => email(owner, [`r${n}@x.test`], { createdAt }))
      const first = made()
      const all = first.map(({ id, content: { messageId } }) => ({ id, messageId }))
      const given = { emails: first, idempotency }
      assert.equal(await store.repeated(owner.id, idempotency, NOW), null)
      assert.equal((await store.acceptAll(given, null)).kind, 'accepted')
      assert.deepEqual(await store.repeated(owner.id, idempotency, NOW + DAY - 1), all)
      const again = await store.acceptAll({ emails: made(NOW + DAY - 1), idempotency }, { token: 1 })
      assert.deepEqual(again, { kind: 'repeated', emails: all })
      const other = { key: 'order-7', fingerprint: 'g' }
      assert.equal(await store.repeated(owner.id, other, NOW), null)
      assert.equal(await store.repeated(owner.id, idempotency, NOW + DAY), null)
      assert.equal(await store.repeated((await acme(store, 'Other')).id, idempotency, NOW), null)
      assert.deepEqual(await store.acceptAll({ emails: made(), idempotency: other }, null), {
        kind: 'conflict',
      })
      const single = email(owner, ['a@x.test'], { idempotency })
      assert.deepEqual(await store.accept(single, null), { kind: 'conflict' }, 'another kind of request')
      assert.equal((await store.listEmails({ limit: 10 })).length, 3)

      const late = await store.accept({ ...single, id: newId(), createdAt: NOW + DAY }, null)
      assert.equal(late.kind, 'accepted')
      const { id, content } = single
      const [repeated, ...more] = (await store.repeated(owner.id, idempotency, NOW + DAY + 1)) ?? []
      assert.deepEqual([repeated?.messageId, more], [content.messageId, []])
      assert.notEqual(repeated?.id, id)
      const batch = { emails: made(NOW + DAY + 1), idempotency }
      assert.deepEqual(await store.acceptAll(batch, null), { kind: 'conflict' })
    })

    test('with one key, however many at once, are kept once', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const owner = await acme(store)
      const idempotency = { key: 'k', fingerprint: 'f' }
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const emails = [email(owner, ['a@x.test']), email(owner, ['b@x.test'])]
          return stores[n % 2]!.acceptAll({ emails, idempotency }, null)
        }),
      )
      assert.equal(answers.filter(({ kind }) => kind === 'accepted').length, 1)
      const repeated = answers.flatMap((answer) =>
        answer.kind === 'repeated' ? [JSON.stringify(answer.emails)] : [],
      )
      assert.equal(repeated.length, 11)
      assert.equal(new Set(repeated).size, 1)
      assert.equal((await store.listEmails({ limit: 10 })).length, 2)
    })
  })

  describe('a quota', () => {
    test('counts recipients by day and month, and refuses those beyond it', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const quota = { daily: 5, monthly: 8 }
      const made = (count: number, createdAt = NOW, change: Partial<NewEmail> = {}) => {
        const to = Array.from({ length: count }, (_, n) => `r${n}@x.test`)
        return email(owner, to, { createdAt, quota, ...change })
      }
      const used = async (at = NOW) => {
        const { daily, monthly } = await store.quotaUsed(owner.id, at)
        return [daily, monthly]
      }
      const kindOf = async (value: NewEmail) => (await store.accept(value, null)).kind
      assert.deepEqual(await used(), [0, 0])
      assert.equal(await kindOf(made(3)), 'accepted')
      const idempotency = { key: 'k', fingerprint: 'f' }
      const over = made(3, NOW, { idempotency })
      assert.deepEqual(await store.accept(over, null), { kind: 'over-quota', which: 'daily', limit: 5 })
      assert.equal(await store.readEmail(over.id), null)
      assert.deepEqual(await used(), [3, 3])
      assert.equal(await kindOf(made(2, NOW, { idempotency })), 'accepted', 'its key was not used up')
      assert.equal(await kindOf(made(2, NOW, { idempotency })), 'repeated')
      assert.deepEqual(await used(), [5, 5], 'what is repeated counts once')
      const tomorrow = NOW + DAY
      assert.deepEqual(await used(tomorrow), [0, 5])
      assert.equal(await kindOf(made(3, tomorrow)), 'accepted')
      assert.deepEqual(await store.accept(made(1, tomorrow), null), {
        kind: 'over-quota',
        which: 'monthly',
        limit: 8,
      })
      assert.deepEqual(await used(tomorrow), [3, 8])
      const midnight = Date.UTC(2026, 10, 21)
      const late = made(1, midnight - 1, { quota: { daily: 3, monthly: null } })
      assert.equal(await kindOf(late), 'over-quota', 'the clock of a node that is behind begins no day anew')
      assert.equal(await kindOf(made(1, tomorrow, { quota: { daily: 4, monthly: null } })), 'accepted')
      const nextMonth = NOW + 30 * DAY
      assert.deepEqual(await used(nextMonth), [0, 0])
      assert.equal(await kindOf(email(owner, ['a@x.test'])), 'accepted', 'without one nothing is counted')
      assert.deepEqual(await used(tomorrow), [4, 9])
      assert.deepEqual(await used(), [0, 9], 'a clock that was ahead does not use up today')
    })

    test('counts emails that come together as one', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const quota = { daily: 3, monthly: null }
      const idempotency = { key: 'k', fingerprint: 'f' }
      const made = (count: number) =>
        Array.from({ length: count }, () => email(owner, ['a@x.test'], { quota }))
      assert.deepEqual(await store.acceptAll({ emails: made(4), idempotency }, null), {
        kind: 'over-quota',
        which: 'daily',
        limit: 3,
      })
      assert.deepEqual(await store.listEmails({ limit: 10 }), [])
      assert.equal((await store.acceptAll({ emails: made(3), idempotency }, null)).kind, 'accepted')
      assert.equal((await store.acceptAll({ emails: made(3), idempotency }, null)).kind, 'repeated')
      assert.deepEqual(await store.quotaUsed(owner.id, NOW), { daily: 3, monthly: 3 })
    })

    test('is exact, however many nodes accept at once', async (t) => {
      const { store, another } = await open(t)
      const stores = [store, await another()]
      const owner = await acme(store)
      const other = await acme(store, 'Other')
      const quota = { daily: 37, monthly: null }
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, n) => {
          const beside = n % 4 === 3
          const value = email(beside ? other : owner, ['a@x.test'], beside ? {} : { quota })
          return stores[n % 2]!.accept(value, null)
        }),
      )
      const count = (kind: string) => answers.filter((answer) => answer.kind === kind).length
      assert.equal(count('accepted'), 37 + 20)
      assert.equal(count('over-quota'), 23)
      assert.equal((await store.quotaUsed(owner.id, NOW)).daily, 37)
    })
  })
}
