/** Closed paths and paused sites: every table of the queue, the page of an email and its row in lists say the same. */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { type FakeDns, startDns } from '../../harness/dns.ts'
import { Resolver } from '../../src/dns/resolver.ts'
import { othersFailed } from '../../src/email/not-attempted.ts'
import type { HoldReason } from '../../src/email/recipient.ts'
import { waitingMail } from '../../src/operate/alerts/company-waiting.ts'
import { oldestMailCheck } from '../../src/operate/doctor/waiting-mail.ts'
import { listedStatuses } from '../../src/operate/listed-status.ts'
import { emailStatus, nextSteps } from '../../src/operate/next-step.ts'
import { pause, resume } from '../../src/operate/pauses.ts'
import { showQueue } from '../../src/operate/queue.ts'
import { showQueueByCompany, showQueueByDomain, showQueueBySite } from '../../src/operate/queue-sums.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { accept, attempt, email, HOUR, type Result, result } from '../store/samples.ts'
import { until } from '../support/until.ts'
import { reportClosed, reportOpen, shareClosedPaths } from './closed-paths.ts'
import { type Owned, World } from './world.ts'

const SITE = 'mx1.big.test'
/** As `reportClosed` reports it. */
const NEXT_TRY = 2

let dns: FakeDns
before(async () => {
  dns = await startDns({
    'one.test/MX': [`10 ${SITE}`],
    'two.test/MX': [`10 ${SITE}`],
    'slow.test/MX': { silent: true },
  })
})
after(() => dns.close())

interface Bench {
  op: Operation
  world: World
  /** Mail that waits for its path, unless changed. */
  hold(owner: Owned, address: string, change?: Partial<Result>): Promise<string>
}

/** Two companies, and a site that is closed for the mail of both. */
async function open(
  t: TestContext,
  closed: { since?: number; metBy?: 'acme' | 'beta' } = {},
): Promise<Bench> {
  const bench = await openWorld(t)
  const { world } = bench
  const metBy = closed.metBy === undefined ? null : world[closed.metBy].company.id
  const closure = { since: closed.since ?? 1, metBy, brief: `${SITE} is busy (421)` }
  await reportClosed(world.store, [{ name: SITE, kind: 'busy', ...closure }])
  return bench
}

async function openWorld(t: TestContext): Promise<Bench> {
  const world = await World.make()
  t.after(() => world[Symbol.asyncDispose]())
  const op = await world.operation('operator')
  const table = op.sites()
  const resolver = new Resolver({ servers: [dns.address], timeout: 10_000, tries: 1 })
  const setup = { ...op.setup, delivery: { kind: 'direct' } } as const
  const token = 1
  return {
    world,
    op: { ...op, hosts: () => resolver, sites: () => table, setup },
    async hold({ company, domains }, address, change = {}) {
      const value = email(company, [address], { domainId: domains[0].id })
      await world.store.accept(value, { token })
      const now = Date.now()
      const waits = result(0, {
        ...{ state: 'waiting', tried: false, events: [], dueAt: now + HOUR },
        ...{ heldFor: 'path', postponedSince: now, message: othersFailed('421 no') },
        ...change,
      })
      await world.store.record(attempt(value, token, [waits]))
      return value.id
    },
  }
}

test('every table shows the next try of the path that holds the mail', async (t) => {
  const { op, world, hold } = await open(t)
  await hold(world.acme, 'a@one.test')
  await hold(world.beta, 'b@two.test')
  const lanes = new Map((await showQueue(op, {})).map((lane) => [lane.domain, lane.nextDueAt]))
  assert.deepEqual([lanes.get('one.test'), lanes.get('two.test')], [NEXT_TRY, NEXT_TRY])
  const byDomain = new Map((await showQueueByDomain(op, {})).sums.map((sum) => [sum.domain, sum.nextDueAt]))
  assert.deepEqual([byDomain.get('one.test'), byDomain.get('two.test')], [NEXT_TRY, NEXT_TRY])
  const byCompany = (await showQueueByCompany(op, {})).sums.map(({ nextDueAt }) => nextDueAt)
  assert.deepEqual(byCompany, [NEXT_TRY, NEXT_TRY])
  const bySite = (await showQueueBySite(op, {})).find(({ site }) => site.name === SITE)
  assert.equal(bySite?.nextDueAt, NEXT_TRY)
})

test('the next attempt of a sum is that of the mail that no pause covers', async (t) => {
  const { op, world, hold } = await openWorld(t)
  const now = Date.now()
  await hold(world.acme, 'a@one.test', { heldFor: null, dueAt: now - HOUR, message: '451 4.7.1 Greylisted' })
  await hold(world.acme, 'b@two.test', { heldFor: null, dueAt: now + HOUR, message: '451 4.7.1 Greylisted' })
  const paused = (await showQueue(op, {})).filter(({ domain }) => domain !== 'two.test')
  for (const domain of new Set(paused.map((lane) => lane.domain))) await pause(op, { domain })
  const sums = (await showQueueByCompany(op, {})).sums
  const acme = sums.find(({ companyId }) => companyId === world.acme.company.id)
  assert.deepEqual([acme!.paused, acme!.nextDueAt], [false, now + HOUR])
  const site = (await showQueueBySite(op, {})).find(({ site }) => site.name === SITE)
  assert.deepEqual([site!.paused, site!.nextDueAt], [false, now + HOUR])
})

test('silent name servers delay no table, and its other rows are shown', async (t) => {
  const { op, world, hold } = await open(t)
  await hold(world.acme, 'a@slow.test')
  await hold(world.acme, 'a@one.test')
  await hold(world.beta, 'b@slow.test')
  await hold(world.beta, 'b@two.test')
  const lanes = await showQueue(op, {})
  const told = lanes.flatMap(({ domain, nextDueAt }) => (nextDueAt === NEXT_TRY ? [domain] : []))
  assert.deepEqual(told.toSorted(), ['one.test', 'two.test'])
  assert.equal(lanes.filter(({ domain }) => domain === 'slow.test').length, 2)
})

test('a pause of a site shows in every table at once, and so does its end', async (t) => {
  const { op, world, hold } = await open(t)
  await hold(world.acme, 'a@one.test', { heldFor: null, message: '451 4.7.1 Greylisted' })
  await hold(world.beta, 'b@two.test')
  const tables = async () => {
    const lanes = (await showQueue(op, {})).filter(({ domain }) => ['one.test', 'two.test'].includes(domain))
    const { sums } = await showQueueByDomain(op, {})
    const one = sums.find(({ domain }) => domain === 'one.test')
    const site = (await showQueueBySite(op, {})).find((sum) => sum.site.name === SITE)
    return [
      lanes.map(({ paused }) => paused),
      [one?.paused, one?.retriable, one?.pause?.site?.name, one?.pausedAlone],
      [site?.paused, site?.retriable, site?.pause?.site?.name],
    ]
  }
  const unpaused = [
    [false, false],
    [false, true, undefined, false],
    [false, true, undefined],
  ]
  assert.deepEqual(await tables(), unpaused)
  await pause(op, { site: SITE })
  assert.deepEqual(await tables(), [
    [true, true],
    [true, false, SITE, false],
    [true, false, SITE],
  ])
  await resume(op, { site: SITE })
  assert.deepEqual(await tables(), unpaused)
})

test('a retry is offered if any page of the sums has mail that it would make due', async (t) => {
  const { op, world, hold } = await open(t)
  await hold(world.acme, 'a@one.test')
  await hold(world.acme, 'b@two.test')
  const first = await showQueueByDomain(op, { company: 'Acme', limit: 0 })
  assert.deepEqual([first.sums, first.retriable], [[], true])
  await pause(op, { company: 'Acme' })
  const then = await showQueueByDomain(op, { company: 'Acme', limit: 0 })
  assert.deepEqual([then.retriable, then.count], [false, first.count])
})

test('while a site is paused, the page of an email and its row give the same reason for its wait', async (t) => {
  const { world, hold, ...bench } = await open(t)
  const domains = bench.op.accounts.domains.map((domain) => ({ ...domain, sending: 'active' as const }))
  const op = { ...bench.op, accounts: { ...bench.op.accounts, domains } }
  await pause(op, { site: SITE })
  const rows: [HoldReason, 'path' | 'pause', 'held' | 'paused'][] = [
    ['path', 'path', 'held'],
    ['pause', 'pause', 'paused'],
  ]
  for (const [heldFor, waits, status] of rows) {
    const id = await hold(world.acme, 'a@one.test', { heldFor })
    const { nextSteps: steps } = await nextSteps(op, { id, from: 0, limit: 1, eventOctets: 0, attempts: 1 })
    assert.equal(steps[0]?.waits, waits)
    const emails = await world.store.summaries([id], 1_000_000)
    assert.equal((await listedStatuses(op, { emails })).get(id)?.of, status)
  }
})

async function foundBy(op: Operation): Promise<string[][]> {
  const { found } = await waitingMail(op, (error) => assert.fail(error as Error))
  return found.map(({ title, found }) => [title, found])
}

test('companies whose path is closed for an hour get an alert that does not name other companies', async (t) => {
  const foundAfter = async (minutes: number) => {
    const since = Date.now() - minutes * 60_000
    const { op, world, hold } = await open(t, { since, metBy: 'beta' })
    const { acme, beta, store } = world
    for (const { domains } of [acme, beta])
      await store.pause({ companyId: null, domain: `customer-of.${domains[0].name}`, since: 1 })
    await hold(acme, 'a@one.test')
    await hold(beta, 'b@two.test')
    // Put off by its own server: the retry schedule takes days, and nothing is wrong with the path.
    await hold(acme, 'c@elsewhere.test', { tried: true, heldFor: null, message: '452 mailbox full' })
    return await foundBy(op)
  }
  assert.deepEqual(await foundAfter(59), [])
  assert.deepEqual(await foundAfter(61), [
    ['Waiting mail of Acme', `Mail to one.test has waited for an hour: ${SITE} is busy (421).`],
    ['Waiting mail of Beta', 'Mail to two.test has waited for an hour: no answer.'],
  ])
})

const NOT_TRIED = 'Mail has been due for an hour but has not been tried.'

/** The alerts that people of Acme see when its mail to one.test has been due for 61 minutes. */
async function foundOfAcme({ op, world, hold }: Bench): Promise<string[]> {
  const { acme, store } = world
  await store.pause({ companyId: null, domain: `customer-of.${acme.domains[0].name}`, since: 1 })
  const now = Date.now() + 2 * HOUR
  await hold(acme, 'a@one.test', { heldFor: null, dueAt: now - 61 * 60_000, message: '451 4.7.1 Greylisted' })
  const found = await foundBy({ ...op, now: () => now })
  return found.flatMap(([title, text]) => (title === 'Waiting mail of Acme' ? [text!] : []))
}

test('mail that has been due for an hour shows the reply of a closure that has only just begun', async (t) => {
  const bench = await openWorld(t)
  await shareClosedPaths(bench.world.store, { site: `mx:${SITE}`, since: Date.now() + 2 * HOUR - 60_000 })
  assert.deepEqual(await foundOfAcme(bench), ['Mail to one.test has waited for an hour: no.'])
})

test('the doctor does not miss an attempt of mail that waits for a closed path', async (t) => {
  const { op, world, hold } = await openWorld(t)
  const { acme, beta, store } = world
  for (const { domains } of [acme, beta])
    await store.pause({ companyId: null, domain: `customer-of.${domains[0].name}`, since: 1 })
  const now = Date.now() + 2 * HOUR
  await hold(acme, 'a@one.test', { heldFor: null, dueAt: now - 61 * 60_000, message: '451 4.7.1 Greylisted' })
  const stateOfOldest = async () => (await oldestMailCheck({ ...op, now: () => now }).run()).state
  assert.equal(await stateOfOldest(), 'problem')
  await shareClosedPaths(store, { site: `mx:${SITE}` })
  await until(async () => (await stateOfOldest()) === 'ok', 'lanes that are read anew')
})

test('a closure of one of two sources, or of another route than that of the mail, is not reported', async (t) => {
  const { op: given, ...rest } = await openWorld(t)
  const sourceAddresses = ['192.0.2.1', '192.0.2.2'].map((address) => ({ address, helo: 'mail.test' }))
  const bench = { ...rest, op: { ...given, setup: { ...given.setup, sourceAddresses } } }
  const { store, acme } = bench.world
  const site = `mx:${SITE}`
  await shareClosedPaths(store, { site, source: '192.0.2.1' })
  assert.deepEqual(await foundOfAcme(bench), [NOT_TRIED], 'another source is open')
  await shareClosedPaths(store, { site, source: '192.0.2.2' })
  assert.deepEqual(await foundOfAcme(bench), ['Mail to one.test has waited for an hour: no.'])
  const { id, companyId } = acme.domains[0]
  await store.setRoute({
    id: 'r',
    companyId,
    domainId: id,
    url: 'smtp://relay.test',
    sealed: null,
    createdAt: 1,
  })
  const routed = { ...bench.op, accounts: await store.accounts() }
  assert.deepEqual(await foundOfAcme({ ...bench, op: routed }), [NOT_TRIED], 'a domain takes its own route')
})

/** Mail that is due, that no node has claimed, and whose domain may send. */
async function due({ world, op: given }: Pick<Bench, 'world' | 'op'>, address: string) {
  const value = email(world.acme.company, [address], { domainId: world.acme.domains[0].id })
  await accept(world.store, value)
  const domains = given.accounts.domains.map((domain) => ({ ...domain, sending: 'active' as const }))
  const op = { ...given, accounts: { ...given.accounts, domains } }
  return {
    /** The words on the page of the email, in its row and in the tables of the queue. */
    async told() {
      const range = { from: 0, limit: 1, eventOctets: 0, attempts: 1 }
      const { nextSteps: steps } = await nextSteps(op, { id: value.id, ...range })
      const { sentence } = await emailStatus(op, { id: value.id })
      const emails = await world.store.summaries([value.id], 1_000_000)
      const domain = address.slice(address.indexOf('@') + 1)
      const lane = (await showQueue(op, {})).find((each) => each.domain === domain)
      return {
        waits: steps[0]!.waits,
        site: steps[0]!.closed?.name,
        sentence: sentence
          .map((piece) => (typeof piece === 'string' ? piece : Object.values(piece)[0]))
          .join(''),
        row: (await listedStatuses(op, { emails })).get(value.id)!.of,
        message: lane!.lastMessage,
        nextDueAt: lane!.nextDueAt,
      }
    },
  }
}

test('due mail that no node has claimed shows which server refused, its reply, and the next try', async (t) => {
  const bench = await open(t, { metBy: 'acme' })
  const mail = await due(bench, 'a@one.test')
  const { sentence, ...rest } = await mail.told()
  assert.deepEqual(rest, {
    ...{ waits: 'path', site: SITE, row: 'held', nextDueAt: NEXT_TRY, message: othersFailed('no answer') },
  })
  assert.match(
    sentence,
    /^Postroad waits with all mail to mx1\.big\.test\. The next try is due; gives up \S+Z\. Reason: no answer\.$/,
  )
})

test('only the company that got a server’s reply sees it in the tables, even from a cached answer', async (t) => {
  const { op, world, hold } = await open(t, { metBy: 'beta' })
  // Due, and not claimed.
  const change = { heldFor: null, dueAt: 1 }
  await hold(world.acme, 'a@one.test', change)
  await hold(world.beta, 'b@two.test', change)
  const told = async (caller: Operation['caller']) => {
    const asked = { ...op, caller }
    const lanes = [...(await showQueue(asked, {})), ...(await showQueueByDomain(asked, {})).sums]
    const words = lanes.flatMap(({ domain, lastMessage }) =>
      ['one.test', 'two.test'].includes(domain) ? [`${domain}: ${lastMessage}`] : [],
    )
    return [...new Set(words)].toSorted()
  }
  const brief = `one.test: ${othersFailed(`${SITE} is busy (421)`)}`
  const own = `two.test: ${othersFailed('no answer')}`
  const of = ({ company }: Owned) => {
    const principal = { companyId: company.id, scopes: new Set(['reading'] as const), domainId: null }
    return { kind: 'person', person: { id: 'p', name: 'P' }, role: 'viewer', principal } as const
  }
  assert.deepEqual(await told(op.caller), [brief, own])
  for (const company of [world.acme.company.id, world.beta.company.id])
    await showQueueByDomain(op, { company })
  assert.deepEqual(await told(of(world.acme)), [brief])
  assert.deepEqual(await told(of(world.beta)), [own])
})

test('a closure that only former nodes have met is reported as well', async (t) => {
  const bench = await openWorld(t)
  const mail = await due(bench, 'a@one.test')
  assert.deepEqual([(await mail.told()).waits, (await mail.told()).row], ['turn', 'accepted'])
  await shareClosedPaths(bench.world.store, { site: `mx:${SITE}` })
  const { waits, site, nextDueAt, message } = await mail.told()
  assert.deepEqual([waits, site], ['path', SITE])
  assert.deepEqual([nextDueAt, message], [NEXT_TRY, othersFailed('no')])
  await until(
    async () => (await mail.told()).row === 'held',
    'the row, whose answers are shared for a moment',
  )
})

test('due mail that another source or another node may send is not held', async (t) => {
  const { world, op: given } = await openWorld(t)
  const sourceAddresses = ['192.0.2.1', '192.0.2.2'].map((address) => ({ address, helo: 'mail.test' }))
  const bench = { world, op: { ...given, setup: { ...given.setup, sourceAddresses } } }
  const mail = await due(bench, 'a@one.test')
  const site = `mx:${SITE}`
  await shareClosedPaths(world.store, { site, source: '192.0.2.1' })
  assert.equal((await mail.told()).waits, 'turn', 'another source is open')
  await shareClosedPaths(world.store, { site, source: '192.0.2.2' })
  assert.equal((await mail.told()).waits, 'path', 'both are closed')
  const other = await reportOpen(world.store, SITE, '192.0.2.2')
  assert.equal((await mail.told()).waits, 'turn', 'a node sends')
  await until(
    async () => (await mail.told()).row === 'accepted',
    'the row, whose answers are shared for a moment',
  )
  await other[Symbol.asyncDispose]()
  assert.equal((await mail.told()).waits, 'path', 'that node has ended')
})
