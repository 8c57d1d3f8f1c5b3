import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PutOffMessages } from '../../src/mailbox/put-off-messages.ts'

test('reports about domains that are put off leave bounces their places', () => {
  const messages = new PutOffMessages(() => 0)
  const reports = Array.from({ length: 1_000 }, (_, uid) => messages.putOff(uid, true))
  assert.equal(reports.filter(Boolean).length, 500)
  const bounces = Array.from({ length: 1_000 }, (_, uid) => messages.putOff(1_000 + uid, false))
  assert.equal(bounces.filter(Boolean).length, 500)
  assert.ok(messages.isWaiting(0) && messages.isWaiting(1_000))
  messages.forget(0)
  assert.ok(messages.putOff(2_000, true))
})
