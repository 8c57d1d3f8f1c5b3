/** How the recipients of an email are divided into deliveries: each is one transaction with one server. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesOf, type ReadyDelivery, workOf } from '../../src/queue/deliveries.ts'
import type { ClaimedEmail, ClaimedRecipient } from '../../src/store/store.ts'
import { company, email } from '../store/samples.ts'
import { pathTo } from './paths.ts'

type Change = Partial<ClaimedRecipient>

/** An email as a claim brings it, with a recipient for each change. */
function claimed(addresses: string[], changes: Change[] = [], individual = false): ClaimedEmail {
  const work = workOf(email(company('Acme'), addresses, { individual }), [...addresses.keys()])
  return { ...work, recipients: work.recipients.map((each, at) => ({ ...each, ...changes[at] })) }
}

function divide(work: ClaimedEmail, pathOf = (domain: string) => pathTo(domain)): ReadyDelivery[] {
  return deliveriesOf(work, 7, pathOf)
}

function positions(deliveries: readonly ReadyDelivery[]): number[][] {
  return deliveries.map(({ recipients }) => recipients.map(({ position }) => position))
}

const many = (n: number, domain = () => 'x.test') => Array.from({ length: n }, (_, i) => `r${i}@${domain()}`)

test('recipients with the same server to ask first form a delivery of their own', () => {
  const [a, b] = ['a.x.test [192.0.2.1]:25', 'b.x.test [192.0.2.2]:25']
  const deliveries = divide(
    claimed(many(8), [
      { preferredServer: a },
      { preferredServer: b },
      { preferredServer: a },
      { preferredServer: null },
      { preferredServer: a, uncertain: true },
      { preferredServer: b },
      { preferredServer: null },
      { preferredServer: a, uncertain: true },
    ]),
  )
  assert.deepEqual(positions(deliveries), [
    [0, 2],
    [1, 5],
    [3, 6],
    [4, 7],
  ])
  assert.deepEqual(
    deliveries.map(({ preferredServer, preferredOnly }) => [preferredServer, preferredOnly]),
    [
      [a, false],
      [b, false],
      [null, false],
      [a, true],
    ],
  )
})

test('each path has its deliveries', () => {
  const work = claimed(['a@x.test', 'b@y.test', 'c@x.test'])
  assert.deepEqual(positions(divide(work)), [[0, 2], [1]])
})

test('domains go together to a relay, which takes mail for all, but not to the servers that they happen to share', () => {
  const work = claimed(['a@x.test', 'b@y.test', 'c@x.test'])
  assert.deepEqual(positions(divide(work, () => pathTo('relay', { kind: 'relay' }))), [[0, 1, 2]])
  assert.deepEqual(positions(divide(work, () => pathTo('mx.test'))), [[0, 2], [1]])
})

test('a transaction has at most 100 recipients', () => {
  for (const [count, sizes] of [
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ] as const) {
    const found = positions(divide(claimed(many(count))))
    assert.deepEqual(
      found.map(({ length }) => length),
      sizes,
    )
    assert.deepEqual(found.flat(), [...Array(count).keys()])
  }
})

test('the hundred are counted for each path and server by itself', () => {
  let n = 0
  const addresses = many(400, () => (n++ % 2 === 0 ? 'x.test' : 'y.test'))
  const changes = addresses.map((_, at) => ({
    preferredServer: at % 4 < 2 ? 'mx.test [192.0.2.1]:25' : null,
  }))
  const deliveries = divide(claimed(addresses, changes))
  assert.deepEqual(
    deliveries.map(({ path, recipients }) => [
      path.site.name,
      recipients[0]!.preferredServer === null,
      recipients.length,
    ]),
    [
      ['x.test', false, 100],
      ['y.test', false, 100],
      ['x.test', true, 100],
      ['y.test', true, 100],
    ],
  )
})

test('in batch sending each recipient has a transaction of its own', () => {
  const found = positions(divide(claimed(many(150), [], true)))
  assert.deepEqual(
    found,
    Array.from({ length: 150 }, (_, at) => [at]),
  )
})
