/** Alerts: the checks find problems, the store keeps them, and each is sent once at its beginning and once at its end. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { newDomain } from '../../src/accounts/new-domain.ts'
import { AlertWatch } from '../../src/operate/alerts/alert-watch.ts'
import { Announcer } from '../../src/operate/alerts/announcer.ts'
import { oldestMailCheck } from '../../src/operate/doctor/waiting-mail.ts'
import { openAlerts } from '../../src/operate/open-alerts.ts'
import type { Operation } from '../../src/operate/verb.ts'
import { updateWebhook } from '../../src/operate/webhooks.ts'
import type { Store } from '../../src/store/store.ts'
import { digest } from '../store/contract/digest.ts'
import { attempt, email, node, result } from '../store/samples.ts'
import { until } from '../support/until.ts'
import { openPaths, shareClosedPaths } from './closed-paths.ts'
import { World } from './world.ts'

let world: World
let token: number
beforeEach(async () => {
  world = await World.make()
  for (const { token } of await world.store.nodes()) await world.store.leave(token)
  token = await world.store.join({ ...node('n'), roles: ['api', 'delivery'] })
})
afterEach(() => world[Symbol.asyncDispose]())

/** An alert watch whose clock and sending the test controls. */
async function watch({ names = ['a'] }: { names?: string[] } = {}) {
  let store: Store = world.store
  const dueAt = (await world.store.oldestDue(Date.now()))!
  let op: Operation = { ...(await world.operation('operator')), now: () => dueAt }
  const told: string[] = []
  /** The alerts about waiting mail, with the id of the company. */
  const waiting: string[] = []
  const faults: unknown[] = []
  const channels = [...names]
  const failures = new Map<string, Error>()
  const reports: string[] = []
  let sent = Promise.resolve()
  let onSend = () => {}
  const hanging = new Set<string>()
  const onFault = (error: unknown) => faults.push(error)
  const announcer = new Announcer({
    store: () => op.store,
    now: () => op.now(),
    channels:
      async () =>
      ({ id }) =>
        channels.map((name) => ({
          name,
          async tell(isOver) {
            if (failures.has(name)) throw failures.get(name)
            if (hanging.has(name)) await new Promise(() => {})
            onSend()
            await sent
            const list = id.startsWith('waiting:') ? waiting : told
            list.push(`${isOver ? 'over' : 'begun'} ${id}${names.length > 1 ? ` to ${name}` : ''}`)
          },
        })),
    onFault,
  })
  const made = new AlertWatch({
    operation: () => op,
    token: () => token,
    delivers: true,
    hasChannel: true,
    patienceMs: 0,
    announcer,
    onChange: ({ id }, isOver) => reports.push(`${isOver ? 'over' : 'begun'} ${id}`),
    onFault,
  })
  return {
    told,
    waiting,
    faults,
    /** Makes the sending of alerts wait for `goOn`. `begun` resolves when it has begun. */
    sendSlowly() {
      const [start, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      sent = end.promise
      onSend = start.resolve
      return { begun: start.promise, goOn: end.resolve }
    },
    /** The time at which the oldest mail became due. */
    dueAt,
    /** Replaces methods of the store. */
    answer(change: Partial<Store>) {
      store = Object.assign(Object.create(world.store), change) as Store
    },
    stop: () => made.stop(),
    failures,
    /** Channels that never answer. */
    hanging,
    channels,
    reports,
    /**
     * Checks and sends alerts as if it were so many minutes after the oldest mail became due. `wait`: until the alerts
     * are sent.
     */
    async at(minutes: number, { far = false, wait = true } = {}) {
      op = { ...op, store, accounts: await world.store.accounts(), now: () => dueAt + minutes * 60_000 }
      await made.look({ far })
      await announcer.look({ thorough: true })
      if (wait) await announcer.idle()
    },
  }
}

test('a check that becomes a problem sends one alert, and one more when it is over', async () => {
  const { at, told } = await watch()
  await at(1)
  assert.deepEqual(told, [])
  await at(61)
  await at(70)
  assert.deepEqual(told, ['begun oldest-mail'])
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  await at(80)
  await at(90)
  assert.deepEqual(told, ['begun oldest-mail', 'over oldest-mail'])
})

test('no alert is sent twice by nodes that check at the same time, or after a restart', async () => {
  const [one, other] = [await watch(), await watch()]
  await Promise.all([one.at(61), other.at(61)])
  const restarted = await watch()
  await restarted.at(62)
  assert.deepEqual([...one.told, ...other.told, ...restarted.told], ['begun oldest-mail'])
})

test('a stop waits for the alert that is being sent, so that no other node sends it again', async () => {
  const { at, told, sendSlowly, stop } = await watch()
  const { begun, goOn } = sendSlowly()
  const sending = at(61)
  await begun
  const stopped = stop()
  goOn()
  await stopped
  const known = (await world.store.announcements()).map(({ alertId, knows }) => [alertId, knows])
  assert.deepEqual(known, [['oldest-mail', 'beginning']])
  await sending
  const other = await watch()
  await other.at(70)
  assert.deepEqual([told, other.told], [['begun oldest-mail'], []])
})

test('an alert that cannot be delivered is retried for a day', async () => {
  const { at, told, faults, failures, reports } = await watch()
  failures.set('a', new Error('no way to tell'))
  await at(61)
  assert.equal(faults.length, 3, 'of the installation and of two companies')
  failures.clear()
  await at(62)
  assert.deepEqual(told, [], 'claimed a minute ago')
  await at(67)
  assert.deepEqual(told, ['begun oldest-mail'])
  assert.equal(reports.filter((each) => each === 'begun oldest-mail').length, 1)

  failures.set('a', new Error('no way to tell'))
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  for (const minutes of [70, 80, 70 + 24 * 60]) await at(minutes)
  assert.deepEqual(await world.store.alerts(), [], 'given up')
})

test('the beginning and the end of a problem are logged, whatever its channels accept', async () => {
  const { at, failures, reports } = await watch()
  const own = () => reports.filter((each) => each.endsWith(' oldest-mail'))
  failures.set('a', new Error('no way to tell'))
  await at(61)
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  await at(70)
  assert.deepEqual(own(), ['begun oldest-mail', 'over oldest-mail'])
  await world.store.resume({ companyId: null, domain: null }, 1)
  await at(80)
  assert.deepEqual(own(), ['begun oldest-mail', 'over oldest-mail', 'begun oldest-mail'])
})

test('a channel that fails neither keeps others from being told, nor has them told again', async () => {
  const { at, told, failures } = await watch({ names: ['a', 'b'] })
  failures.set('a', new Error('no way to tell'))
  await at(61)
  assert.deepEqual(told.splice(0), ['begun oldest-mail to b'])
  failures.clear()
  await at(67)
  await at(75)
  assert.deepEqual(told.splice(0), ['begun oldest-mail to a'])

  failures.set('b', new Error('no way to tell'))
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  await at(80)
  assert.deepEqual(told.splice(0), ['over oldest-mail to a'])
  failures.clear()
  await at(87)
  await at(95)
  assert.deepEqual(told.splice(0), ['over oldest-mail to b'])
})

test('a problem that is over before a channel accepts its beginning is over for the others only', async () => {
  const { at, told, failures } = await watch({ names: ['a', 'b'] })
  failures.set('a', new Error('no way to tell'))
  await at(61)
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  failures.clear()
  await at(67)
  await at(75)
  assert.deepEqual(told, ['begun oldest-mail to b', 'over oldest-mail to b'])
})

test('a problem that comes back before all channels know of its end begins anew for those that do', async () => {
  const { at, told, failures } = await watch({ names: ['a', 'b'] })
  const { store } = world
  await at(61)
  told.splice(0)
  const [before] = await store.alerts()
  failures.set('b', new Error('no way to tell'))
  await store.pause({ companyId: null, domain: null, since: 1 })
  await at(65)
  assert.deepEqual(told.splice(0), ['over oldest-mail to a'])
  await store.resume({ companyId: null, domain: null }, 1)
  failures.clear()
  await at(135)
  assert.deepEqual(told.splice(0), ['begun oldest-mail to a'])
  const back = (await store.alerts()).find(({ id }) => id === 'oldest-mail')!
  assert.ok(back.since > before!.since, 'mail has a key with the time of the beginning')
})

test('a channel that is set up while a problem is open is told of it once, and of its end', async () => {
  const { at, told, channels, failures } = await watch({ names: ['a', 'b'] })
  channels.pop()
  await at(61)
  assert.deepEqual(told.splice(0), ['begun oldest-mail to a'])
  channels.push('b')
  failures.set('b', new Error('no way to tell'))
  await at(70)
  failures.clear()
  for (const minutes of [76, 80]) await at(minutes)
  assert.deepEqual(told.splice(0), ['begun oldest-mail to b'])
  channels.push('c')
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  for (const minutes of [85, 90]) await at(minutes)
  assert.deepEqual(told.splice(0), ['over oldest-mail to a', 'over oldest-mail to b'])
})

test('a node tells of an end only to its own channels, and leaves others to another node for a day', async () => {
  const [one, other] = [await watch({ names: ['a', 'b'] }), await watch({ names: ['a', 'b'] })]
  other.channels.pop()
  await one.at(61)
  one.told.splice(0)
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  await other.at(65)
  await one.at(71)
  assert.deepEqual([other.told, one.told], [['over oldest-mail to a'], ['over oldest-mail to b']])
})

test('a channel that never answers delays neither other channels nor checks', async () => {
  const { at, told, waiting, hanging, stop } = await watch({ names: ['a', 'b'] })
  hanging.add('a')
  await at(61, { wait: false })
  await until(() => told.length + waiting.length === 3, 'the alerts to the other channel')
  assert.deepEqual(told.splice(0), ['begun oldest-mail to b'])
  await world.store.pause({ companyId: null, domain: null, since: 1 })
  await at(62, { wait: false })
  await until(() => told.length + waiting.length === 5, 'the ends to the other channel')
  assert.deepEqual(told, ['over oldest-mail to b'])
  assert.equal(
    (await world.store.alerts()).every(({ endedAt }) => endedAt !== null),
    true,
  )
  await stop()
})

test('a node announces to eight channels at a time, and the others get their turn', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `n${index}`)
  const { at, told, sendSlowly } = await watch({ names })
  const { begun, goOn } = sendSlowly()
  const sending = at(61)
  await begun
  const claimed = await until(async () => {
    const all = await world.store.announcements()
    return all.length >= 8 && all
  }, 'the first announcements')
  assert.equal(claimed.length, 8)
  goOn()
  await sending
  assert.deepEqual(told.toSorted(), names.map((name) => `begun oldest-mail to ${name}`).toSorted())
})

test('a channel is told of the oldest problem first, and of one that failed after the others', async () => {
  const { at, told, failures } = await watch()
  const problem = { companyId: null, title: 'T', found: 'F.', advice: null, memberAdvice: null }
  failures.set('a', new Error('no way to tell'))
  await world.store.raiseAlert({ ...problem, id: 'domain:c.test' }, 3)
  await at(1)
  failures.clear()
  await world.store.raiseAlert({ ...problem, id: 'domain:b.test' }, 5)
  await world.store.raiseAlert({ ...problem, id: 'domain:a.test' }, 4)
  await at(7)
  assert.deepEqual(told, ['begun domain:a.test', 'begun domain:b.test', 'begun domain:c.test'])
})

test('a channel that is set up two days after a problem began is tried for a day', async () => {
  const first = await watch({ names: ['a', 'b'] })
  first.channels.pop()
  await first.at(61)
  const { at, told, failures } = await watch({ names: ['a', 'b'] })
  const days = (count: number) => 61 + count * 24 * 60
  failures.set('b', new Error('no way to tell'))
  for (const minutes of [days(2), days(2) + 10, days(3) - 10]) await at(minutes)
  failures.clear()
  await at(days(3) - 4)
  assert.ok(told.includes('begun oldest-mail to b'), told.join())
})

test('a webhook that has failed for an hour is a problem until it answers', async () => {
  const { at, told } = await watch()
  const aboutWebhooks = () => told.filter((each: string) => each.includes('webhook'))
  const id = await world.webhook()
  await updateWebhook(await world.operation('operator'), { id, enabled: true })
  const since = (await world.store.oldestDue(Date.now()))!
  await world.store.updateWebhook(id, { failingSince: since })
  await at(59)
  assert.deepEqual(told, [])
  await at(60)
  assert.deepEqual(aboutWebhooks(), [`begun webhook:${id}`])
  const [alert] = (await world.store.alerts()).filter((each) => each.id.startsWith('webhook'))
  assert.equal(alert!.companyId, world.acme.company.id)
  assert.equal(alert!.found, '127.0.0.1:2 has not accepted an event for an hour.')
  await world.store.updateWebhook(id, { failingSince: null })
  await at(61)
  assert.deepEqual(aboutWebhooks(), [`begun webhook:${id}`, `over webhook:${id}`])
})

test('a problem found by the hourly checks stays open between them', async () => {
  const { at, told } = await watch()
  const gone = {
    id: 'domain:gone.example',
    companyId: null,
    title: 'gone.example',
    found: 'x.',
    advice: null,
    memberAdvice: null,
  }
  await world.store.raiseAlert(gone, 1)
  await at(1)
  assert.deepEqual(told, ['begun domain:gone.example'])
  await at(2)
  assert.equal(told.length, 1)
  await at(3, { far: true })
  assert.ok(told.includes('over domain:gone.example'))
})

test('each site that refuses mail has an alert of its own; beyond ten sites and the large providers, one alert names the others', async () => {
  const { at, told } = await watch()
  const { store } = world
  await shareClosedPaths(store, { site: 'provider:outlook.com', since: 1 })
  await at(1)
  await shareClosedPaths(store, { site: 'provider:yahoo', since: 2 })
  await at(2)
  assert.deepEqual(told.splice(0), ['begun held-mail:provider:outlook.com', 'begun held-mail:provider:yahoo'])
  await openPaths(store, 'provider:outlook.com')
  await at(3)
  assert.deepEqual(told.splice(0), ['over held-mail:provider:outlook.com'])

  const others = Array.from({ length: 11 }, (_, index) => ({ site: `mx:m${index}.test`, since: 3 + index }))
  await shareClosedPaths(store, ...others)
  await at(4)
  const named = others.slice(0, 10).map(({ site }) => `begun held-mail:${site}`)
  assert.deepEqual(told.splice(0), ['begun held-mail', ...named])
  const more = (await store.alerts()).find(({ id }) => id === 'held-mail')
  assert.equal(more!.found, 'm10.test refuses mail: no.')
  await openPaths(store)
  await at(5)
  assert.deepEqual(
    told.splice(0).toSorted(),
    [
      'over held-mail',
      'over held-mail:provider:yahoo',
      ...named.map((line) => line.replace('begun', 'over')),
    ].toSorted(),
  )
})

test('a company whose mail has been due for an hour is a problem until the mail is paused or sent', async () => {
  const { at, waiting } = await watch()
  const { store, acme, beta } = world
  const [ofAcme, ofBeta] = [acme, beta].map(({ company }) => `waiting:${company.id}`)
  await at(59)
  assert.deepEqual(waiting, [])
  await store.pause({ companyId: beta.company.id, domain: null, since: 1 })
  await at(61)
  assert.deepEqual(waiting.splice(0), [`begun ${ofAcme}`])
  const alert = (await store.alerts()).find(({ id }) => id === ofAcme)!
  assert.deepEqual(
    [alert.companyId, alert.title, alert.found],
    [acme.company.id, 'Waiting mail of Acme', 'Mail has been due for an hour but has not been tried.'],
  )
  await store.pause({ companyId: acme.company.id, domain: null, since: 1 })
  await at(62)
  assert.deepEqual(waiting.splice(0), [`over ${ofAcme}`])
  await store.resume({ companyId: beta.company.id, domain: null }, alert.since + 60_000)
  await at(63)
  assert.deepEqual(waiting.splice(0), [], 'its pause has only just ended')
  await at(125)
  assert.deepEqual(waiting.splice(0), [`begun ${ofBeta}`])
})

test('due mail is no problem while other mail is tried, because a slow site takes little mail', async () => {
  const { at, waiting, told, dueAt } = await watch()
  const { store, acme, beta } = world
  const delivered = async (minutes: number) => {
    const when = dueAt + minutes * 60_000
    const sent = email(acme.company, ['a@slow.test'], {
      ...{ domainId: acme.domains[0].id, createdAt: when, dueAt: when },
    })
    await store.accept(sent, { token })
    const events = [{ type: 'delivered', at: when, detail: {} } as const]
    await store.record(attempt(sent, token, [result(0, { events })]))
    await digest(store, token)
  }
  await store.pause({ companyId: beta.company.id, domain: null, since: 1 })
  await delivered(10)
  await at(61)
  await delivered(65)
  await at(72)
  assert.deepEqual([waiting, told], [[], []])
  await at(127)
  assert.deepEqual([waiting, told], [[`begun waiting:${acme.company.id}`], ['begun oldest-mail']])
})

test('mail of a company is late although mail of another one is tried, and the doctor names the company', async () => {
  const { at, waiting, told, dueAt } = await watch()
  const { store, acme, beta } = world
  const when = dueAt + 55 * 60_000
  const sent = email(acme.company, ['a@quick.test'], {
    domainId: acme.domains[0].id,
    createdAt: when,
    dueAt: when,
  })
  await store.accept(sent, { token })
  await store.record(
    attempt(sent, token, [result(0, { events: [{ type: 'delivered', at: when, detail: {} }] })]),
  )
  await digest(store, token)
  const now = () => dueAt + 61 * 60_000
  const oldest = await oldestMailCheck({ ...(await world.operation('operator')), now }).run()
  assert.deepEqual(
    [oldest.state, oldest.found],
    ['warning', 'Mail of Beta has been due for 61 minutes and is not attempted, while other mail is.'],
  )
  await at(61)
  assert.deepEqual([waiting, told], [[`begun waiting:${beta.company.id}`], []])
})

test('mail that became due while nothing ran is no problem until delivery has had ten minutes', async () => {
  const { at, waiting, told, dueAt } = await watch()
  const { store } = world
  await at(61)
  assert.equal(waiting.splice(0).length, 2)
  assert.deepEqual(told.splice(0), ['begun oldest-mail'])
  const restart = async (minutes: number) => {
    await store.leave(token)
    token = await store.join({ ...node('n'), since: dueAt + minutes * 60_000 })
  }
  await restart(120)
  await at(121)
  assert.deepEqual([waiting, told], [[], []], 'open problems are not over either')
  await store.pause({ companyId: null, domain: null, since: 1 })
  await at(122)
  assert.deepEqual([waiting.splice(0).length, told.splice(0)], [2, ['over oldest-mail']])
  await store.resume({ companyId: null, domain: null }, dueAt + 122 * 60_000)
  await restart(200)
  const now = () => dueAt + 203 * 60_000
  const oldest = await oldestMailCheck({ ...(await world.operation('operator')), now }).run()
  assert.deepEqual([oldest.state, oldest.advice], ['unknown', 'Look again in 7 minutes.'])
  await at(201)
  assert.deepEqual([waiting, told], [[], []])
  await at(211)
  assert.deepEqual([waiting.length, told], [2, ['begun oldest-mail']])
})

test('mail is late at once while no node delivers', async () => {
  const { at, told, dueAt } = await watch()
  await world.store.leave(token)
  token = await world.store.join({ ...node('api'), roles: ['api'], since: dueAt + 60 * 60_000 })
  await at(61)
  assert.ok(told.includes('begun oldest-mail'))
  assert.ok(told.includes('begun nodes'))
})

test('a problem of a company stays open if its check fails, and hides no other problem', async () => {
  const { at, waiting, told, answer, faults } = await watch()
  const { acme, beta } = world
  const [ofAcme, ofBeta] = [acme, beta].map(({ company }) => `waiting:${company.id}`)
  await world.store.pause({ companyId: beta.company.id, domain: null, since: 1 })
  await at(61)
  assert.deepEqual(waiting.splice(0), [`begun ${ofAcme}`])
  const failing = { companyId: beta.company.id, title: 'T', found: 'F.', advice: null, memberAdvice: null }
  await world.store.raiseAlert({ ...failing, id: 'webhook:w' }, 1)
  await world.store.raiseAlert({ ...failing, id: `bounces:${beta.company.id}` }, 1)
  await world.store.resume({ companyId: beta.company.id, domain: null }, 2)
  const { store } = world
  answer({
    async oldestDueOf(companyId, now) {
      if (companyId === acme.company.id) throw new Error('canceling statement due to statement timeout')
      return await store.oldestDueOf(companyId, now)
    },
    webhooks: async () => {
      throw new Error('canceling statement due to statement timeout')
    },
  })
  await at(62)
  assert.deepEqual(waiting.splice(0), [`begun ${ofBeta}`], 'that of Acme is not over')
  assert.equal(faults.length, 2)
  assert.ok(told.includes('begun webhook:w'))
  assert.ok(!told.includes('over webhook:w'))
  assert.equal(
    (await store.alerts()).find(({ id }) => id.startsWith('bounces:')),
    undefined,
    'it is over',
  )
  answer({})
  await at(63)
  assert.ok(told.includes('over webhook:w'))
})

test('a problem of a domain is that of the company which sends from it, not of another one that has added its name', async () => {
  const { at, told } = await watch()
  const { store, acme, beta } = world
  const name = 'shared.example'
  const seal = await (await world.operation('operator')).seal()
  const made = ({ company }: typeof acme) => newDomain({ companyId: company.id, name, seal, ed25519: false })
  await store.addDomain(await made(beta))
  const sends = { ...(await made(acme)), sending: 'active' as const }
  await store.addDomain(sends)
  await at(1, { far: true })
  assert.ok(told.includes(`begun domain:${name}`), told.join())
  const companyId = acme.company.id
  const open = await openAlerts(await world.operation('operator'), { company: companyId })
  assert.deepEqual(
    open.map(({ page }) => page),
    [`c/${companyId}/domains/${sends.id}`],
  )
  const { events } = await store.entriesAfter(0, { types: ['problem.started'] }, 10)
  assert.deepEqual(
    events.map((event) => [event.companyId, event.detail.domainId, event.detail.problem?.id]),
    [[companyId, sends.id, `domain:${name}`]],
  )
})
