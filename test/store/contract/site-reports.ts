import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SiteState } from '../../../src/store/store.ts'
import { NOW, node } from '../samples.ts'
import type { OpenBench } from './contract.ts'

const SITE: SiteState = {
  key: 'provider:big',
  name: 'Big',
  provider: 'Big',
  hosts: ['mx1.big.test'],
  limits: {
    sessions: 2,
    messagesPerSession: 100,
    messagesPerMinute: 60,
    messagesPerHour: null,
    recipientsPerTransaction: 100,
    tls: 'required',
  },
  lowered: { sessions: 1, messagesPerMinute: null },
  used: { sessions: 1, messagesLastMinute: 3, messagesLastHour: 4 },
  closed: {
    since: NOW,
    reason: '550 „Grüße“\n',
    nextTryAt: NOW + 1,
    sendingDomain: null,
    ...{ kind: 'path', brief: '', metBy: null, companyId: null, company: null, recipientDomain: null },
    list: { name: 'Spamhaus', removal: 'https://x.test/' },
  },
  sources: [],
}

export function siteReportsContract(open: OpenBench): void {
  describe('reports of sites', () => {
    test('replace each other, one for each node, and are read by all', async (t) => {
      const { store, another } = await open(t)
      const other = await another()
      assert.deepEqual(await store.siteReports(), [])
      const [one, two] = [await store.join(node('one')), await other.join(node('two'))]
      await store.reportSites({ node: one, at: NOW, sites: [] })
      await store.reportSites({ node: one, at: NOW + 1, sites: [SITE] })
      await other.reportSites({ node: two, at: NOW + 2, sites: [{ ...SITE, key: 'mx:b', closed: null }] })
      const expected = [
        { node: one, at: NOW + 1, sites: [SITE] },
        { node: two, at: NOW + 2, sites: [{ ...SITE, key: 'mx:b', closed: null }] },
      ]
      assert.deepEqual(await store.siteReports(), expected)
      assert.deepEqual(await other.siteReports(), expected)
    })

    test('end with their node, whether it left or was given up, and are left to the next one', async (t) => {
      const { store, rows } = await open(t)
      const [left, silent] = [await store.join(node('left')), await store.join(node('silent'))]
      for (const token of [left, silent]) await store.reportSites({ node: token, at: NOW, sites: [SITE] })
      await store.leave(left)
      assert.deepEqual(
        (await store.siteReports()).map(({ node }) => node),
        [silent],
      )
      assert.equal(await store.giveUp(silent, 5), false)
      assert.equal((await store.siteReports()).length, 1, 'it has beaten')
      assert.equal(await store.giveUp(silent, 0), true)
      assert.deepEqual(await store.siteReports(), [])
      const next = await store.join(node('next'))
      await store.reportSites({ node: next, at: NOW, sites: [] })
      const past = (await store.takePastReports()).toSorted((a, b) => a.node - b.node)
      assert.deepEqual(
        past,
        [left, silent].map((token) => ({ node: token, at: NOW, sites: [SITE] })),
      )
      assert.deepEqual(await store.takePastReports(), [])
      assert.equal(await rows('site_reports'), 1)
    })
  })
}
