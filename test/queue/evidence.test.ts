/** Whom a trouble concerns: the one whose mail met it, unless the evidence is more than one company can make. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, HindranceReport } from '../../src/delivery/delivery.ts'
import type { Path } from '../../src/delivery/path/path.ts'
import { Evidence } from '../../src/queue/evidence.ts'
import type { ClaimedRecipient } from '../../src/store/store.ts'
import { pathTo, readyFor } from './paths.ts'

const RESULT = { server: 'mx', dialogue: '', startedAt: 0, duration: 1, tls: null }
const TAKEN: DeliveryResult = { ...RESULT, outcomes: [{ position: 0, verdict: 'delivered', message: 'yes' }] }

function evidence(domains: string[] = ['a.test', 'b.test']) {
  const clock = { now: 1 }
  const learnt = new Evidence(
    () => domains,
    () => clock.now,
  )
  const ready = (companyId: string, path: Path, domain: string) =>
    readyFor(companyId, path, { recipients: [{ position: 0, domain } as ClaimedRecipient] })
  const meets = (
    companyId: string,
    path: Path,
    hindrance: Omit<HindranceReport, 'message'>,
    domain = 'a.test',
    more: Partial<DeliveryResult> = {},
  ) => {
    const outcomes = [{ position: 0, verdict: 'postponed' as const, message: 'no' }]
    const result = { ...RESULT, outcomes, hindrance: { ...hindrance, message: 'no' }, ...more }
    const { part, limits } = learnt.weigh(ready(companyId, path, domain), result)!
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
  assert.deepEqual(meets('three', site, dead, 'a.test', untried), ['three', 'company'])
  assert.deepEqual(meets('four', site, dead), ['four', 'company'], 'what was not tried is no evidence')
})

test('what a recipient can cause concerns its pair, until several emails to several domains have met it', () => {
  const { meets } = evidence()
  for (let n = 0; n < 5; n++) assert.deepEqual(meets('one', site, BUSY, 'a.test'), ['pair', null])
  assert.deepEqual(meets('two', site, BUSY, 'a.test'), ['pair', null], 'one recipient domain, two companies')
  assert.deepEqual(meets('one', site, BUSY, 'b.test'), ['all', 'all'])
  const { meets: alone } = evidence()
  for (const domain of ['a.test', 'b.test']) alone('one', site, BUSY, domain)
  assert.deepEqual(alone('one', site, BUSY, 'a.test'), ['one', 'company'])
})

test('where a site has one recipient domain only, that is all its mail', () => {
  const { meets } = evidence(['a.test'])
  for (let n = 0; n < 2; n++) assert.deepEqual(meets('one', site, BUSY), ['pair', null])
  assert.deepEqual(meets('one', site, BUSY), ['one', 'company'])
})

test('a relay speaks to everybody before MAIL, and for its recipients after that', () => {
  const { meets } = evidence()
  const relay = pathTo('relay.test', { kind: 'relay' })
  assert.deepEqual(meets('one', relay, { kind: 'credentials', met: 'session' }), ['all', 'all'])
  assert.deepEqual(meets('one', relay, { kind: 'unreachable', met: 'connection' }), ['all', 'all'])
  assert.deepEqual(meets('one', relay, { kind: 'busy', met: 'mail' }), ['one', 'company'])
  assert.deepEqual(meets('one', relay, BUSY), ['pair', null])
  assert.deepEqual(meets('one', relay, { kind: 'path', met: 'recipient' }), ['domain', null])
})
