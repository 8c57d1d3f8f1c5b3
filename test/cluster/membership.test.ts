/** Nodes on one real database. SQLite lets one node in at a time; here its store reports itself as shared, like PostgreSQL. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { NodeMembership } from '../../src/cluster/membership.ts'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import { monotonic } from '../../src/common/clock.ts'
import { Metrics } from '../../src/metrics.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { type NodeBeat, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { temporaryDirectory } from '../store/directory.ts'
import { acme, claimRequest, email } from '../store/samples.ts'
import { giveUp } from './give-up.ts'

const TIMEOUT = 1_500

interface Member {
  membership: NodeMembership
  right: SendingRight
  /** Its own connection; its calls fail while `cut`. */
  store: Store
  cut: boolean
  /** The sources of the nodes, as reported last. */
  seen: (readonly string[] | undefined)[]
  /** The reported numbers of nodes, and how often recovered work was reported. */
  counts: number[]
  recovered: number
  /** Called each time recovered work is reported. */
  onRecovered: () => void
  /** What it logged as a warning or an error. */
  complaints: string[]
  metrics: Metrics
}

interface Given {
  /** Its own, with a clock of the test's. */
  right?: SendingRight
  /** Comes between the node and its database: calls it when it likes, and hands on the answer that it likes. */
  between?: (call: string, args: unknown[], ask: () => Promise<unknown>) => Promise<unknown>
  /** False: it is the only one that its database can have. */
  shares?: boolean
  /** The right to send was confirmed just now. */
  confirmed?: (token: number) => void
}

function database(t: TestContext) {
  const path = join(temporaryDirectory(t), 'postroad.db')
  const members: Member[] = []
  t.after(async () => {
    for (const member of members) {
      member.cut = false
      await member.membership.leave()
      await member.store.close()
    }
  })
  return async (name: string, given: Given = {}): Promise<Member> => {
    const store = await SqliteStore.open(path, { exclusive: false })
    const {
      right = new SendingRight(),
      between = (_call, _args, ask) => ask(),
      confirmed,
      shares = true,
    } = given
    const shared = new Proxy(store as Store, {
      get: (target, property) => {
        if (property === 'shared') return shares
        const value = Reflect.get(target, property, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (member.cut) return Promise.reject(new StoreUnavailable('cut off'))
          return between(String(property), args, () => value.apply(target, args))
        }
      },
    })
    const complain = (_: object, message: string) => member.complaints.push(message)
    const log = { info: () => {}, warn: complain, error: complain }
    const node = { name, roles: ['delivery' as const], timeoutMs: TIMEOUT, since: 0 }
    const metrics = new Metrics()
    const membership = new NodeMembership({ store: shared, node, claim: null, right, metrics, log })
    const member: Member = {
      membership,
      right,
      store,
      cut: false,
      seen: [],
      counts: [],
      recovered: 0,
      onRecovered: () => {},
      complaints: [],
      metrics,
    }
    membership.listen({
      confirmed: () => confirmed?.(membership.lease!.token),
      recovered: () => {
        member.recovered++
        member.onRecovered()
      },
      deliveryNodes: (nodes) => {
        member.counts.push(nodes.length)
        member.seen = nodes.map(({ sources }) => sources)
      },
    })
    members.push(member)
    await membership.start()
    return member
  }
}

/** Looks again after every turn of the event loop; the test's own time limit ends it. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('a node that is cut off loses its right by itself, before the others take its work', async (t) => {
  const enter = database(t)
  const here = await enter('here')
  const there = await enter('there')
  const owner = await acme(here.store)
  const { token } = there.membership.lease!
  await there.store.accept(email(owner, ['a@x.test'], { dueAt: 0 }), { token })
  assert.ok(there.membership.mayBegin)

  there.cut = true
  const heldAtTakeOver: boolean[] = []
  here.onRecovered = () => void heldAtTakeOver.push(there.right.holds(token))
  await until(() => here.recovered > 0)
  assert.equal(heldAtTakeOver[0], false)
  assert.equal(there.membership.mayBegin, false)
  await until(async () => (await here.store.counts(Number.MAX_SAFE_INTEGER)).due === 1)

  there.cut = false
  await until(() => there.membership.mayBegin)
  const later = there.membership.lease!.token
  assert.ok(later > token)
  assert.equal(there.right.holds(token), false)
  assert.equal(there.right.holds(later), true)
})

for (const call of ['join', 'beat']) {
  test(`the right to send counts from when the ${call} was sent, however late its answer comes`, async (t) => {
    let now = 0
    let sentAt: number | null = null
    const right = new SendingRight(undefined, { monotonic: () => now, wall: () => 0 })
    /** Whether it holds as long after each answer as if that had come at once, and when the time since the sending is over. */
    const held: boolean[][] = []
    await database(t)('here', {
      right,
      between: async (asked, _args, ask) => {
        if (asked !== call) return ask()
        sentAt = monotonic()
        now = sentAt
        const answer = await ask()
        const sent = sentAt
        await until(() => monotonic() > sent + 5)
        return answer
      },
      confirmed: (token) => {
        if (sentAt === null) return
        const before = right.holds(token)
        now = sentAt + TIMEOUT
        held.push([before, right.holds(token)])
      },
    })
    await until(() => held.length > 0)
    assert.deepEqual(held[0], [true, false])
  })
}

test('a node that was given up has lost its right before it asks to come back', async (t) => {
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  t.after(() => held.resolve())
  // Time stands still, so that nothing ends by itself.
  const right = new SendingRight(undefined, { monotonic: () => 0, wall: () => 0 })
  let joins = 0
  const { membership, store } = await database(t)('here', {
    right,
    between: async (call, _args, ask) => {
      if (call === 'join' && ++joins === 2) {
        asked.resolve()
        await held.promise
      }
      return ask()
    },
  })
  const { token } = membership.lease!
  assert.equal(right.holds(token), true)
  await giveUp(store, token)
  await asked.promise
  assert.equal(right.holds(token), false)
  assert.equal(membership.lease, null)
  held.resolve()
  await until(() => membership.mayBegin)
  assert.ok(membership.lease!.token > token)
  assert.equal(right.holds(token), false)
})

test('a node whose own beats seem to stand still gives up other nodes, never itself', async (t) => {
  const enter = database(t)
  let rows: NodeBeat[] = []
  const givenUp: unknown[] = []
  const here = await enter('here', {
    between: async (call, args, ask) => {
      const answer = await ask()
      if (call === 'giveUp') givenUp.push(args[0])
      if (call !== 'beat') return answer
      // What is read lags behind, say: the same beats, over and over.
      if (rows.length < 2) rows = answer as NodeBeat[]
      return rows
    },
  })
  const there = await enter('there')
  await until(() => givenUp.length >= 2)
  assert.deepEqual(new Set(givenUp), new Set([there.membership.lease!.token]))
  assert.ok(here.membership.lease)
})

test('an outage of the database makes no node look dead', async (t) => {
  const enter = database(t)
  const members = [await enter('one'), await enter('two'), await enter('three')]
  const tokens = members.map(({ membership }) => membership.lease!.token)
  for (const member of members) member.cut = true
  await until(() => members.every(({ membership }) => !membership.mayBegin))
  for (const member of members) member.cut = false
  await until(() => members.every(({ membership }) => membership.mayBegin))
  const seen = async () => (await members[0]!.store.nodes()).map((node) => node.token)
  assert.deepEqual(await seen(), tokens)
  // As long as it takes to be missed once more.
  const { beats } = (await members[0]!.store.nodes())[0]!
  await until(async () => (await members[0]!.store.nodes())[0]!.beats > beats + 6)
  assert.deepEqual(await seen(), tokens)
})

test('a node that leaves is not given up as dead, and its leased mail waits again', async (t) => {
  const enter = database(t)
  const here = await enter('here')
  const there = await enter('there')
  await until(() => here.counts.at(-1) === 2)
  const owner = await acme(here.store)
  const value = email(owner, ['a@x.test'], { dueAt: 0 })
  await there.store.accept(value, { token: there.membership.lease!.token })
  await there.membership.leave()
  assert.equal(there.membership.mayBegin, false)
  await until(() => here.counts.at(-1) === 1)
  await until(() => here.recovered === 1)
  const request = claimRequest(here.membership.lease!.token, { now: Date.now() + 10_000 })
  assert.equal((await here.store.claim(request))[0]?.id, value.id)
})

test('each node learns the number of delivery nodes as it changes', async (t) => {
  const enter = database(t)
  const one = await enter('one')
  assert.equal(one.counts.at(-1), 1)
  const two = await enter('two')
  assert.equal(two.counts.at(-1), 2)
  await until(() => one.counts.at(-1) === 2)
})

test('each node learns from which sources mail can leave at the others, once they know it', async (t) => {
  const enter = database(t)
  let sources = ['192.0.2.1']
  const one = await enter('one')
  const two = await enter('two')
  await until(() => one.counts.at(-1) === 2)
  assert.deepEqual(one.seen, [undefined, undefined])
  await two.membership.haveSources(() => sources)
  await until(() => one.seen[1] !== undefined)
  assert.deepEqual(one.seen, [undefined, ['192.0.2.1']])
  sources = ['192.0.2.2']
  await until(() => one.seen[1]?.[0] === '192.0.2.2')
})

test('a node that is alone shows its sources as soon as it knows them, and keeps its right', async (t) => {
  let now = 0
  const right = new SendingRight(undefined, { monotonic: () => now, wall: () => now })
  const { membership, store } = await database(t)('alone', { shares: false, right })
  await membership.haveSources(() => ['192.0.2.1'])
  assert.deepEqual(
    (await store.nodes()).map(({ sources }) => sources),
    [['192.0.2.1']],
  )
  now = 365 * 86_400_000
  assert.ok(membership.mayBegin)
})

test('an outage is logged once when it begins, not at every failed beat', async (t) => {
  const here = await database(t)('here')
  here.cut = true
  const { storeFaults } = here.metrics
  const faults = async () => (await storeFaults.get()).values[0]?.value ?? 0
  await until(async () => (await faults()) >= 4)
  assert.equal(here.complaints.length, 1)
  const beats = async () => (await here.store.nodes())[0]!.beats
  const heard = await beats()
  here.cut = false
  // The second of two: the turn of the first has ended by then.
  await until(async () => (await beats()) >= heard + 2)
  const before = await faults()
  here.cut = true
  await until(async () => (await faults()) > before)
  assert.equal(here.complaints.filter((each) => /Could not write the heartbeat/.test(each)).length, 2)
})

test('a node whose sources are known during a beat still beats once at a time', async (t) => {
  const enter = database(t)
  let gate: PromiseWithResolvers<void> | null = null
  let held = 0
  let most = 0
  const here = await enter('here', {
    async between(call, _, ask) {
      if (call !== 'beat' || gate === null) return await ask()
      held++
      most = Math.max(most, held)
      await gate.promise
      held--
      return await ask()
    },
  })
  const there = await enter('there')
  const hold = async () => {
    gate = Promise.withResolvers()
    await until(() => held > 0)
  }
  const release = () => {
    gate!.resolve()
    gate = null
  }
  const beats = async () => (await there.store.nodes()).find(({ name }) => name === 'there')!.beats
  await hold()
  const known = here.membership.haveSources(() => [])
  release()
  await known
  await hold()
  // For longer than a beat takes to come, and shorter than the timeout.
  const heard = await beats()
  await until(async () => (await beats()) >= heard + 2)
  release()
  assert.equal(most, 1)
})
