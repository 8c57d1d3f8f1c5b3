import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedInTurns, release } from '../../src/common/octets.ts'

test('octets that fill their buffer are given back at once', () => {
  const octets = new Uint8Array(64 * 1024)
  release(octets)
  assert.equal(octets.byteLength, 0)
})

test('a part of a buffer that others may hold is left alone', () => {
  const whole = new Uint8Array(64 * 1024).fill(7)
  release(whole.subarray(0, 20 * 1024))
  assert.equal(whole[20 * 1024 - 1], 7)
})

test('small, shared and missing buffers are left alone', () => {
  const small = new Uint8Array(1024)
  const shared = new Uint8Array(new SharedArrayBuffer(64 * 1024))
  release(small)
  release(shared)
  release(null)
  assert.equal(small.byteLength, 1024)
  assert.equal(shared.byteLength, 64 * 1024)
})

test('octets are joined in their order, large ones too, in a buffer of their own', async () => {
  const large = Buffer.alloc(5_000_000, 'abc')
  const pieces = [Buffer.from('head '), large, Buffer.alloc(0), Buffer.from(' tail')]
  const joined = await joinedInTurns(pieces)
  assert.ok(joined.equals(Buffer.concat(pieces)))
  assert.equal(joined.buffer.byteLength, joined.byteLength)
})
