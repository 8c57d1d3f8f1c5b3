/** The companies that a trouble concerns: the one whose mail met it, unless one company alone could not cause the evidence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, TroubleReport } from '../../src/delivery/delivery.ts'
import type { Path } from '../../src/delivery/path/path.ts'
import { Evidence } from '../../src/queue/evidence.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const RESULT = { server: 'mx', dialogue: '', startedAt: 0, duration: 1, tls: null }
const TAKEN: DeliveryResult = { ...RESULT, outcomes: [{ position: 0, verdict: 'delivered', message: 'yes' }] }

function evidence(domains: string[] = ['a.test', 'b.test'], closedElsewhere: () => string[] = () => []) {
  const clock = { now: 1 }
  const learnt = new Evidence({ domainsOf: () => domains, now: () => clock.now, closedElsewhere })
  const ready = (companyId: string, path: Path, domain: string, domainId = 'd') => {
    const delivery = readyFor(companyId, path, { recipients: [{ position: 0, domain } as ClaimedRecipient] })
    return { ...delivery, email: { ...delivery.email, domainId } }
  }
  const meets = (
    companyId: string,
    path: Path,
    pathTrouble: Omit<TroubleReport, 'message'>,
    domain = 'a.test',
    more: Partial<DeliveryResult> = {},
    domainId?: string,
  ) => {
    const outcomes = [{ position: 0, verdict: 'postponed' as const, message: 'no' }]
    const result = { ...RESULT, outcomes, pathTrouble: { ...pathTrouble, message: 'no' }, ...more }
    const { part, limits } = learnt.weigh(ready(companyId, path, domain, domainId), result)!
    const whose = part.to !== null ? 'pair' : part.domainId !== null ? 'domain' : part.companyId
    return [whose ?? 'all', limits]
  }
  const takes = (companyId: string, path: Path) => learnt.weigh(ready(companyId, path, 'a.test'), TAKEN)
  return { clock, meets, takes }
}

const site = pathTo('x.test')
const BLOCKED = { kind: 'path', met: 'session' } as const
const BUSY = { kind: 'busy', met: 'recipient' } as const

test('a refusal of the session concerns one company, and all when a second one has met it', () => {
  const { meets } = evidence()
  for (let n = 0; n < 5; n++) assert.deepEqual(meets('one', site, BLOCKED), ['one', 'company'])
  assert.deepEqual(meets('two', site, BLOCKED), ['all', 'all'])
  assert.deepEqual(meets('one', pathTo('y.test'), BLOCKED), ['one', 'company'], 'other servers')
})

test('nothing is closed for all while mail is accepted, nor by evidence that is old', () => {
  const { clock, meets, takes } = evidence()
  meets('one', site, BLOCKED)
  takes('three', site)
  assert.deepEqual(meets('two', site, BLOCKED), ['two', 'all'], 'though sessions are lowered for all')
  clock.now += 5 * 60_000
  assert.deepEqual(meets('one', site, BLOCKED), ['one', 'company'])
  assert.deepEqual(meets('two', site, BLOCKED), ['all', 'all'])
})

test('servers of a provider that do not answer are not the provider', () => {
  const { meets } = evidence()
  const google = pathTo('provider:google')
  const at = (serversKey: string) => ({ ...google, site: { ...google.site, serversKey } })
  const dead = { kind: 'unreachable', met: 'connection' } as const
  assert.deepEqual(meets('one', at('mx:web.google.test'), dead), ['one', 'company'])
  assert.deepEqual(meets('two', at('mx:smtp.google.test'), dead), ['two', 'company'])
  assert.deepEqual(meets('two', at('mx:web.google.test'), dead), ['all', 'all'], 'the same servers')
  const untried = { notBefore: 1 }
  assert.deepEqual(meets('three', site, dead, 'a.test', untried), ['three', null])
  assert.deepEqual(meets('four', site, dead), ['four', 'company'], 'a host left alone is no evidence')
  assert.deepEqual(meets('five', site, dead, 'a.test', untried), ['five', null], 'nor a second witness')
})

test('a sign that a recipient can cause closes its own pair, and more once several emails to several domains have met it', () => {
  const { meets } = evidence()
  for (let n = 0; n < 5; n++) {
    // Fewer sessions of the company harm no other.
    assert.deepEqual(meets('one', site, BUSY, 'a.test'), ['pair', n < 2 ? null : 'company'])
  }
  assert.deepEqual(meets('two', site, BUSY, 'a.test'), ['pair', null], 'one recipient domain, two companies')
  assert.deepEqual(meets('one', site, BUSY, 'b.test'), ['one', 'company'], 'one email of another company')
  assert.deepEqual(meets('two', site, BUSY, 'b.test'), ['all', 'all'])
  const { meets: alone } = evidence()
  for (const domain of ['a.test', 'b.test']) alone('one', site, BUSY, domain)
  assert.deepEqual(alone('one', site, BUSY, 'a.test'), ['one', 'company'])
})

test('where a site has one recipient domain only, that is all its mail', () => {
  const { meets } = evidence(['a.test'])
  for (let n = 0; n < 2; n++) assert.deepEqual(meets('one', site, BUSY), ['pair', null])
  assert.deepEqual(meets('one', site, BUSY), ['one', 'company'])
})

test('a relay speaks about all mail before MAIL, and about its recipients after that', () => {
  const { meets } = evidence()
  const relay = pathTo('relay.test', { kind: 'relay' })
  assert.deepEqual(meets('one', relay, { kind: 'credentials', met: 'session' }), ['all', 'all'])
  assert.deepEqual(meets('one', relay, { kind: 'unreachable', met: 'connection' }), ['all', 'all'])
  assert.deepEqual(meets('one', relay, { kind: 'busy', met: 'mail' }), ['one', 'company'])
  assert.deepEqual(meets('one', relay, BUSY), ['pair', null])
  assert.deepEqual(meets('one', relay, { kind: 'path', met: 'recipient' }), ['domain', null])
})

test('a block reported in transactions concerns all companies when two have met it and no message is accepted', () => {
  const { meets } = evidence()
  const atRcpt = { kind: 'path', met: 'recipient' } as const
  assert.deepEqual(meets('one', site, atRcpt, 'a.test'), ['domain', null])
  assert.deepEqual(meets('two', site, atRcpt, 'a.test'), ['domain', null])
  assert.deepEqual(meets('one', site, atRcpt, 'a.test'), ['domain', null], 'one recipient domain')
  assert.deepEqual(meets('two', site, atRcpt, 'b.test'), ['all', null])

  const atMail = { kind: 'path', met: 'mail' } as const
  const { clock, meets: others, takes } = evidence()
  takes('three', site)
  assert.deepEqual(others('one', site, atMail), ['domain', null])
  assert.deepEqual(others('two', site, atMail), ['domain', null], 'mail is accepted')
  clock.now += 5 * 60_000
  assert.deepEqual(others('one', site, atMail), ['domain', null])
  assert.deepEqual(others('two', site, atMail), ['all', null], 'MAIL names no recipient')
})

test('a block of several sending domains concerns their company, unless other mail of it is accepted', () => {
  const atMail = { kind: 'path', met: 'mail' } as const
  const { meets, takes } = evidence()
  const from = (domainId: string) => meets('one', site, atMail, 'a.test', {}, domainId)
  assert.deepEqual(
    [from('x'), from('x'), from('y')],
    [
      ['domain', null],
      ['domain', null],
      ['one', null],
    ],
  )
  takes('one', site)
  assert.deepEqual(from('z'), ['domain', null])
  const sender = { kind: 'sender', met: 'mail' } as const
  assert.deepEqual(meets('one', site, sender), ['domain', null], 'a refused sender is no block')
})

test('one answer that names a block list closes the paths of the servers that speak for themselves', () => {
  const list = { name: 'Spamhaus', removal: 'https://check.spamhaus.org/' }
  const atSession = { ...BLOCKED, list }
  const atRcpt = { kind: 'path', met: 'recipient', list } as const
  const one = evidence()
  assert.deepEqual(one.meets('one', site, atSession), ['all', 'all'], 'the site has no other servers')
  const { meets, takes } = evidence()
  const google = pathTo('provider:google')
  const below = { ...google, site: { ...google.site, serversKey: 'mx:customer.google.test' } }
  assert.deepEqual(meets('one', below, atSession), ['one', 'company'], 'a host below the name of a provider')

  assert.deepEqual(meets('one', site, atRcpt), ['one', null])
  assert.deepEqual(meets('two', site, atRcpt), ['two', null], 'a recipient can write such words')
  takes('one', site)
  assert.deepEqual(meets('one', site, atRcpt), ['domain', null], 'other mail of the company is accepted')
  assert.deepEqual(meets('one', site, atSession), ['one', 'company'])
  const relay = pathTo('relay.test', { kind: 'relay' })
  assert.deepEqual(meets('one', relay, atRcpt), ['domain', null], 'the words of another server, perhaps')
})

test('a closure of another company on another node is evidence', () => {
  const { meets } = evidence(undefined, () => ['two'])
  assert.deepEqual(meets('two', site, BLOCKED), ['two', 'company'])
  const { meets: third } = evidence(undefined, () => ['two'])
  assert.deepEqual(third('one', site, BLOCKED), ['all', 'all'])
})

test('answers to recipients lower nothing for all while mail is accepted there', () => {
  const { meets, takes } = evidence()
  takes('three', site)
  const answers = ['a.test', 'b.test', 'a.test', 'b.test'].flatMap((to) => [
    meets('one', site, BUSY, to),
    meets('two', site, BUSY, to),
  ])
  assert.ok(
    answers.every(([, limits]) => limits !== 'all'),
    JSON.stringify(answers),
  )
  assert.deepEqual(answers.at(-1), ['two', 'company'])
})
