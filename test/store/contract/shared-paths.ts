import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SharedPath, Store } from '../../../src/store/store.ts'
import { NOW } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function sharedPathsContract(open: OpenBench): void {
  describe('the limits of paths that nodes have learnt', () => {
    test('are read by all nodes, until they are as usual or old', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const closed: SharedPath = {
        key: '192.0.2.1\0mx:mx.x.test\nmy.x.test\0default\0domain',
        node: 7,
        changedAt: NOW,
        state: {
          closed: {
            ...{ path: '192.0.2.1\0mx:mx.x.test\nmy.x.test\0default', domainId: 'domain', kind: 'sender' },
            ...{ companyId: 'company', to: null, metBy: 'company', brief: 'no' },
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
      await store.sharePaths({ paths: [closed, lowered], changed: [], usual: [], before: 0 })
      marks.push(await other.sharedPathsMark())
      assert.deepEqual(await other.sharedPaths(), [closed, lowered])
      const again = { ...closed, node: 9, changedAt: NOW + 10 }
      await other.sharePaths({ paths: [], changed: [again], usual: ['a', 'unknown'], before: NOW })
      marks.push(await store.sharedPathsMark())
      assert.deepEqual(await store.sharedPaths(), [again])
      await store.sharePaths({ paths: [], changed: [], usual: [], before: NOW + 11 })
      assert.deepEqual(await other.sharedPaths(), [])
      await store.sharePaths({ paths: [], changed: [again], usual: [], before: 0 })
      assert.deepEqual(await other.sharedPaths(), [], 'what another node has forgotten stays forgotten')
      assert.equal(new Set(marks).size, marks.length)
    })

    test('that several nodes write are changed by one that knows the last change, and by no other', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const limits = (sessions: number) => ({ closed: null, sessions, messagesPerMinute: null })
      const [one, two] = [
        { key: 'a\0limits', node: 1, changedAt: NOW },
        { key: 'a\0limits', node: 2, changedAt: NOW + 1 },
      ]
      const change = async (from: Store, ...changes: Parameters<Store['shareAgreed']>[0]) => {
        const refused = await from.shareAgreed(changes, 0)
        return [refused, await store.sharedPaths()] as const
      }
      const first = { ...one, state: limits(3) }
      assert.deepEqual(await change(store, { ...first, known: null }), [[], [first]])
      const second = { ...two, state: limits(1) }
      assert.deepEqual(await change(other, { ...second, known: null }), [[one.key], [first]])
      const more = { key: 'b', node: 2, changedAt: NOW + 1, state: limits(2) }
      const both = [
        { ...second, known: one },
        { ...more, known: null },
      ] as const
      assert.deepEqual(await change(other, ...both), [[], [second, more]])
      for (const state of [limits(5), null]) {
        const late = { ...one, changedAt: NOW + 2, known: one, state }
        assert.deepEqual(await change(store, late), [[one.key], [second, more]])
      }
      const gone = { ...one, changedAt: NOW + 3, known: two, state: null }
      assert.deepEqual(await change(store, gone), [[], [more]])
      assert.deepEqual(await change(store, { ...second, known: two }), [[one.key], [more]])
      assert.deepEqual(await store.shareAgreed([], NOW + 2), [])
      assert.deepEqual(await other.sharedPaths(), [])

      // Of two nodes that change it at the same moment, one learns that it was late.
      const refused = await Promise.all(
        [one, two].map((version) => {
          const from = version === one ? store : other
          return from.shareAgreed([{ ...version, state: limits(1), known: null }], 0)
        }),
      )
      assert.deepEqual(refused.flat(), [one.key])
    })

    test('a closed path is tried by one node at a time, until its time is over or its try has ended', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      const [a, b] = ['default\0mx:a.test\0default', 'b']
      const ask = (node: number, now: number, keys: string[], insisted = false) => ({
        ...{ node, now, until: now + 60, ended: [] },
        wanted: keys.map((key) => ({ key, insisted })),
      })
      const answered = async (from: Store, ...asked: Parameters<typeof ask>) => {
        const tries = await from.shareTries(ask(...asked))
        return Object.fromEntries(tries.map(({ key, node, until }) => [key, [node, until - NOW]]))
      }
      assert.deepEqual(await answered(store, 1, NOW, [a]), { [a]: [1, 60] })
      assert.deepEqual(await answered(other, 2, NOW + 1, [b, a]), { [a]: [1, 60], [b]: [2, 61] })
      assert.deepEqual(await answered(other, 2, NOW + 2, [a], true), { [a]: [1, 60] }, 'it is under way')
      assert.deepEqual(await answered(store, 1, NOW + 10, [a]), { [a]: [1, 70] }, 'renewed')

      // Other nodes wait for the next try after one that has ended, unless a person wants it sooner.
      const ended = [
        { key: a, next: NOW + 500 },
        { key: b, next: 0 },
      ]
      assert.deepEqual(await store.shareTries({ node: 1, now: NOW, until: NOW, wanted: [], ended }), [])
      assert.deepEqual(await answered(other, 2, NOW + 100, [a]), { [a]: [1, 500] })
      assert.deepEqual(await answered(other, 2, NOW + 100, [b]), { [b]: [2, 160] }, 'not the try of node 1')
      assert.deepEqual(await answered(other, 2, NOW + 100, [a], true), { [a]: [2, 160] })
      assert.deepEqual(await answered(store, 1, NOW + 160, [a, b]), { [a]: [1, 220], [b]: [1, 220] })
      await Promise.all(
        [1, 2].map((node) => (node === 1 ? store : other).shareTries(ask(node, NOW + 300, [a, b, 'c']))),
      )
      const [one, two] = await Promise.all(
        [store, other].map((each) => answered(each, 3, NOW + 301, [a, b, 'c'])),
      )
      assert.deepEqual(one, two)
    })
  })
}
