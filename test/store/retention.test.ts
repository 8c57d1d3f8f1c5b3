import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { NO_LIMITS } from '../../src/accounts/account.ts'
import { RetentionLoop } from '../../src/store/retention.ts'
import { type RetentionAccounts, ShorterRetentions } from '../../src/store/shorter-retention.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { ShorterRetention } from '../../src/store/store.ts'
import { until } from '../support/until.ts'
import { linkOf, person, sessionOf, tokenHash } from './contract/people.ts'
import { temporaryDirectory } from './directory.ts'
import { acme, DAY, domain, HOUR, suppression } from './samples.ts'

test('a service removes sessions and links that have expired', async (t) => {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: true })
  t.after(() => store.close())
  const ada = person()
  await store.addPerson(ada)
  const now = Date.now()
  await store.addSession(sessionOf(ada, { expiresAt: now - 1 }), tokenHash())
  await store.addLink(linkOf(ada, { expiresAt: now - 1 }), tokenHash())
  const stays = sessionOf(ada, { expiresAt: now + HOUR })
  await store.addSession(stays, tokenHash())
  const faults: unknown[] = []
  const periods = { contentRetention: DAY, emailRetention: DAY, apiLogRetention: DAY, inboundRetention: DAY }
  const accounts = () => ({ companies: [], domains: [] })
  const retention = new RetentionLoop(store, periods, accounts, (error) => faults.push(error))
  retention.start()
  await until(async () => (await store.sessions(ada.id, 0)).length === 1, 'the end of a session')
  await retention.stop()
  assert.deepEqual(await store.sessions(ada.id, 0), [stays])
  assert.equal(await store.forgetExpired(now, 10), 0)
  assert.deepEqual(faults, [])
})

test('a service that starts moves the suppressions of a domain that was being added again', async (t) => {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: true })
  t.after(() => store.close())
  const owner = await acme(store)
  const [before, again] = [0, 1].map(() => ({ ...domain(owner, 'a.test'), sending: 'active' as const }))
  await store.addDomain(before!)
  await store.addSuppressions([suppression(owner, 'a@x.test', { domainId: before!.id })])
  await store.removeDomain(before!.id, Date.now())
  await store.addDomain(again!)
  const retention = new RetentionLoop(
    store,
    { contentRetention: DAY, emailRetention: DAY, apiLogRetention: DAY, inboundRetention: DAY },
    () => ({ companies: [], domains: [] }),
    (error) => assert.fail(String(error)),
  )
  retention.start()
  const listed = () => store.listSuppressions({ companyId: owner.id, domainId: again!.id, limit: 2 })
  await until(async () => (await listed()).length === 1, 'the list of the domain')
  // Before the hook that closes the store: hooks run in the order of their registration.
  await retention.stop()
})

test('the periods of companies and domains share one walk, which begins again when they change', async () => {
  const asked: ShorterRetention[] = []
  let done = true
  const store = {
    async retainShorter(request: ShorterRetention) {
      asked.push(request)
      return { touched: 0, reached: `after ${request.now}`, done }
    },
  }
  const owner = { id: 'c', name: 'Acme', createdAt: 0, limits: NO_LIMITS }
  const accounts: ReturnType<RetentionAccounts> = {
    companies: [{ ...owner, contentRetention: DAY }],
    domains: [],
  }
  const shorter = new ShorterRetentions(store, () => accounts)
  const step = async (now: number) => {
    assert.equal(await shorter.step(now, 30 * DAY, 5), !done)
    return asked.splice(0).map(({ companies, after }) => [[...companies], after])
  }
  const now = 100 * DAY
  assert.deepEqual(await step(now), [[[['c', DAY]], null]])
  assert.deepEqual(await step(now + 1), [[[['c', DAY]], `after ${now}`]])
  // Emails that a walk has passed may have been finished since.
  assert.deepEqual(await step(now + 6 * HOUR), [[[['c', DAY]], null]])
  accounts.companies.push({ ...owner, id: 'd', contentRetention: 2 * DAY })
  const both = [
    ['c', DAY],
    ['d', 2 * DAY],
  ]
  done = false
  assert.deepEqual(await step(now + 6 * HOUR), [[both, null]])
  // A walk is not cut short.
  accounts.companies.pop()
  assert.deepEqual(await step(now + 7 * HOUR), [[[['c', DAY]], `after ${now + 6 * HOUR}`]])
  done = true
  assert.deepEqual(await step(now + 8 * HOUR), [[[['c', DAY]], `after ${now + 7 * HOUR}`]])
  assert.deepEqual(await step(now + 8 * HOUR), [[[['c', DAY]], null]])
  // No shorter than what the installation does anyway.
  accounts.companies = [{ ...owner, contentRetention: 30 * DAY }]
  assert.deepEqual(await step(now), [])
})
