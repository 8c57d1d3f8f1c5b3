import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { PostgresStore } from '../../../../src/store/postgres/postgres-store.ts'
import { execute, freshDatabase, withoutPostgres } from '../../../support/postgres.ts'
import {
  acme,
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
} from '../../samples.ts'

/** Fails while the sequence is below zero, which no ROLLBACK sets back. */
const COLLIDE = `
CREATE SEQUENCE collisions MINVALUE -1000 START 0;
CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('collisions') < 0 THEN
    RAISE EXCEPTION 'another transaction was in the way' USING ERRCODE = TG_ARGV[0];
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;`

const WRITTEN = 'INSERT OR UPDATE OR DELETE ON queue'
const AT_THE_ROW = `CREATE TRIGGER collide BEFORE ${WRITTEN}`
const AT_THE_COMMIT = `CREATE CONSTRAINT TRIGGER collide AFTER ${WRITTEN} DEFERRABLE INITIALLY DEFERRED`

/** A store whose transactions that write live work fail with this SQLSTATE on command. */
async function open(context: TestContext, code: string, trigger: string) {
  const url = await freshDatabase(context)
  const store = await PostgresStore.open(url)
  context.after(() => store.close())
  const owner = await acme(store)
  const token = await store.join(node('here'))
  await execute(url, `${COLLIDE} ${trigger} FOR EACH ROW EXECUTE FUNCTION collide('${code}')`)
  /** The next transactions fail, so many of them. */
  const collide = async (times: number) => {
    await execute(url, 'SELECT setval($1, $2, false)', ['collisions', -times])
  }
  const colliding = async <T>(times: number, work: () => Promise<T>): Promise<T> => {
    await collide(times)
    const done = await work()
    const [row] = await execute<{ last: string }>(url, 'SELECT last_value AS last FROM collisions')
    assert.ok(Number(row!.last) >= 0, 'nothing was written after the last collision')
    return done
  }
  return { store, owner, token, collide, colliding }
}

describe('a transaction that lost against another one', { skip: withoutPostgres() }, () => {
  const kinds: { name: string; code: string; trigger: string }[] = [
    { name: 'serialization_failure', code: '40001', trigger: AT_THE_ROW },
    { name: 'deadlock_detected', code: '40P01', trigger: AT_THE_ROW },
    { name: 'serialization_failure at its commit', code: '40001', trigger: AT_THE_COMMIT },
  ]
  for (const { name, code, trigger } of kinds) {
    test(`is run again, and has its effect once: ${name}`, async (t) => {
      const { store, owner, token, colliding } = await open(t, code, trigger)
      const lease = { token }

      const value = email(owner, ['a@x.test', 'b@y.test', 'c@z.test', 'd@z.test'])
      assert.deepEqual(await colliding(1, () => store.accept(value, null)), { kind: 'accepted', leased: [] })
      const [work] = await colliding(1, () => store.claim(claimRequest(token)))
      assert.equal(work?.recipients.length, 4)
      const results = [result(0), deferred(1, NOW + HOUR)]
      assert.deepEqual(await colliding(1, () => store.record(attempt(value, token, results))), {
        refused: [],
      })
      const request = { companyId: null, domains: null, emailId: value.id, now: NOW }
      assert.equal((await colliding(1, () => store.retry(request))).retried, 1)
      assert.deepEqual(await colliding(1, () => store.cancel(value.id, NOW)), { canceled: 1, sending: 2 })
      assert.deepEqual(await states(store, value.id), ['delivered', 'canceled', 'sending', 'sending'])
      await store.leave(token)
      assert.equal(await colliding(1, () => store.recover({ now: NOW, jitterMs: 0 })), 2)
      assert.deepEqual(await eventNames(store, value.id), [
        'sent',
        '0:delivered',
        '1:delivery_delayed',
        '1:canceled',
        '2:canceled',
        '3:canceled',
      ])
      assert.equal((await store.readHistory(value.id))!.attempts.length, 1)

      const keyed = email(owner, ['a@x.test', 'b@y.test'], { idempotency: { key: 'k', fingerprint: 'f' } })
      const accepted = await colliding(1, () => store.accept(keyed, lease))
      assert.deepEqual(accepted, { kind: 'accepted', leased: [0, 1] })
      const aside = {
        emailId: keyed.id,
        leaseToken: token,
        positions: [0],
        others: 'suspect' as const,
        at: NOW,
        message: 'Poison',
      }
      assert.equal(await colliding(1, () => store.quarantine(aside)), 1)
      const scope = { companyId: null, emailId: keyed.id }
      assert.equal(await colliding(1, () => store.releaseQuarantined(scope, NOW)), 1)
      const held = deferred(1, NOW + HOUR, { tried: false, held: true, events: [] })
      await colliding(1, () => store.record(attempt(keyed, token, [held])))
      const release = { now: NOW, dueBefore: NOW + 2 * HOUR }
      assert.equal(await colliding(1, () => store.releaseHeld(keyed.domainId, release)), 1)
      assert.deepEqual(await states(store, keyed.id), ['waiting', 'waiting'])
      const report = { at: NOW, report: 'bounced', detail: { reportId: 'r' }, deadAddress: true } as const
      const happening = { kind: 'returned', ...report, fullMailbox: null } as const
      const bounce = { emailId: keyed.id, position: 1, happening }
      assert.equal(await colliding(1, () => store.happened([bounce])), 1)
      assert.deepEqual(await states(store, keyed.id), ['waiting', 'bounced'])
      const names = ['sent', '0:delivery_delayed', '0:queued', '1:bounced']
      assert.deepEqual(await eventNames(store, keyed.id), names)
    })
  }

  test('nine times is run a tenth time; one that always loses is refused, and leaves nothing behind', async (t) => {
    const { store, owner, token, collide, colliding } = await open(t, '40001', AT_THE_ROW)
    const value = email(owner, ['a@x.test', 'b@y.test'])
    await store.accept(value, { token })
    const delivered = attempt(value, token, [result(0)])
    const refused = { name: 'StoreUnavailable', message: /repeatedly conflicted with another one/ }
    await collide(1_000)
    await assert.rejects(store.record(delivered), refused)
    await assert.rejects(store.accept(email(owner, ['a@x.test']), null), refused)
    await assert.rejects(store.cancel(value.id, NOW), refused)
    await collide(0)
    assert.deepEqual(await eventNames(store, value.id), ['sent'])
    assert.deepEqual(await states(store, value.id), ['sending', 'sending'])
    assert.equal((await store.listEmails({ limit: 10 })).length, 1)
    assert.deepEqual(await colliding(9, () => store.record(delivered)), { refused: [] })
    assert.deepEqual(await colliding(9, () => store.cancel(value.id, NOW)), { canceled: 0, sending: 1 })
  })
})
