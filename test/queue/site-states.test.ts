/** The sites that a node reports, where it knows more than a report has places for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pastSites, withPast } from '../../src/queue/past-sites.ts'
import { type PathUse, siteStates } from '../../src/queue/site-states.ts'
import type { SiteClosure } from '../../src/store/store.ts'
import { pathTo } from './paths.ts'

function use(
  name: string,
  messages: number,
  closedFor?: string | null,
  provider: string | null = null,
): PathUse {
  const path = pathTo(name)
  const closure: SiteClosure = {
    ...{ since: 1, kind: 'unreachable', reason: 'refused', brief: 'refused', nextTryAt: 2, metBy: null },
    ...{ companyId: closedFor ?? null, company: closedFor ?? null, sendingDomain: null },
    ...{ recipientDomain: null, list: null },
  }
  return {
    path: { ...path, site: { ...path.site, provider } },
    sessions: 0,
    recent: { minute: 0, hour: messages },
    lastMessageAt: messages,
    lastAcceptedAt: null,
    lastTrouble: null,
    lowered: { sessions: null, messagesPerMinute: null },
    closures: closedFor === undefined ? [] : [closure],
    warmUp: null,
  }
}

const many = <Made>(count: number, make: (n: number) => Made): Made[] =>
  Array.from({ length: count }, (_, n) => make(n))

test('the closures of one company leave the places of other sites', () => {
  const uses = [
    ...many(300, (n) => use(`dead${n}.test`, 5, 'Evil')),
    ...many(100, (n) => use(`mx${n}.test`, 1)),
    use('refuses-all.test', 0, null),
    use('idle-provider', 0, undefined, 'idle-provider'),
    use('refuses-victim.test', 2, 'Victim'),
    // A server may claim the limits of a provider without being its site.
    use('beside.test', 0, 'Evil', 'idle-provider'),
  ]
  const names = siteStates(uses).map(({ name }) => name)
  assert.equal(names.length, 201)
  assert.equal(names[0], 'refuses-all.test')
  for (const name of ['idle-provider', 'refuses-victim.test', 'mx0.test', 'mx99.test']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(!names.includes('beside.test'))
})

test('closures of many companies have a share of the places; of those of one, sites with most mail count', () => {
  const busy = (n: number, company: string) => use(`${company}${n}.test`, n, company)
  const closed = many(20, (company) => many(30, (n) => busy(n, `c${company}`))).flat()
  const open = many(300, (n) => use(`open${n}.test`, 1_000 + n))
  const states = siteStates([...closed, ...open])
  const shown = states.filter((state) => state.closed !== null).map(({ name }) => name)
  assert.equal(states.length, 200)
  assert.equal(shown.length, 50)
  assert.ok(shown.includes('c029.test'))
  const [first] = states.filter((state) => state.closed === null)
  assert.equal(first!.name, 'open299.test')
  assert.equal(siteStates(closed.slice(0, 60)).length, 60, 'all are shown while there is room')
})

test('the sites of nodes that have ended complete those of this one, for a day after their last message', () => {
  const day = 24 * 3_600_000
  const ended = [
    { node: 1, at: 1, sites: siteStates([use('both.test', 10, null), use('gone.test', 20)]) },
    { node: 2, at: 1, sites: siteStates([use('both.test', 15)]) },
  ]
  const past = pastSites([], ended)
  const present = siteStates([{ ...use('both.test', 5), sessions: 1 }])
  const shown = (now: number) =>
    withPast(present, past, now).map(({ name, used, closed, lastMessageAt, sources }) => {
      return [name, used.messagesLastHour, closed, lastMessageAt, sources.length]
    })
  assert.deepEqual(shown(day), [
    ['both.test', 5, null, 15, 1],
    ['gone.test', 0, null, 20, 0],
  ])
  assert.deepEqual(
    shown(day + 16).map(([name, , , at]) => [name, at]),
    [
      ['both.test', 5],
      ['gone.test', 20],
    ],
  )
  assert.deepEqual(
    shown(day + 20).map(([name]) => name),
    ['both.test'],
  )
  const further = pastSites(past, [{ node: 3, at: 2, sites: siteStates([use('next.test', 1)]) }])
  assert.deepEqual(further.map(({ name }) => name).toSorted(), ['both.test', 'gone.test', 'next.test'])
})
