import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Store, StoreChange } from '../../../src/store/store.ts'
import {
  acme,
  apiKey,
  attempt,
  claimRequest,
  company,
  email,
  HOUR,
  NOW,
  node,
  result,
  suppress,
} from '../samples.ts'
import type { OpenBench } from './contract.ts'
import { bounce, inboundMail } from './inbound-mails.ts'
import { webhook } from './webhooks.ts'

/** Resolves with the next change of this kind. */
function next(store: Store, kind: StoreChange): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch((change) => {
      if (change !== kind) return
      stop()
      resolve()
    })
  })
}

export function watchContract(open: OpenBench): void {
  describe('watch', () => {
    test('reports changes made here', async (t) => {
      const { store } = await open(t)
      const seen: StoreChange[] = []
      const stop = store.watch((change) => seen.push(change))
      const owner = await acme(store)
      assert.deepEqual(seen, ['accounts'])
      await store.addKey(apiKey(owner))
      assert.deepEqual(seen, ['accounts', 'accounts'])
      seen.length = 0
      const value = email(owner, ['a@x.test'])
      await store.accept(value, null)
      assert.deepEqual(seen, ['queue'])
      await store.cancel(value.id, NOW)
      assert.deepEqual(seen, ['queue', 'queue'])
      seen.length = 0
      const leased = email(owner, ['a@x.test'])
      await store.accept(leased, { token: 1 })
      await store.record(attempt(leased, 1, [result(0, { suppress: true })]))
      assert.deepEqual(seen, ['stops'])
      seen.length = 0
      await store.claim(claimRequest(1))
      await store.probe()
      const token = await store.join(node('here'))
      await store.beat(token)
      assert.deepEqual(seen, [])
      await store.removeSuppressions({ companyId: owner.id, address: 'a@x.test' })
      assert.deepEqual(seen, ['queue'])
      stop()
      await store.addCompany(company('Unseen'))
      assert.deepEqual(seen, ['queue'])
    })

    test('reports the queue only when a report ends a waiting recipient', async (t) => {
      const { store } = await open(t)
      const owner = await acme(store)
      const value = email(owner, ['waits@x.test', 'has@x.test', 'ended@x.test'])
      await store.accept(value, { token: 1 })
      const waits = result(0, { state: 'waiting', dueAt: NOW + HOUR, events: [] })
      await store.record(attempt(value, 1, [waits, result(1), result(2)]))
      const seen: StoreChange[] = []
      t.after(store.watch((change) => seen.push(change)))
      await store.keepInboundMails(
        [1, 2].map((position) => {
          const mail = inboundMail({ emailId: value.id })
          return { mail, reports: [bounce(value.id, position, `r${position}`)] }
        }),
      )
      assert.deepEqual(seen, ['stops'])
      await store.happened([bounce(value.id, 0, 'r0')])
      assert.deepEqual(seen.slice(1).toSorted(), ['queue', 'stops'])
    })

    test('reports changes made by another node', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      const other = await another()
      const accounts = next(store, 'accounts')
      const key = apiKey(owner)
      await other.addKey(key)
      await accounts
      const revoked = next(store, 'accounts')
      await other.revokeKey(key.id, NOW)
      await revoked
      assert.equal((await store.accounts()).keys[0]?.revokedAt, NOW)
    })

    test('reports everything that stops mail, wherever it comes from', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      const other = await another()
      const value = email(owner, ['a@x.test'])
      await store.accept(value, { token: 1 })
      const steps: (() => Promise<unknown>)[] = [
        () => suppress(other, owner.id, 'a@x.test', 'asked to', NOW),
        () => other.pause({ companyId: owner.id, domain: null, since: NOW }),
        () => other.resume({ companyId: owner.id, domain: null }, NOW),
        () => other.cancel(value.id, NOW),
        () => suppress(store, owner.id, 'b@x.test', 'asked to', NOW),
        () => store.pause({ companyId: null, domain: 'x.test', since: NOW }),
        () => store.resume({ companyId: null, domain: 'x.test' }, NOW),
      ]
      for (const step of steps) {
        const told = next(store, 'stops')
        await step()
        await told
      }
    })

    test('reports every change of webhooks, wherever it comes from', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      for (const changing of [await another(), store]) {
        const one = webhook(owner.id)
        const steps: (() => Promise<unknown>)[] = [
          () => changing.addWebhook(one),
          () => changing.updateWebhook(one.id, { status: 'disabled' }),
          () => changing.replayWebhook(one.id, [{ number: 1 }], NOW),
          () => changing.setSigningKey(owner.id, Uint8Array.of(1), true),
          () => changing.removeWebhook(one.id),
        ]
        for (const step of steps) {
          const told = next(store, 'webhooks')
          await step()
          await told
        }
      }
    })

    test('a node that leaves notifies the others to look for the work it has given back', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const token = await other.join(node('there'))
      const queue = next(store, 'queue')
      await other.leave(token)
      await queue
    })

    test('work accepted by another node is noticed and can be claimed', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      const other = await another()
      assert.deepEqual(await store.claim(claimRequest(1)), [])
      const queue = next(store, 'queue')
      const value = email(owner, ['a@elsewhere.test'])
      await other.accept(value, null)
      await queue
      const [claimed] = await store.claim(claimRequest(2))
      assert.equal(claimed?.id, value.id)
      assert.deepEqual(await other.claim(claimRequest(3)), [])
    })
  })

  describe('probe and close', () => {
    test('a probe that asks for room commits, again and again', async (t) => {
      const { store, commits } = await open(t)
      const before = commits()
      for (let asked = 1; asked <= 3; asked++) await store.probe(1024 * 1024)
      assert.equal(commits() - before, 9)
    })

    test('a probe commits', async (t) => {
      const { store, commits } = await open(t)
      const before = commits()
      await store.probe()
      assert.equal(commits() - before, 1)
    })

    test('calls made before the close are carried out, and later calls are refused', async (t) => {
      const { store, another } = await open(t)
      const owner = await acme(store)
      const values = Array.from({ length: 100 }, () => email(owner, ['a@x.test']))
      const accepted = values.map((value) => store.accept(value, null))
      await store.close()
      await Promise.all(accepted)
      await assert.rejects(store.probe(), { name: 'StoreUnavailable' })
      await assert.rejects(store.readEmail(values[0]!.id), { name: 'StoreUnavailable' })
      await store.close()
      const later = await another()
      assert.equal((await later.listEmails({ limit: 1_000 })).length, 100)
    })
  })
}
