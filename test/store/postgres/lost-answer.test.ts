import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { RecipientReport } from '../../../src/email/lifecycle.ts'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { NewEmail } from '../../../src/store/store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import {
  acme,
  apiKey,
  attempt,
  claimRequest,
  deferred,
  email,
  eventNames,
  HOUR,
  NOW,
  node,
  result,
  states,
  suppress,
} from '../samples.ts'
import { CuttingRelay } from './cutting-relay.ts'
import { lockAwaited } from './faults/rival.ts'

const NODE = node('node')

/** The bytes of a prepared statement's name in a request. */
const named = (name: string) => `\0${name}\0`
const COMMIT = 'COMMIT\0'

async function open(context: TestContext, seekMs?: number) {
  const url = await freshDatabase(context)
  const relay = await CuttingRelay.start(context, url)
  const store = await PostgresStore.open(relay.url, seekMs === undefined ? {} : { seekMs })
  context.after(() => store.close())
  const direct = await PostgresStore.open(url)
  context.after(() => direct.close())
  const owner = await acme(direct)
  const token = await store.join(NODE)
  return { url, store, direct, relay, owner, token }
}

/** Resolves when the server has noticed the lost connection and rolled back its transaction. */
async function undone(url: string): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
  while ((await execute(url, sql)).length > 0);
}

describe('a connection lost in the middle of a commit', { skip: withoutPostgres() }, () => {
  const file = {
    filename: 'a.txt',
    contentType: 'text/plain',
    content: Buffer.from('a file'),
    disposition: 'attachment' as const,
  }
  const kinds: { kind: string; mark: string; change: Partial<NewEmail> }[] = [
    { kind: 'plain email', mark: named('accept'), change: {} },
    {
      kind: 'email with an idempotency key',
      mark: COMMIT,
      change: { idempotency: { key: 'k', fingerprint: 'f' } },
    },
  ]
  for (const { kind, mark, change } of kinds) {
    for (const cut of ['request', 'answer'] as const) {
      test(`an ${kind} is accepted once when the ${cut} is lost`, async (t) => {
        const { store, relay, owner, token } = await open(t)
        const values = [email(owner, ['a@x.test', 'b@y.test'], change), email(owner, ['c@x.test'])]
        const lost = relay.cutNext(mark, cut)
        const answers = await Promise.all(values.map((value) => store.accept(value, { token })))
        await lost
        assert.deepEqual(answers, [
          { kind: 'accepted', leased: [0, 1] },
          { kind: 'accepted', leased: [0] },
        ])
        assert.deepEqual((await store.listEmails({ limit: 10 })).length, 2)
        for (const { id } of values) assert.deepEqual(await eventNames(store, id), ['sent'])
        assert.deepEqual(await store.record(attempt(values[0]!, token, [result(0), result(1)])), {
          refused: [],
        })
      })
    }
  }

  for (const cut of ['request', 'answer'] as const) {
    test(`emails of one request are accepted once when the ${cut} is lost`, async (t) => {
      const { store, relay, owner, token } = await open(t)
      const quota = { daily: 3, monthly: null }
      const emails = [
        email(owner, ['a@x.test', 'b@y.test'], { quota }),
        email(owner, ['c@x.test'], { quota }),
      ]
      const idempotency = { key: 'k', fingerprint: 'f' }
      const lost = relay.cutNext(COMMIT, cut)
      const answer = await store.acceptAll({ emails, idempotency }, { token })
      await lost
      assert.deepEqual(answer, { kind: 'accepted', leased: [[0, 1], [0]] })
      for (const { id } of emails) assert.deepEqual(await eventNames(store, id), ['sent'])
      assert.deepEqual(await store.quotaUsed(owner.id, NOW), { daily: 3, monthly: 3 })
      const again = await store.acceptAll({ emails: [email(owner, ['a@x.test'])], idempotency }, null)
      const ids = emails.map(({ id, content: { messageId } }) => ({ id, messageId }))
      assert.deepEqual(again, { kind: 'repeated', emails: ids })
    })
  }

  for (const repeated of [false, true]) {
    const rest = repeated ? 'are kept if a repeated request was acknowledged' : 'are not kept'
    test(`emails refused together after a commit with an unknown result ${rest}`, async (t) => {
      const { store, direct, relay, owner, token } = await open(t, 1)
      const idempotency = { key: 'k', fingerprint: 'f' }
      const made = () => ['a@x.test', 'b@x.test', 'c@x.test'].map((to) => email(owner, [to]))
      const emails = made()
      const lost = relay.cutNext(COMMIT, 'answer')
      const given = { emails, idempotency }
      const refused = assert.rejects(store.acceptAll(given, { token }), { name: 'StoreUnavailable' })
      await lost
      relay.close()
      await refused
      const answer = repeated ? await direct.acceptAll({ emails: made(), idempotency }, null) : null
      relay.reopen()
      await store.close()
      const kept = await direct.listEmails({ limit: 10 })
      assert.equal(kept.length, repeated ? 3 : 0)
      if (answer !== null) {
        assert.equal(answer.kind, 'repeated')
        for (const { id } of emails) assert.deepEqual(await states(direct, id), ['waiting'])
      } else {
        const again = await direct.acceptAll({ emails: made(), idempotency }, null)
        assert.equal(again.kind, 'accepted', 'the key is free again')
      }
    })
  }

  test('files are stored once when the answer is lost', async (t) => {
    const { store, relay, owner, token } = await open(t)
    const base = email(owner, ['a@x.test'])
    const value = { ...base, content: { ...base.content, attachments: [file, file] } }
    const lost = relay.cutNext(COMMIT, 'answer')
    assert.deepEqual(await store.accept(value, { token }), { kind: 'accepted', leased: [0] })
    await lost
    const kept = (await store.readWork(value.id))?.content.attachments
    assert.deepEqual(
      kept?.map(({ content }) => Buffer.from(content).toString()),
      ['a file', 'a file'],
    )
  })

  test('an email refused after a commit with an unknown result is not kept', async (t) => {
    const { store, direct, relay, owner, token } = await open(t, 1)
    const value = email(owner, ['a@x.test'], { idempotency: { key: 'k', fingerprint: 'f' } })
    const lost = relay.cutNext(COMMIT, 'answer')
    const answer = store.accept(value, { token })
    const refused = assert.rejects(answer, { name: 'StoreUnavailable' })
    await lost
    relay.close()
    await refused
    assert.deepEqual(await states(direct, value.id), ['sending'])
    relay.reopen()
    await store.close()
    assert.equal(await direct.readEmail(value.id), null)
    assert.deepEqual(await direct.counts(NOW), { waiting: 0, sending: 0, quarantined: 0, due: 0 })
    const again = await direct.accept({ ...email(owner, ['a@x.test']), idempotency: value.idempotency }, null)
    assert.equal(again.kind, 'accepted')
  })

  test('an email refused after a commit with an unknown result is kept and sent if its repetition was acknowledged', async (t) => {
    const { store, direct, relay, owner, token } = await open(t, 1)
    const change = { idempotency: { key: 'k', fingerprint: 'f' } }
    const value = email(owner, ['a@x.test', 'b@y.test'], change)
    const lost = relay.cutNext(COMMIT, 'answer')
    const refused = assert.rejects(store.accept(value, { token }), { name: 'StoreUnavailable' })
    await lost
    relay.close()
    await refused
    const again = await direct.accept(email(owner, ['a@x.test', 'b@y.test'], change), null)
    assert.deepEqual(again, { kind: 'repeated', id: value.id, messageId: value.content.messageId })
    relay.reopen()
    await store.close()
    assert.equal((await direct.readEmail(value.id))?.id, value.id)
    // Its node has given the email up and will not send it, so any node may claim it.
    assert.deepEqual(await states(direct, value.id), ['waiting', 'waiting'])
    const claimed = await direct.claim(claimRequest(token + 1))
    assert.deepEqual(
      claimed.map(({ recipients }) => recipients.length),
      [2],
    )
    const third = await direct.accept(email(owner, ['a@x.test', 'b@y.test'], change), null)
    assert.equal(third.kind, 'repeated')
  })

  test('recipients are released when the answer to their claim was lost', async (t) => {
    const { store, direct, relay, owner, token } = await open(t)
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await direct.accept(value, null)
    const lost = relay.cutNext(COMMIT, 'answer')
    await assert.rejects(store.claim(claimRequest(token)), { name: 'StoreUnavailable' })
    await lost
    await store.close()
    assert.deepEqual(await states(direct, value.id), ['waiting', 'waiting'])
    assert.equal((await direct.claim(claimRequest(token + 1)))[0]?.recipients.length, 2)
  })

  test('the next claim under the same lease keeps recipients that a lost claim did not take', async (t) => {
    const { store, direct, relay, owner, token } = await open(t)
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await direct.accept(value, null)
    const lost = relay.cutNext(COMMIT, 'request')
    await assert.rejects(store.claim(claimRequest(token)), { name: 'StoreUnavailable' })
    await lost
    // The server notices only now that the connection is gone, and unlocks the rows.
    let claimed = await store.claim(claimRequest(token))
    while (claimed.length === 0) claimed = await store.claim(claimRequest(token))
    assert.equal(claimed[0]!.recipients.length, 2)
    // Closing the store waits for all corrections.
    await store.close()
    assert.deepEqual(await states(direct, value.id), ['sending', 'sending'])
    const record = attempt(value, token, [result(0), result(1)])
    assert.deepEqual(await direct.record(record), { refused: [] })
  })

  test('simultaneous claims under one lease take each recipient once, although an answer is lost', async (t) => {
    const { store, direct, relay, owner, token } = await open(t)
    const values = Array.from({ length: 5 }, () => email(owner, ['a@x.test', 'b@y.test']))
    for (const value of values) await direct.accept(value, null)
    const lost = relay.cutNext(COMMIT, 'request')
    const first = await Promise.allSettled([
      store.claim(claimRequest(token)),
      store.claim(claimRequest(token)),
    ])
    await lost
    const taken = first.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    while (taken.length < values.length) taken.push(...(await store.claim(claimRequest(token))))
    await store.close()
    for (const { id } of values) assert.deepEqual(await states(direct, id), ['sending', 'sending'])
  })

  test('a result that is recorded again is stored once', async (t) => {
    const { store, relay, owner, token } = await open(t)
    const value = email(owner, ['a@x.test'])
    await store.accept(value, { token })
    const record = attempt(value, token, [result(0)])
    const lost = relay.cutNext(named('record'), 'answer')
    await assert.rejects(store.record(record), { name: 'StoreUnavailable' })
    await lost
    assert.deepEqual(await store.record(record), { refused: [0] })
    const { attempts, events } = (await store.readHistory(value.id))!
    assert.equal(attempts.length, 1)
    assert.equal(events.length, 2)
  })

  test('a commit that is still under way when its email is withdrawn stores nothing', async (t) => {
    const { url, store, direct, relay, owner, token } = await open(t, 1)
    const change = { idempotency: { key: 'k', fingerprint: 'f' } }
    const value = email(owner, ['a@x.test', 'b@y.test'], change)
    const lost = relay.cutNext(COMMIT, 'held')
    const refused = assert.rejects(store.accept(value, { token }), { name: 'StoreUnavailable' })
    await lost
    relay.close()
    await refused
    relay.reopen()
    // The withdrawal waits for the commit, or has nothing to do.
    const closed = store.close()
    await Promise.race([closed, lockAwaited(url)])
    await relay.letThrough()
    await closed
    assert.equal(await direct.readEmail(value.id), null)
    assert.deepEqual(await direct.counts(NOW), { waiting: 0, sending: 0, quarantined: 0, due: 0 })
    const again = await direct.accept({ ...email(owner, ['a@x.test']), ...change }, null)
    assert.equal(again.kind, 'accepted')
  })

  for (const cut of ['request', 'answer'] as const) {
    for (const together of [false, true]) {
      const what = together ? 'emails that are withdrawn together take' : 'an email that is withdrawn takes'
      test(`${what} nothing of the quota, although the ${cut} of the commit is lost`, async (t) => {
        const { store, direct, relay, owner, token } = await open(t, 1)
        const counted = (addresses: string[]) =>
          email(owner, addresses, { quota: { daily: 10, monthly: 10 } })
        await direct.accept(counted(['a@x.test']), null)
        const emails = [counted(['a@x.test', 'b@y.test']), counted(['a@x.test'])]
        const lost = relay.cutNext(COMMIT, cut)
        const accepted = together
          ? store.acceptAll({ emails, idempotency: null }, { token })
          : store.accept(emails[0]!, { token })
        const refused = assert.rejects(accepted, { name: 'StoreUnavailable' })
        await lost
        relay.close()
        await refused
        relay.reopen()
        await store.close()
        for (const { id } of emails) assert.equal(await direct.readEmail(id), null)
        assert.deepEqual(await direct.quotaUsed(owner.id, NOW), { daily: 1, monthly: 1 })
      })
    }
  }

  interface Again {
    name: string
    /** Prepares an email of which two recipients are leased and the third waits. */
    begin?: (store: PostgresStore, value: NewEmail, token: number) => Promise<unknown>
    run: (store: PostgresStore, value: NewEmail, token: number) => Promise<unknown>
    states: string[]
    /** The events after `sent`, and after `delivery_delayed` of the third recipient. */
    events: string[]
  }
  const aside = ({ id }: NewEmail, leaseToken: number) => {
    return { emailId: id, leaseToken, positions: [0, 1], others: 'suspect' as const, at: NOW, message: 'Why' }
  }
  const bounce = (emailId: string, position: number): RecipientReport => {
    const detail = { message: 'No such user', reportId: 'r' }
    const happening = {
      kind: 'returned',
      at: NOW,
      report: 'bounced',
      detail,
      deadAddress: true,
      fullMailbox: null,
    } as const
    return { emailId, position, happening }
  }
  const operations: Again[] = [
    {
      name: 'a cancellation',
      run: (store, { id }) => store.cancel(id, NOW),
      states: ['sending', 'sending', 'canceled'],
      events: ['2:canceled'],
    },
    {
      name: 'putting into quarantine',
      run: (store, value, token) => store.quarantine(aside(value, token)),
      states: ['quarantined', 'quarantined', 'waiting'],
      events: ['0:delivery_delayed', '1:delivery_delayed'],
    },
    {
      name: 'a release from quarantine',
      begin: (store, value, token) => store.quarantine(aside(value, token)),
      run: (store, { id }) => store.releaseQuarantined({ companyId: null, emailId: id }, NOW),
      states: ['waiting', 'waiting', 'waiting'],
      events: ['0:delivery_delayed', '1:delivery_delayed', '0:queued', '1:queued'],
    },
    {
      name: 'a report of a bounce',
      run: (store, { id }) => store.happened([bounce(id, 2)]),
      states: ['sending', 'sending', 'bounced'],
      events: ['2:bounced'],
    },
  ]
  for (const { name, begin, run, states: wanted, events } of operations) {
    for (const cut of ['request', 'answer'] as const) {
      test(`${name} can be repeated when the ${cut} is lost, and takes effect once`, async (t) => {
        const { url, store, direct, relay, owner, token } = await open(t)
        const value = email(owner, ['a@x.test', 'b@y.test', 'c@z.test'])
        await store.accept(value, { token })
        await store.record(attempt(value, token, [deferred(2, NOW + HOUR)]))
        await begin?.(direct, value, token)
        const lost = relay.cutNext(COMMIT, cut)
        await assert.rejects(run(store, value, token), { name: 'StoreUnavailable' })
        await lost
        await undone(url)
        await run(store, value, token)
        assert.deepEqual(await states(direct, value.id), wanted)
        const [first, second, ...rest] = await eventNames(direct, value.id)
        assert.deepEqual([first, second], ['sent', '2:delivery_delayed'])
        assert.deepEqual(rest.sort(), [...events].sort())
      })
    }
  }

  for (const cut of ['request', 'answer'] as const) {
    test(`a suppression and a key can be added again when the ${cut} is lost, and are stored once`, async (t) => {
      const { store, direct, relay, owner } = await open(t)
      const kept = cut === 'answer'
      let lost = relay.cutNext(COMMIT, cut)
      const add = () => suppress(store, owner.id, 'Gone@x.test', 'asked to', NOW)
      await assert.rejects(add(), { name: 'StoreUnavailable' })
      await lost
      assert.equal(await add(), !kept)
      assert.equal((await direct.listSuppressions({ limit: 10 })).length, 1)

      const key = apiKey(owner)
      lost = relay.cutNext(COMMIT, cut)
      await assert.rejects(store.addKey(key), { name: 'StoreUnavailable' })
      await lost
      if (kept) await assert.rejects(store.addKey(key), { name: 'StoreConflict' })
      else await store.addKey(key)
      assert.deepEqual(
        (await direct.accounts()).keys.map(({ id }) => id),
        [key.id],
      )
    })
  }

  test('watchers are notified of a change although its answer is lost', async (t) => {
    const { store, relay, owner } = await open(t)
    const told = new Promise<void>((resolve) => store.watch((change) => change === 'stops' && resolve()))
    const lost = relay.cutNext(COMMIT, 'answer')
    const added = suppress(store, owner.id, 'gone@x.test', 'asked to', NOW)
    await assert.rejects(added, { name: 'StoreUnavailable' })
    await lost
    await told
  })
})
