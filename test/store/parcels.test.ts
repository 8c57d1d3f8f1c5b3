import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packAccept, packRecord, unpackCall } from '../../src/store/sqlite/parcels.ts'
import type { AttemptRecord } from '../../src/store/store.ts'
import { attempt, company, deferred, email, newId, result, to } from './samples.ts'

function recorded(value: AttemptRecord): unknown {
  return unpackCall(structuredClone(packRecord(value, [])))
}

test('a new email arrives at the writer unchanged, with its large parts in a buffer of their own', () => {
  const recipients = [to('a@x.test'), to('b@y.test', { kind: 'bcc', variables: { name: 'B' } })]
  const raw = new Uint8Array(10_000).fill(7)
  const value = email(company('Acme'), [], {
    recipients,
    raw,
    idempotency: { key: 'k', fingerprint: 'f' },
  })
  for (const lease of [null, { token: 9 }]) {
    const moved: ArrayBuffer[] = []
    const parcel = packAccept(value, lease, moved)
    assert.equal(moved.length, 1)
    assert.notEqual(moved[0], raw.buffer)
    const call = unpackCall(structuredClone(parcel, { transfer: moved }))
    assert.deepEqual(call, { name: 'accept', args: [value, lease] })
  }
})

test('a result arrives unchanged, without the facts that do not change', () => {
  const refused = result(1, { state: 'bounced', code: 550, message: '550 no', suppress: true })
  const value = attempt({ id: newId() }, 3, [result(0), refused, deferred(2, 1_000)], {
    captured: new Uint8Array([1, 2]),
  })
  assert.deepEqual(recorded(value), { name: 'record', args: [value] })

  const unchanged = { change: null, events: [], suppress: null, tried: true }
  const released = { ...unchanged, change: { state: 'waiting', dueAt: null } as const, tried: false }
  const small = attempt({ id: newId() }, 3, [
    { position: 0, decision: unchanged },
    { position: 1, decision: released },
  ])
  assert.deepEqual(recorded(small), { name: 'record', args: [small] })
})
