import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostOrder, mailHosts } from '../../../src/delivery/path/mail-hosts.ts'
import type { MxRecord } from '../../../src/dns/record.ts'

const mx = (records: MxRecord[]) => ({ mx: () => Promise.resolve({ kind: 'found' as const, records }) })

async function hostsOf(records: [preference: number, exchange: string][], ownName: string | null = null) {
  const found = await mailHosts(
    'x.test',
    mx(records.map(([preference, exchange]) => ({ preference, exchange }))),
    {
      ownName,
    },
  )
  return found.kind === 'hosts' ? hostOrder(found.ranks) : found.failure.enhancedCode
}

test('hosts are sorted by preference, without duplicates, and only names count', async () => {
  assert.deepEqual(
    await hostsOf([
      [30, 'c'],
      [10, 'a'],
      [20, 'b'],
      [40, 'a'],
    ]),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(
    await hostsOf([
      [10, '192.0.2.1'],
      [20, 'b'],
      [30, '2001:db8::1'],
    ]),
    ['b'],
  )
  assert.equal(await hostsOf([[10, '192.0.2.1']]), '5.4.4')
})

test('a domain whose MX records name no host is not its own mail server', async () => {
  assert.equal(await hostsOf([]), '5.4.4')
})

test('when we are among the MX, only better hosts are tried (RFC 5321 5.1)', async () => {
  assert.deepEqual(
    await hostsOf(
      [
        [10, 'a'],
        [20, 'us.test'],
        [20, 'b'],
        [30, 'c'],
      ],
      'US.test',
    ),
    ['a'],
  )
  assert.equal(
    await hostsOf(
      [
        [10, 'us.test'],
        [20, 'b'],
      ],
      'us.test',
    ),
    '5.4.6',
  )
  assert.deepEqual(await hostsOf([[10, 'us.test']], null), ['us.test'])
})

test('whatever the records, the order is by preference and no more than 50 are used', async () => {
  const record = fc.record({ exchange: fc.domain(), preference: fc.integer({ min: 0, max: 5 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(record, { selector: (r) => r.exchange, minLength: 1, maxLength: 80 }),
      async (records) => {
        const found = await mailHosts('x.test', mx(records), { ownName: null })
        assert.ok(found.kind === 'hosts')
        const hosts = hostOrder(found.ranks)
        assert.equal(hosts.length, Math.min(records.length, 50))
        const preferences = hosts.map((host) => records.find(({ exchange }) => exchange === host)!.preference)
        const sorted = records.map(({ preference }) => preference).sort((a, b) => a - b)
        assert.deepEqual(preferences, sorted.slice(0, 50))
      },
    ),
  )
})

test('address literals of both families, and text that only looks like one', async () => {
  const literal = async (domain: string) => {
    const found = await mailHosts(domain, mx([]), { ownName: null })
    return found.kind === 'hosts' ? hostOrder(found.ranks) : found.failure.enhancedCode
  }
  assert.deepEqual(await literal('[192.0.2.1]'), ['192.0.2.1'])
  assert.deepEqual(await literal('[IPv6:2001:db8::1]'), ['2001:db8::1'])
  for (const text of ['[]', '[192.0.2]', '[mx.x.test]', '[192.0.2.1', '[X400:a]', '[::1%lo]']) {
    assert.equal(await literal(text), '5.1.2', text)
  }
})

test('hosts of equal preference come in random order, better ones always first (RFC 5321 5.1)', () => {
  const ranks = [['a', 'b', 'c'], ['d'], ['e', 'f']]
  const ties = [0.5, 0.1, 0.9, 0.5, 0.7, 0.2]
  assert.deepEqual(
    hostOrder(ranks, () => ties.shift()!),
    ['b', 'a', 'c', 'd', 'f', 'e'],
  )
  const first = new Set(Array.from({ length: 200 }, () => hostOrder(ranks)[0]))
  assert.deepEqual([...first].sort(), ['a', 'b', 'c'])
})
