/** The pauses of the operator, as the scheduler has them in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../src/queue/pauses.ts'

test('pauses that are read again unchanged stay the same', () => {
  const since = 1
  const all = [
    { companyId: 'a', domain: null, since },
    { companyId: null, domain: 'x.test', since },
    { companyId: 'b', domain: 'y.test', since },
  ]
  const pauses = new Pauses()
  assert.equal(pauses.replace(all), true)
  assert.equal(pauses.replace(structuredClone(all)), false)
  const covered = (companyId: string) =>
    ['x.test', 'y.test'].map((domain) => pauses.covers(companyId, domain))
  assert.deepEqual(['a', 'b', 'c'].map(covered), [
    [true, true],
    [true, true],
    [true, false],
  ])
  assert.deepEqual([pauses.none, pauses.all], [false, false])
  assert.deepEqual(pauses.skipped, {
    rooms: [{ companyId: 'b', domains: ['y.test'], room: 0 }],
    skipCompanies: ['a'],
    skipDomains: ['x.test'],
  })

  const everything = [{ companyId: null, domain: null, since }]
  assert.equal(pauses.replace(everything), true)
  assert.equal(pauses.replace(everything), false)
  assert.deepEqual([pauses.none, pauses.all, pauses.covers('c', 'y.test')], [false, true, true])
  const site = { key: 'provider:big', name: 'Big' }
  const ofSites = [
    { companyId: null, domain: null, site: { key: 'mx:a', name: 'a' }, since },
    { companyId: 'a', domain: null, site, since },
  ]
  assert.equal(pauses.replace(ofSites), true)
  assert.equal(pauses.replace(ofSites), false)
  assert.deepEqual([pauses.none, pauses.all, pauses.covers('a', 'x.test')], [false, false, false])
  const atSites = (companyId: string) =>
    ['mx:a', 'provider:big', 'mx:b'].map((key) => pauses.coversSite(companyId, key))
  assert.deepEqual(
    [atSites('a'), atSites('b')],
    [
      [true, true, false],
      [true, false, false],
    ],
  )

  assert.equal(pauses.replace([]), true)
  assert.deepEqual([pauses.none, pauses.all, pauses.covers('a', 'x.test')], [true, false, false])
})
