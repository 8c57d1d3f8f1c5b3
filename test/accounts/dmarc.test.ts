/** DMARC records, and which one holds for a domain. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dmarcAbove, dmarcRecordsIn, parseDmarc } from '../../src/accounts/dmarc.ts'

async function above(domain: string, zone: Record<string, string>) {
  const asked: string[] = []
  const found = await dmarcAbove(domain, {
    async txt(name) {
      asked.push(name)
      const text = zone[name]
      if (text === 'SERVFAIL') return { kind: 'failed' }
      return text === undefined ? { kind: 'absent' } : { kind: 'found', records: ['unrelated', text] }
    },
  })
  return { found: found === null || found === 'failed' ? found : found.domain, asked }
}

describe('the DMARC record above a domain (RFC 9989 4.10)', () => {
  const cases: [name: string, domain: string, zone: Record<string, string>, found: string | null][] = [
    [
      'is that of its organizational domain',
      'mail.acme.test',
      { '_dmarc.acme.test': 'v=DMARC1; p=reject' },
      'acme.test',
    ],
    [
      'is the highest one',
      'a.b.acme.test',
      { '_dmarc.b.acme.test': 'v=DMARC1; p=none', '_dmarc.acme.test': 'v=DMARC1; p=reject' },
      'acme.test',
    ],
    [
      'is the one that says so',
      'a.b.acme.test',
      { '_dmarc.b.acme.test': 'v=DMARC1; p=none; psd=n', '_dmarc.acme.test': 'v=DMARC1; p=reject' },
      'b.acme.test',
    ],
    [
      'is below the domain of a registry',
      'mail.acme.co.test',
      { '_dmarc.acme.co.test': 'v=DMARC1; p=none', '_dmarc.co.test': 'v=DMARC1; p=reject; psd=y' },
      'acme.co.test',
    ],
    [
      'may be that of a registry',
      'acme.co.test',
      { '_dmarc.co.test': 'v=DMARC1; p=reject; psd=y' },
      'co.test',
    ],
    ['need not exist', 'mail.acme.test', {}, null],
  ]
  for (const [name, domain, zone, found] of cases) {
    test(name, async () => assert.equal((await above(domain, zone)).found, found))
  }

  test('is looked for at seven names at most, however long the name is', async () => {
    const long = `${Array.from({ length: 40 }, (_, n) => `l${n}`).join('.')}.acme.test`
    const { asked } = await above(long, {})
    assert.deepEqual(
      [asked.length, asked[0], asked.at(-1)],
      [7, '_dmarc.l35.l36.l37.l38.l39.acme.test', '_dmarc.test'],
    )
  })

  test('is unknown when DNS does not answer', async () => {
    assert.equal((await above('mail.acme.test', { '_dmarc.acme.test': 'SERVFAIL' })).found, 'failed')
  })
})

test('white space around the equals sign of a version is allowed (RFC 9989 4.8)', () => {
  const records = ['v = DMARC1; p=none', 'v\t=DMARC1 ;p=none', 'v=DMARC1']
  assert.deepEqual(dmarcRecordsIn([...records, 'v=DMARC10; p=none', 'p=none; v=DMARC1']), records)
})

test('a record above has a policy for subdomains, or its own', () => {
  const policy = (text: string, isAbove = false) => parseDmarc(text, { isAbove }).policy
  assert.equal(policy('v=DMARC1; p=reject; sp=none'), 'reject')
  assert.equal(policy('v=DMARC1; p=reject; sp=none', true), 'none')
  assert.equal(policy('v=DMARC1;p=Quarantine', true), 'quarantine')
  assert.equal(policy('v=DMARC1; p=nothing'), null)
  assert.deepEqual(parseDmarc('v=DMARC1; p=none; aspf=S; t=y'), {
    policy: 'none',
    strictSpf: true,
    isTest: true,
  })
})
