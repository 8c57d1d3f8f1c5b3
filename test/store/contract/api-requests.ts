import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiRequest } from '../../../src/store/store.ts'
import { acme, NOW, newId } from '../samples.ts'
import type { OpenBench } from './contract.ts'

export function apiRequest(companyId: string | null, change: Partial<ApiRequest> = {}): ApiRequest {
  return {
    ...{ id: newId(), companyId, at: NOW, method: 'POST', endpoint: '/emails', status: 422, refused: true },
    ...{ error: 'validation_error', keyId: null, address: '192.0.2.7', userAgent: 'app/1', duration: 3 },
    ...{ request: '{"to":"x"}', response: '{"name":"validation_error"}' },
    ...change,
  }
}

export function apiRequestsContract(open: OpenBench): void {
  describe('the log of API requests', () => {
    test('shows a company its own requests, newest first, in pages of both directions', async (t) => {
      const { store } = await open(t)
      const [own, other] = [await acme(store), await acme(store, 'Other')]
      const all = [1, 2, 3, 4].map(() => apiRequest(own.id))
      await store.addApiRequests([...all, apiRequest(other.id), apiRequest(null)])
      const ids = async (filter: object) =>
        (await store.apiRequests({ companyId: own.id, limit: 10, ...filter })).map(({ id }) => id)
      const newest = all.map(({ id }) => id).toReversed()
      assert.deepEqual(await store.apiRequests({ companyId: own.id, limit: 10 }), all.toReversed())
      assert.deepEqual(await ids({ limit: 2 }), newest.slice(0, 2))
      assert.deepEqual(await ids({ limit: 2, after: newest[1] }), newest.slice(2))
      assert.deepEqual(await ids({ limit: 2, before: newest[3] }), newest.slice(1, 3))
      assert.deepEqual(await ids({ companyId: other.id, id: newest[0] }), [])
      assert.equal((await store.apiRequests({ companyId: null, limit: 10 })).length, 6)
    })

    test('finds requests by each field of a filter', async (t) => {
      const { store } = await open(t)
      const own = await acme(store)
      const keyId = newId()
      const sent = apiRequest(own.id, {
        status: 200,
        refused: false,
        error: null,
        response: null,
        request: null,
      })
      const read = apiRequest(own.id, {
        method: 'GET',
        endpoint: '/domains/x',
        status: 404,
        error: 'not_found',
      })
      const later = apiRequest(own.id, { keyId, at: NOW + 1_000 })
      await store.addApiRequests([sent, read, later])
      const rows: [filter: object, found: ApiRequest[]][] = [
        [{ refused: false }, [sent]],
        [{ refused: true }, [later, read]],
        [{ status: 404 }, [read]],
        [{ keyId }, [later]],
        [{ endpoint: '/domains' }, [read]],
        [{ error: 'validation_error' }, [later]],
        [{ from: NOW + 1 }, [later]],
        [{ to: NOW + 1 }, [read, sent]],
      ]
      for (const [filter, found] of rows) {
        assert.deepEqual(await store.apiRequests({ companyId: own.id, limit: 10, ...filter }), found)
      }
    })

    test('forgets requests from before a time, a bounded number at once', async (t) => {
      const { store } = await open(t)
      const own = await acme(store)
      const [first, second, kept] = [1, 2, 3].map((at) => apiRequest(own.id, { at }))
      await store.addApiRequests([first!, second!, kept!])
      assert.equal(await store.forgetApiRequests(3, 1), 1)
      assert.equal(await store.forgetApiRequests(3, 10), 1)
      assert.equal(await store.forgetApiRequests(3, 10), 0)
      await store.trimApiRequests(own.id)
      await store.trimApiRequests(null)
      assert.deepEqual(await store.apiRequests({ companyId: null, limit: 10 }), [kept])
    })
  })
}
