import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import type { NewEmail } from '../../../src/store/store.ts'
import { freshDatabase, withoutPostgres } from '../../support/postgres.ts'
import { acme, attempt, claimRequest, email, eventNames, NOW, result, states } from '../samples.ts'
import { CuttingRelay } from './cutting-relay.ts'

const NODE = { name: 'node', roles: ['api' as const, 'delivery' as const], timeoutMs: 30_000, since: NOW }

/** A statement by its name, as a request for it has it. */
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
  return { store, direct, relay, owner, token }
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

  test('files are kept once when the answer is lost', async (t) => {
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

  test('what was refused because nobody could tell is not kept', async (t) => {
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

  test('what was refused because nobody could tell, and acknowledged when it was repeated, is kept and goes out', async (t) => {
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
    // Its node lives and will not send it, for it gave it up: so it waits for anybody.
    assert.deepEqual(await states(direct, value.id), ['waiting', 'waiting'])
    const claimed = await direct.claim(claimRequest(token + 1))
    assert.deepEqual(
      claimed.map(({ recipients }) => recipients.length),
      [2],
    )
    const third = await direct.accept(email(owner, ['a@x.test', 'b@y.test'], change), null)
    assert.equal(third.kind, 'repeated')
  })

  test('what a claim took without knowing goes back', async (t) => {
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

  test('what a claim did not take after all stays with the next one, under the same lease', async (t) => {
    const { store, direct, relay, owner, token } = await open(t)
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await direct.accept(value, null)
    const lost = relay.cutNext(COMMIT, 'request')
    await assert.rejects(store.claim(claimRequest(token)), { name: 'StoreUnavailable' })
    await lost
    // The server notices only now that the connection is gone, and lets go of the rows.
    let claimed = await store.claim(claimRequest(token))
    while (claimed.length === 0) claimed = await store.claim(claimRequest(token))
    assert.equal(claimed[0]!.recipients.length, 2)
    // Whatever was to be put right has been.
    await store.close()
    assert.deepEqual(await states(direct, value.id), ['sending', 'sending'])
    const record = attempt(value, token, [result(0), result(1)])
    assert.deepEqual(await direct.record(record), { refused: [] })
  })

  test('claims at once under one lease take each recipient once, though an answer is lost', async (t) => {
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

  test('a result can be recorded again, and is there once', async (t) => {
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
})
