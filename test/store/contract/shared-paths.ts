import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SharedPath } from '../../../src/store/store.ts'
import { NOW } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function sharedPathsContract(open: OpenBench): void {
  describe('what nodes have learnt about paths', () => {
    test('is read by all, until it is as usual or old', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const closed: SharedPath = {
        key: '192.0.2.1\0mx:mx.x.test\nmy.x.test\0default\0domain',
        node: 7,
        changedAt: NOW,
        state: {
          closed: {
            ...{ path: '192.0.2.1\0mx:mx.x.test\nmy.x.test\0default', domainId: 'domain', kind: 'sender' },
            ...{ message: 'no \0 „Grüße“', list: { name: 'List', removal: 'https://x.test/' } },
            ...{ since: NOW - 5, probeAt: NOW + 5 },
          },
          sessions: null,
          messagesPerMinute: null,
        },
      }
      const lowered: SharedPath = {
        ...{ key: 'a', node: 8, changedAt: NOW + 1 },
        state: { closed: null, sessions: 1, messagesPerMinute: 5 },
      }
      const marks = [await store.sharedPathsMark()]
      await store.sharePaths({ paths: [closed, lowered], usual: [], before: 0 })
      marks.push(await other.sharedPathsMark())
      assert.deepEqual(await other.sharedPaths(), [closed, lowered])
      const again = { ...closed, node: 9, changedAt: NOW + 10 }
      await other.sharePaths({ paths: [again], usual: ['a', 'unknown'], before: NOW })
      marks.push(await store.sharedPathsMark())
      assert.deepEqual(await store.sharedPaths(), [again])
      await store.sharePaths({ paths: [], usual: [], before: NOW + 11 })
      assert.deepEqual(await other.sharedPaths(), [])
      assert.equal(new Set(marks).size, marks.length)
    })
  })
}
