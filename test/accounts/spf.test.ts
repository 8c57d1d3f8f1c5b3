/** What SPF records say, through everything that they include. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readSpf, type SpfResolver } from '../../src/accounts/spf.ts'

const OWN = '192.0.2.10'
const OWN_6 = '2001:db8::10'

/** `name/TYPE` to values; a name in `silent` gets no answer. */
function resolverOf(zone: Record<string, string[]>, silent: string[] = []) {
  const asked: string[] = []
  const look = async (key: string) => {
    asked.push(key)
    if (silent.includes(key)) return { kind: 'failed' as const, reason: 'SERVFAIL' }
    const records = zone[key]
    return records === undefined
      ? { kind: 'absent' as const, reason: 'NXDOMAIN' }
      : { kind: 'found' as const, records }
  }
  const mapped = async <T>(key: string, map: (text: string) => T) => {
    const answer = await look(key)
    return answer.kind === 'found' ? { ...answer, records: answer.records.map(map) } : answer
  }
  const resolver: SpfResolver = {
    txt: (name) => look(`${name}/TXT`),
    mx: (name) => mapped(`${name}/MX`, (exchange) => ({ exchange })),
    addresses: (name) => mapped(`${name}/A`, (address) => ({ address })),
  }
  return { resolver, asked }
}

async function read(record: string, zone: Record<string, string[]> = {}, silent: string[] = []) {
  const { resolver, asked } = resolverOf(zone, silent)
  const verdict = await readSpf('acme.test', `v=spf1 ${record}`, [OWN, OWN_6], resolver)
  return { ...verdict, by: [verdict.allowedBy.get(OWN), verdict.allowedBy.get(OWN_6)], asked }
}

describe('an SPF record', () => {
  const allowed: [name: string, record: string, by: (string | null)[], lookups: number][] = [
    ['of addresses', `ip4:${OWN} ip6:${OWN_6} -all`, [`ip4:${OWN}`, `ip6:${OWN_6}`], 0],
    ['of ranges', 'ip4:192.0.2.77/24 ip6:2001:db8::/32 -all', ['ip4:192.0.2.77/24', 'ip6:2001:db8::/32'], 0],
    ['of other addresses', 'ip4:198.51.100.1 -all', [null, null], 0],
    ['that ends', '?all ip4:192.0.2.10', [null, null], 0],
    ['that refuses before it allows', `-ip4:${OWN} a:both.test -all`, [null, 'a:both.test'], 1],
    ['of the hosts of a domain', 'a:both.test -all', ['a:both.test', 'a:both.test'], 1],
    ['of ranges around the hosts of a domain', 'a:near.test/24//64 -all', ['a:near.test/24//64', null], 1],
    ['of mail servers', 'mx:mailed.test -all', ['mx:mailed.test', 'mx:mailed.test'], 1],
    ['of its own hosts', 'a mx -all', ['a', null], 2],
    ['that includes another', 'include:one.test -all', ['include:one.test', null], 2],
    ['that includes one that refuses', 'include:refuses.test ip4:192.0.2.10', ['ip4:192.0.2.10', null], 1],
    ['that is elsewhere', 'redirect=one.test', ['include:two.test', null], 2],
    ['that is elsewhere only after its end', '-all redirect=one.test', [null, null], 0],
    [
      'with terms that depend on the message',
      'exists:%{i}.list.test ptr include:%{d}.test a:both.test',
      ['a:both.test', 'a:both.test'],
      4,
    ],
    [
      'with macros that contain a slash',
      'exists:%{l/}.list.test a:%{d2r./-}.test/24 a:both.test',
      ['a:both.test', 'a:both.test'],
      3,
    ],
    ['with modifiers', 'exp=why.test a:both.test', ['a:both.test', 'a:both.test'], 1],
    ['in capitals', 'A:both.test INCLUDE:one.test -ALL', ['A:both.test', 'A:both.test'], 3],
  ]
  const zone = {
    'acme.test/A': [OWN],
    'acme.test/MX': ['mx.acme.test'],
    'both.test/A': [OWN, OWN_6],
    'near.test/A': ['192.0.2.200', '2001:db8:1::1'],
    'mailed.test/MX': ['mx.mailed.test', 'both.test'],
    'one.test/TXT': ['unrelated', 'v=spf1 include:two.test ~all'],
    'two.test/TXT': [`v=spf1 ip4:${OWN} -all`],
    'refuses.test/TXT': ['v=spf1 -all'],
  }
  for (const [name, record, by, lookups] of allowed) {
    test(name, async () => {
      const verdict = await read(record, zone)
      assert.deepEqual(
        [verdict.by, verdict.lookups, verdict.fault, verdict.silent],
        [by, lookups, null, null],
      )
    })
  }

  const faulty: [name: string, record: string, fault: RegExp][] = [
    ['with an unknown term', 'a:both.test ipv4:192.0.2.1', /unknown term: ipv4:192\.0\.2\.1/],
    ['with an unreadable term', 'a:both.test ,', /invalid term: ,/],
    ['with an invalid address', 'ip4:300.1.1.1', /invalid address: ip4:300\.1\.1\.1/],
    ['with an invalid range', 'ip4:192.0.2.1/33', /invalid address/],
    [
      'that includes a name without a record',
      'include:gone.test',
      /include:gone\.test names a domain with no SPF record/,
    ],
    ['that includes itself', 'include:loop.test', /needs 20 or more DNS look-ups/],
    [
      'with eleven look-ups',
      Array.from({ length: 11 }, (_, n) => `a:h${n}.test`).join(' '),
      /needs 11 DNS look-ups/,
    ],
    ['with eleven in another', 'include:many.test', /needs 12 DNS look-ups/],
  ]
  for (const [name, record, fault] of faulty) {
    test(`${name} is ignored by receivers`, async () => {
      const many = Array.from({ length: 11 }, (_, n) => `a:h${n}.test`).join(' ')
      const more = { 'loop.test/TXT': ['v=spf1 include:loop.test'], 'many.test/TXT': [`v=spf1 ${many}`] }
      assert.match((await read(record, { ...zone, ...more })).fault!, fault)
    })
  }

  test('that needs ten look-ups is right', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => `a:h${n}.test`).join(' ')
    assert.equal((await read(ten, zone)).fault, null)
  })

  test('is not judged when a query for one of its includes gets no answer', async () => {
    const { silent, fault, by } = await read('include:one.test -all', zone, ['two.test/TXT'])
    assert.deepEqual([silent, fault, by], ['two.test', null, [null, null]])
  })

  test('leaves the rest unread after three names for which DNS did not answer', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}.test`)
    const record = `${names.map((name) => `a:${name}`).join(' ')} -all`
    const { silent, asked } = await read(
      record,
      {},
      names.map((name) => `${name}/A`),
    )
    assert.deepEqual([silent, asked.length], ['a.test', 3])
  })

  test('without an end costs a bounded number of queries', async () => {
    const wide: Record<string, string[]> = {}
    for (let n = 0; n < 200; n++) {
      const includes = Array.from({ length: 40 }, (_, next) => `include:s${(n * 7 + next) % 200}.test`)
      wide[`s${n}.test/TXT`] = [`v=spf1 ${includes.join(' ')}`]
    }
    const { asked, fault } = await read('include:s0.test', wide)
    assert.ok(asked.length <= 20, String(asked.length))
    assert.match(fault!, /20 or more/)
  })
})
