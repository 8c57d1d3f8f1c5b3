import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { digestFollower } from '../../src/events/digest.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, email, node } from '../store/samples.ts'

test('old entries are removed even while every read of the log finds new events', {
  timeout: 20_000,
}, async (t) => {
  const store = await SqliteStore.open(join(temporaryDirectory(t), 'a.db'), { exclusive: false })
  t.after(() => store.close())
  const owner = await acme(store)
  const token = await store.join(node('here'))
  const { promise: trimmed, resolve } = Promise.withResolvers<void>()
  const faults: unknown[] = []
  let looks = 0
  const follower = digestFollower({
    store: {
      takeFollower: store.takeFollower,
      keepDigest: (advance, digest) => store.keepDigest(advance, digest),
      async digestAfter(from, limit) {
        looks++
        await store.accept(email(owner, ['a@x.test']), null)
        return await store.digestAfter(from, limit)
      },
      async trimDigest(before) {
        resolve()
        return await store.trimDigest(before)
      },
    },
    token: () => token,
    onFault: (error) => faults.push(error),
  })
  follower.start()
  await trimmed
  await follower.stop()
  assert.equal(looks, 1)
  assert.deepEqual(faults, [])
})
